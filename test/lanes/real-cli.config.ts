import { lane, withPulumi } from "./lane.ts";

/** Tests with the real Pulumi CLI and its Kubernetes provider, which are built if they are not installed: `npm test real-cli`. */
export default lane(["test/real-cli/*.test.ts", "test/languages/*.test.ts"], withPulumi);
