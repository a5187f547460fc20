import { lane } from "./lane.ts";

/** Needs the Pulumi CLI and its Kubernetes provider, on PATH or in the folder of PULUMI_BIN: `npm run test:cli`. */
export default lane(["test/real-cli/*.test.ts"]);
