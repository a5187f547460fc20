import { join } from "node:path";
import everyRun from "../../vitest.config.ts";
import { alone, lane } from "./lane.ts";
import { withPulumi } from "./real-cli.ts";

const programs = join(import.meta.dirname, "..", "..", "testing", "programs");

/** Tests with the real Pulumi CLI and its Kubernetes provider, which are built if they are not installed: `npm run test:cli`. */
export default lane(["test/real-cli/*.test.ts", "test/languages/*.test.ts", ...withPulumi], {
  ...alone,
  globalSetup: [...[everyRun.test?.globalSetup ?? []].flat(), join(programs, "pulumi-setup.ts")],
});
