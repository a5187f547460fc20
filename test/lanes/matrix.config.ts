import { heavyFirst } from "../../testing/heavy-first.ts";
import { lane, pulumiSetup } from "./lane.ts";
import { matrix } from "./matrix.ts";

/** One property over many cases: `npm test matrix`. */
export default lane(matrix, {
  globalSetup: pulumiSetup,
  sequence: { sequencer: heavyFirst(matrix) },
});
