import { lane, withPulumi } from "./lane.ts";

/** What takes minutes: `npm run soak`. */
export default lane(
  ["{sdk,components,cli,runtime,testing,bench,demo,test}/**/*.soak.ts"],
  withPulumi,
);
