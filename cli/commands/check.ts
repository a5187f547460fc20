import { Command, Option } from "commander";
import type { Action } from "../action.ts";
import type { CheckOptions } from "../check/check.ts";
import { addInputs, formatOption, inputsOf } from "../options.ts";

export const checkCommand = (action: Action) =>
  addInputs(new Command("check"))
    .summary("check manifests, or a Pulumi program, with policy packs")
    .description(
      "Checks Kubernetes objects of any author with policy packs, and says what is wrong and how to fix it. InferenceServices and the other kinds of this project are checked, and then what they are made of. Instead of manifests, the folder of one Pulumi program may be named. Needs no login, and no cluster but for --cluster-nodes.",
    )
    .addOption(
      new Option("--pack <pack...>", "packs of this package by name, others by folder").default(
        ["inference"],
        "inference, which holds all rules",
      ),
    )
    .option(
      "--config <file>",
      "levels and parameters of policies, JSON as `pulumi preview --policy-pack-config` takes it",
    )
    .option("--allow-empty", "end with 0 where no object is there, instead of with 2", false)
    .option("--plugin-modules <files...>", "modules whose default export is a list of pod plugins")
    .option("--webhook-plugin-urls <urls...>", "URLs that pod plugins of type Webhook may call")
    .option(
      "--cluster-nodes",
      "check capacity against the nodes of a cluster, as if no accelerator were in use",
      false,
    )
    .option("--context <name>", "context of that cluster (default: the current one)")
    .option("--kubeconfig <file>", "its kubeconfig (default: KUBECONFIG, else ~/.kube/config)")
    .option("-s, --stack <name>", "stack whose configuration a program gets", "dev")
    .addOption(formatOption("text", "json", "sarif", "junit"))
    .addHelpText("after", examples)
    .action((paths: string[], options: CheckOptions, command: Command) => {
      const inputs = inputsOf(command, paths);
      return action(async (terminal) => {
        const { check } = await import("../check/check.ts");
        return check(inputs, options, terminal);
      });
    });

const examples = `
Ends with 1 where a mandatory policy is violated, a spec is wrong, or a program
fails. Warnings, and what cannot be known before an update, end with 0.

Examples:
  pulumi-inference check manifests/
  helm template chart | pulumi-inference check - --format sarif > results.sarif
  kustomize build overlay | pulumi-inference check - --pack inference-gpu
  pulumi-inference check examples/disaggregated --stack production`;
