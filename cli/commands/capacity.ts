import { Command, Option } from "commander";
import type { Action } from "../action.ts";
import type { CapacityCommandOptions } from "../capacity/answer.ts";
import { addInputs, formatOption, inputsOf, parseCount, parseCounts } from "../options.ts";

export const capacityCommand = (action: Action) =>
  addInputs(new Command("capacity"))
    .summary("say which replicas start on how many GPUs")
    .description(
      "Says which replicas of an InferenceService start on empty nodes, by the rules of the schedulers that place them.",
    )
    .addOption(
      new Option("--gpus <numbers>", "GPUs of the cluster, one row for each number").argParser(
        parseCounts,
      ),
    )
    .addOption(
      new Option("--gpus-per-node <number>", "GPUs of a node; a remainder is one smaller node")
        .argParser(parseCount)
        .default(8),
    )
    .addOption(
      new Option("--nodes <numbers>", "GPUs of each node, for nodes that differ")
        .argParser(parseCounts)
        .conflicts(["gpus"]),
    )
    .addOption(
      new Option(
        "--context <name>",
        "context of the kubeconfig, one row for each: the nodes of this cluster that take pods",
      )
        .argParser((name: string, before: readonly string[] = []) => [...before, name])
        .conflicts(["gpus", "nodes"]),
    )
    .option("--kubeconfig <file>", "kubeconfig file (default: KUBECONFIG, else ~/.kube/config)")
    .addOption(
      new Option(
        "--binpack <what>",
        "what Volcano's binpack plugin scores: cpu and memory, or GPUs too",
      )
        .choices(["stock", "gpu"])
        .default("stock"),
    )
    .addOption(
      new Option(
        "--require <what>",
        "end with 1 where a row is less than that: every replica, or what serves requests",
      ).choices(["full", "minimum"]),
    )
    .addOption(formatOption("table", "json", "yaml"))
    .addHelpText("after", examples)
    .action((paths: string[], options: CapacityCommandOptions, command: Command) => {
      const inputs = inputsOf(command, paths);
      return action(async (terminal) => {
        const { printCapacity } = await import("../capacity/capacity.ts");
        return printCapacity(inputs, options, terminal);
      });
    });

const examples = `
Full: every replica is whole. Partial: some are, and they serve. Blocked:
nothing serves. Ends with 0 for each of them, unless --require says which will
do: full for Full, minimum for Full or Partial. With --context one cluster that
will do is enough, and a cluster whose nodes cannot be read will not.

Examples:
  pulumi-inference capacity -f service.yaml --gpus 80,64,48,32
  pulumi-inference capacity -f service.yaml --gpus 64 --gpus-per-node 4
  pulumi-inference capacity -f service.yaml --gpus 64 --require minimum
  pulumi-inference capacity -f service.yaml --nodes 8,8,4,4 --binpack gpu
  pulumi-inference capacity -f service.yaml --context east --context west`;
