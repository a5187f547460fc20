import { lane, withPulumi } from "./lane.ts";

/** Published gateways with the planned objects, whose control planes are built if they are not there: `npm test gateways`. */
export default lane(["test/gateways/*.test.ts"], withPulumi);
