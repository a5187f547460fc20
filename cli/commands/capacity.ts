import { Command, Option } from "commander";
import type { Action } from "../action.ts";
import type { CapacityCommandOptions } from "../capacity/answer.ts";
import {
  addInputs,
  formatOption,
  inputsOf,
  nodesOption,
  parseCount,
  parseCounts,
  pluginModulesOption,
  webhookPluginUrlsOption,
} from "../options.ts";

export const capacityCommand = (action: Action) =>
  addInputs(new Command("capacity"))
    .summary("show which replicas start on how many GPUs")
    .description(
      "Computes which replicas start on empty nodes, by the rules of the schedulers. Reads a Pulumi program, InferenceServices and other kinds of this project, rendered manifests, and workloads of any author whose pods request accelerators. All of them share the nodes. Nodes of a cluster are compared with each pod's labels, taints and requests. Needs a cluster only for --context.",
    )
    .addOption(
      new Option("--gpus <numbers>", "GPUs of the cluster; each number is one row").argParser(
        parseCounts,
      ),
    )
    .addOption(
      new Option("--gpus-per-node <number>", "GPUs per node; the last node gets the remainder")
        .argParser(parseCount)
        .default(8),
    )
    .addOption(nodesOption("GPUs of each node, if nodes differ").conflicts(["gpus"]))
    .addOption(
      new Option(
        "--context <name>",
        "context of the kubeconfig: uses the nodes of that cluster; each context is one row",
      )
        .argParser((name: string, before: readonly string[] = []) => [...before, name])
        .conflicts(["gpus", "nodes"]),
    )
    .addOption(pluginModulesOption())
    .addOption(webhookPluginUrlsOption())
    .option("-s, --stack <name>", "stack whose configuration a program reads", "dev")
    .option("--kubeconfig <file>", "kubeconfig file (default: KUBECONFIG, else ~/.kube/config)")
    .addOption(
      new Option(
        "--binpack <what>",
        "what Volcano's binpack plugin scores: cpu and memory (stock), or also GPUs (gpu)",
      )
        .choices(["stock", "gpu"])
        .default("stock"),
    )
    .addOption(
      new Option(
        "--require <what>",
        "exit with 1 unless each row starts every replica (full), or enough replicas to serve requests (minimum)",
      ).choices(["full", "minimum"]),
    )
    .addOption(formatOption("table", "json", "yaml"))
    .addHelpText("after", examples)
    .action((paths: string[], options: CapacityCommandOptions, command: Command) => {
      const inputs = inputsOf(command, paths);
      const { gpus, nodes, context } = options;
      if ([gpus, nodes, context].every((given) => given === undefined))
        command.error("error: give --gpus, --nodes or --context");
      return action(async (terminal) =>
        (await import("../capacity/capacity.ts")).printCapacity(inputs, options, terminal),
      );
    });

const examples = `
Full: every replica starts. Partial: some replicas start, and they can serve
requests. Blocked: nothing can be served. Unknown: no node has the labels that
pods require, and an autoscaler may add nodes that have them. Exits with 0 for
all of them, unless --require is set: full accepts Full only, minimum also
accepts Partial. With --context, one cluster that meets --require is enough. A
cluster whose nodes cannot be read does not meet it.

With nodes of a cluster, several accelerator resources are listed each in its
own unit. Pods that already run there are not counted.

Examples:
  npx pulumi-inference capacity -f service.yaml --gpus 80,64,48,32
  npx pulumi-inference capacity . --stack prod --gpus 64 --gpus-per-node 4
  npx pulumi-inference capacity -f service.yaml --gpus 64 --require minimum
  npx pulumi-inference capacity -f service.yaml --nodes 8,8,4,4 --binpack gpu
  kubectl get nodes -o yaml > nodes.yaml
  npx pulumi-inference capacity manifests/ --nodes nodes.yaml
  npx pulumi-inference capacity -f service.yaml --context east --context west`;
