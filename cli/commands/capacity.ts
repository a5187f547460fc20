import { Command, Option } from "commander";
import type { Action } from "../action.ts";
import type { CapacityCommandOptions } from "../capacity/answer.ts";
import { addInputs, formatOption, inputsOf, parseCount, parseCounts } from "../options.ts";

export const capacityCommand = (action: Action) =>
  addInputs(new Command("capacity"))
    .summary("show which replicas start on how many GPUs")
    .description(
      "Computes which replicas of an InferenceService start on empty nodes, by the rules of the schedulers.",
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
    .addOption(
      new Option("--nodes <numbers>", "GPUs of each node, if nodes differ")
        .argParser(parseCounts)
        .conflicts(["gpus"]),
    )
    .addOption(
      new Option(
        "--context <name>",
        "context of the kubeconfig: uses the schedulable nodes of that cluster; each context is one row",
      )
        .argParser((name: string, before: readonly string[] = []) => [...before, name])
        .conflicts(["gpus", "nodes"]),
    )
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
        "exit with 1 if any row has less: every replica (full), or enough to serve requests (minimum)",
      ).choices(["full", "minimum"]),
    )
    .addOption(formatOption("table", "json", "yaml"))
    .addHelpText("after", examples)
    .action((paths: string[], options: CapacityCommandOptions, command: Command) => {
      const inputs = inputsOf(command, paths);
      const { gpus, nodes, context } = options;
      if ([gpus, nodes, context].every((given) => given === undefined))
        command.error("error: give --gpus, --nodes or --context");
      return action(async (terminal) => {
        const { printCapacity } = await import("../capacity/capacity.ts");
        return printCapacity(inputs, options, terminal);
      });
    });

const examples = `
Full: every replica starts. Partial: some replicas start, and they can serve
requests. Blocked: nothing can be served. Exits with 0 for all three, unless
--require is set: full accepts Full only, minimum also accepts Partial. With
--context, one cluster that meets --require is enough. A cluster whose nodes
cannot be read does not meet it.

Examples:
  npx pulumi-inference capacity -f service.yaml --gpus 80,64,48,32
  npx pulumi-inference capacity -f service.yaml --gpus 64 --gpus-per-node 4
  npx pulumi-inference capacity -f service.yaml --gpus 64 --require minimum
  npx pulumi-inference capacity -f service.yaml --nodes 8,8,4,4 --binpack gpu
  npx pulumi-inference capacity -f service.yaml --context east --context west`;
