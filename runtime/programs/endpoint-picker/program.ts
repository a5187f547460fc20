import type { Program } from "../../manager/program.ts";
import type { ImportPickerOptions } from "../../multi-cluster/import-picker/options.ts";
import { contradictions, warnings } from "./contradictions.ts";
import { flags } from "./flags/index.ts";
import { type EndpointPickerOptions, options, type SharedPickerOptions } from "./options.ts";

/** Picks the endpoint of every request of one or several pools, or the cluster of every request of an import. */
export const program: Program<
  typeof flags,
  EndpointPickerOptions | ImportPickerOptions | SharedPickerOptions
> = {
  name: "endpoint-picker",
  title: "the endpoint picker",
  summary: `The endpoint picker of an InferencePool: an ext_proc service that sends each inference request
to the model server that serves it best.`,
  usage: "--pool-name NAME [flags]",
  flags,
  problems: contradictions,
  warnings,
  options,
  async start(options, log) {
    if (options.mode === "import") {
      const { startImportPicker } = await import("../../multi-cluster/import-picker/start.ts");
      return startImportPicker(options, log);
    }
    if (options.mode === "shared") {
      const { startSharedPicker } = await import("./start-shared.ts");
      return startSharedPicker(options, log);
    }
    const [{ startEndpointPicker }, { parts }] = await Promise.all([
      import("./start.ts"),
      import("./parts.ts"),
    ]);
    return startEndpointPicker(options, parts, log);
  },
};
