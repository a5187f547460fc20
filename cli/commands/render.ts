import { Command } from "commander";
import type { Action } from "../action.ts";
import { addInputs, formatOption, inputsOf } from "../options.ts";
import type { RenderOptions } from "../render/render.ts";

export const renderCommand = (action: Action) =>
  addInputs(new Command("render"))
    .summary("print the Kubernetes objects of InferenceServices, ModelServings and LLMServerPools")
    .description(
      "Prints the Kubernetes objects that InferenceServices, ModelServings and LLMServerPools are made of, in the order in which they are applied. LLMServices and InferenceModelRewrites are checked, and printed in the spelling of their version; objects of other kinds are printed as they are, in their place.",
    )
    .option("-o, --output <folder>", "write one file an object, NN-kind-name, into a folder")
    .option("--force", "overwrite files in the folder that render did not write", false)
    .option("--plugin-modules <files...>", "modules whose default export is a list of pod plugins")
    .option("--webhook-plugin-urls <urls...>", "URLs that pod plugins of type Webhook may call")
    .option("--show-plugins", "say on stderr what each pod plugin does to which template", false)
    .addOption(formatOption("yaml", "json"))
    .addHelpText("after", examples)
    .action((paths: string[], options: RenderOptions, command: Command) => {
      const inputs = inputsOf(command, paths);
      return action(async (terminal) => {
        const { render } = await import("../render/render.ts");
        return render(inputs, options, terminal);
      });
    });

const examples = `
--format json prints one array of all objects. With -o the folder holds what the
last render wrote: files of an earlier one that are not among them are removed,
files that somebody else wrote or edited are left alone.

Examples:
  pulumi-inference render manifests/
  pulumi-inference render -f service.yaml | kubectl apply --server-side -f -
  pulumi-inference render -f prefill-decode.yaml monolithic.yaml -o manifests
  kubectl get inferenceservices -o yaml | pulumi-inference render -f -`;
