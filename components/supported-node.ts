import { nodeProblem } from "../sdk/node-version.ts";

/**
 * Imported before all else, for its effect: on a Node.js that is too old a program ends with one sentence, and not
 * where the first newer function is missing.
 */
const { process: host } = globalThis as { process?: { versions?: { node?: string } } };
const problem = nodeProblem(host?.versions?.node);
if (problem !== undefined) throw new Error(problem);
