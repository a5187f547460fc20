import { heavyFirst } from "../../testing/heavy-first.ts";
import { lane } from "./lane.ts";
import { matrix } from "./matrix.ts";

/** One property over many cases: `npm run test:matrix`. */
export default lane(matrix, { sequence: { sequencer: heavyFirst(matrix) } });
