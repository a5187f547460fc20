import { lane, withPulumi } from "./lane.ts";

/** Tests that take minutes: `npm test soak`. */
export default lane(
  ["{sdk,components,cli,runtime,testing,bench,demo,test}/**/*.soak.ts"],
  withPulumi,
);
