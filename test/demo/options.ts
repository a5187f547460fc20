import { Command, InvalidArgumentError, Option } from "commander";
import { storyNumbers } from "./story.ts";

export interface DemoOptions {
  story: number;
  /** How many clusters the story runs in. */
  clusters: number;
  /** GPUs of the embedded cluster. Default: as many as the story asks for. */
  gpus?: number;
  keep: boolean;
  /** Context of another cluster's kubeconfig. Default: a cluster of the demo's own. */
  context?: string;
  kubeconfig?: string;
  namespace: string;
}

const examples = `
Examples:
  npm run demo
  npm run demo -- --story 4 --gpus 64 --keep
  npm run demo -- --clusters 3
  npm run demo -- --context kind-test --namespace ml`;

/** Reads the demo's command line; ends the process with 2 on misuse. */
export function readOptions(args: readonly string[]): DemoOptions {
  const command = new Command("npm run demo --")
    .description(
      "Brings up a story of the InferenceService design, shows what it is made of, and destroys it.",
    )
    .addOption(new Option("--story <number>", "which story").choices(storyNumbers).default("2"))
    .option(
      "--gpus <number>",
      "GPUs of the demo's own cluster, 8 a node (default: what the story needs)",
      count,
    )
    .addOption(
      new Option("--clusters <number>", "clusters that the story runs in, each of the demo's own")
        .argParser(clusterCount)
        .default(1)
        .conflicts(["gpus", "keep", "context"]),
    )
    .option("--keep", "leave the stack up until Ctrl-C", false)
    .option(
      "--context <name>",
      "another cluster, in place of the demo's own; its controllers make the pods",
    )
    .option("--kubeconfig <file>", "kubeconfig file of --context")
    .option("-n, --namespace <name>", "namespace; it must exist in another cluster", "default")
    .addHelpText("after", examples)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
  const { story, ...options } = command.parse(args, { from: "user" }).opts();
  return { ...(options as Omit<DemoOptions, "story">), story: Number(story) };
}

function count(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number of GPUs, for example 64.");
}

function clusterCount(text: string): number {
  if (/^[1-5]$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a number of clusters from 1 to 5.");
}
