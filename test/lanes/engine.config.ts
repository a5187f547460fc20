import { lane } from "./lane.ts";

/** The tests of the local engine, a package of its own: `npm test -w engine`. `npm test` runs them as well. */
export default lane(["engine/**/*.test.ts"]);
