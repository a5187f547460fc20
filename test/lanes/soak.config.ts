import { lane } from "./lane.ts";

/** What takes minutes: `npm run soak`. */
export default lane(["{sdk,components,engine,cli,runtime,test}/**/*.soak.ts"]);
