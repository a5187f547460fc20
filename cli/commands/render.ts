import { Command } from "commander";
import type { Action } from "../action.ts";
import {
  addInputs,
  formatOption,
  inputsOf,
  pluginModulesOption,
  webhookPluginUrlsOption,
} from "../options.ts";
import type { RenderOptions } from "../render/render.ts";

export const renderCommand = (action: Action) =>
  addInputs(new Command("render"))
    .summary("print the Kubernetes objects of services and pools, or of a Pulumi program")
    .description(
      "Prints the Kubernetes objects planned from InferenceServices, ModelServings and LLMServerPools, in the order in which to apply them. Validates LLMServices and InferenceModelRewrites, and prints them in the form of their API version. Prints objects of other kinds unchanged. Give the folder of a Pulumi program instead of manifests to print all Kubernetes objects of its preview. Needs no login and no cluster.",
    )
    .option("-o, --output <folder>", "write one file per object, NN-kind-name, into a folder")
    .option("--force", "overwrite files in the folder that render did not write", false)
    .option("--kustomization", "also write kustomization.yaml into that folder", false)
    .option("-s, --stack <name>", "stack whose configuration the program reads", "dev")
    .addOption(pluginModulesOption())
    .addOption(webhookPluginUrlsOption())
    .option(
      "--show-plugins",
      "print on stderr which template each pod plugin changes, and how",
      false,
    )
    .addOption(formatOption("yaml", "json"))
    .addHelpText("after", examples)
    .action((paths: string[], options: RenderOptions, command: Command) => {
      const inputs = inputsOf(command, paths);
      return action(async (terminal) =>
        (await import("../render/render.ts")).render(inputs, options, terminal),
      );
    });

const examples = `
--format json prints one array of all objects. -o also deletes the files of
earlier renders that are not written again. It keeps edited files and files that
render did not write. Exits with 1, and renders nothing, if any document or any
file of a folder is invalid; all problems are printed. A program must not
contain secrets, random names or values that only a deployment knows.

Examples:
  npx pulumi-inference render manifests/
  npx pulumi-inference render -f service.yaml | kubectl apply --server-side -f -
  npx pulumi-inference render -f prefill.yaml monolithic.yaml -o manifests
  npx pulumi-inference render . -s prod -o manifests --kustomization
  kubectl get inferenceservices -o yaml | npx pulumi-inference render -f -`;
