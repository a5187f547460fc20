import { lane, withPulumi } from "./lane.ts";

/** Real engines on CPUs, which are large and slow to start: `npm test engines`. */
export default lane(["test/engines/*.test.ts"], withPulumi);
