import type { Program } from "../../manager/program.ts";
import { flags } from "./flags.ts";
import type { ModelRouterOptions } from "./start.ts";

/** Sets the model of each request in headers, by which routes select a pool. */
export const program: Program<typeof flags, ModelRouterOptions> = {
  name: "model-router",
  title: "the model router",
  summary: `An ext_proc server that reads the model from the body of each request, and sets the headers X-Gateway-Model-Name
and X-Gateway-Base-Model-Name for a gateway's routes. Returns 404 for models that no pool serves.`,
  flags,
  options: (values) => ({ ...values, verbosity: values.operations.verbosity }),
  start: async (options, log) => (await import("./start.ts")).startModelRouter(options, log),
};
