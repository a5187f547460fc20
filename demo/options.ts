import { Command, InvalidArgumentError, Option } from "commander";
import { storyNumbers } from "./story.ts";

export interface DemoOptions {
  story: number;
  /** How many clusters the story runs in. */
  clusters: number;
  /** GPUs of the demo's own cluster. Default: as many as the story asks for. */
  gpus?: number;
  /** Plays controllers and schedulers, in place of running them. */
  standIns: boolean;
  keep: boolean;
  /** Context of another cluster's kubeconfig. Default: a cluster of the demo's own. */
  context?: string;
  kubeconfig?: string;
  namespace: string;
  /** Whether another cluster may be written to without a question. */
  yes: boolean;
  /** Folder that a run in another cluster kept. */
  destroy?: string;
}

const examples = `
Examples:
  npm run demo
  npm run demo -- --stand-ins
  npm run demo -- --story 4 --gpus 32 --keep
  npm run demo -- --clusters 3
  npm run demo -- --context kind-test --namespace ml`;

/** Reads the demo's command line; throws a CommanderError once help or what is wrong was printed. */
export function readOptions(
  args: readonly string[],
  print: (text: string) => void = (text) => void process.stderr.write(text),
): DemoOptions {
  const command = new Command("npm run demo --")
    .description(
      "Brings up a story of the InferenceService design, shows what it is made of, and destroys it.",
    )
    .addOption(new Option("--story <number>", "which story").choices(storyNumbers).default("2"))
    .option(
      "--gpus <number>",
      "GPUs of the demo's own cluster, 8 per node (default: what the story needs)",
      count,
    )
    .option(
      "--stand-ins",
      "the quick way: plays controllers and schedulers in place of running them",
      false,
    )
    .addOption(
      new Option(
        "--clusters <number>",
        "clusters of the demo's own that the story runs in; more than one have stand-ins",
      )
        .argParser(clusterCount)
        .default(1)
        .conflicts(["gpus", "keep", "context", "kubeconfig", "namespace"]),
    )
    .option("--keep", "leave the stack up until Ctrl-C, and then destroy it", false)
    .addOption(
      new Option(
        "--context <name>",
        "another cluster, in place of the demo's own; its controllers make the pods",
      ).conflicts(["standIns"]),
    )
    .option("--kubeconfig <file>", "kubeconfig file of --context (default: KUBECONFIG)")
    .option("-n, --namespace <name>", "namespace; it must exist in another cluster", "default")
    .option("-y, --yes", "write to the cluster of --context without a question", false)
    .addOption(
      new Option("--destroy <folder>", "delete what a run with --context left").conflicts([
        ...["story", "gpus", "standIns", "clusters", "keep"],
        ...["context", "kubeconfig", "namespace", "yes"],
      ]),
    )
    .addHelpText("after", examples)
    .configureOutput({ writeErr: print, writeOut: print })
    .exitOverride();
  const { story, ...options } = command.parse(args, { from: "user" }).opts();
  for (const option of ["kubeconfig", "yes"]) {
    if (options[option] && options.context === undefined)
      command.error(`error: --${option} is for --context <name>, which is missing`);
  }
  return { ...(options as Omit<DemoOptions, "story">), story: Number(story) };
}

function count(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number of GPUs from 1, for example 64.");
}

function clusterCount(text: string): number {
  if (/^[1-5]$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a number of clusters from 1 to 5.");
}
