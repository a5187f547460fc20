import { Command, Option } from "commander";
import type { Action } from "../action.ts";
import type { CheckOptions } from "../check/check.ts";
import {
  addInputs,
  formatOption,
  inputsOf,
  nodesOption,
  pluginModulesOption,
  webhookPluginUrlsOption,
} from "../options.ts";

export const checkCommand = (action: Action) =>
  addInputs(new Command("check"))
    .summary("check manifests, or a Pulumi program, with policy packs")
    .description(
      "Checks Kubernetes objects of any author with policy packs, and reports each problem with its fix. InferenceServices and other kinds of this project are validated, and then the objects planned from them are checked. Give the folder of a Pulumi program instead of manifests to check its preview. Needs no login, and a cluster only for --cluster-nodes.",
    )
    .addOption(
      new Option(
        "--pack <pack...>",
        "a pack of this package by its name, or the folder of another pack",
      ).default(["inference"], "inference, which contains all rules"),
    )
    .addOption(
      new Option(
        "--config <file>",
        "a model's config.json, for a model that is not listed by fit, or levels and parameters of policies, as JSON for `pulumi preview --policy-pack-config`; may be repeated",
      ).argParser((file: string, before: readonly string[] = []) => [...before, file]),
    )
    .option("--allow-empty", "exit with 0 instead of 2 if there are no objects", false)
    .addOption(pluginModulesOption())
    .addOption(webhookPluginUrlsOption())
    .option(
      "--cluster-nodes",
      "check capacity against the nodes of a cluster, ignoring accelerators in use",
      false,
    )
    .addOption(
      nodesOption("check capacity against the free GPUs of each node").conflicts([
        "clusterNodes",
        "context",
        "kubeconfig",
      ]),
    )
    .option(
      "--context <name>",
      "context of the cluster for --cluster-nodes (default: the current one)",
    )
    .option(
      "--kubeconfig <file>",
      "kubeconfig of the cluster for --cluster-nodes (default: KUBECONFIG, else ~/.kube/config)",
    )
    .option("-s, --stack <name>", "stack whose configuration the program reads", "dev")
    .addOption(formatOption("text", "json", "sarif", "junit"))
    .addHelpText("after", examples)
    .action((paths: string[], options: CheckOptions, command: Command) => {
      const inputs = inputsOf(command, paths);
      return action(async (terminal) =>
        (await import("../check/check.ts")).check(inputs, options, terminal),
      );
    });

const examples = `
Exits with 1 if a mandatory policy is violated, a spec or a file in a folder is
invalid, or a program fails. Warnings, and checks that need a value that is
unknown before the update, do not change the exit code.

Examples:
  npx pulumi-inference check manifests/
  helm template chart | npx pulumi-inference check - --format sarif > a.sarif
  kustomize build overlay | npx pulumi-inference check - --pack inference-gpu
  npx pulumi-inference check manifests/ --config config.json
  kubectl get nodes -o yaml > nodes.yaml
  npx pulumi-inference check manifests/ --nodes nodes.yaml
  npx pulumi-inference check examples/disaggregated --stack production`;
