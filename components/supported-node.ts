import { nodeProblem } from "../sdk/node-version.ts";

/**
 * Checks the version of Node.js when it is imported, before all other modules. On an old version the program ends with
 * one sentence instead of failing at the first missing function.
 */
const { process: host } = globalThis as { process?: { versions?: { node?: string } } };
const problem = nodeProblem(host?.versions?.node);
if (problem !== undefined) throw new Error(problem);
