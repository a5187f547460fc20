import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * `npm test [LANE] [PATH...]`: runs the tests of a lane, which is a `LANE.config.ts` in this folder. Without a lane, it
 * runs the default tests.
 */

const [lane = "", ...rest] = process.argv.slice(2);
const config = join(import.meta.dirname, `${lane}.config.ts`);
const args = existsSync(config) ? ["--config", config, ...rest] : process.argv.slice(2);
process.argv.splice(2, Infinity, "run", ...args);
await import(join(import.meta.dirname, "../../node_modules/vitest/vitest.mjs"));
