import { Command, InvalidArgumentError, Option } from "commander";
import { storyNumbers } from "./story.ts";

export interface DemoOptions {
  /** A story of the InferenceService design. Default: the program of the first minute. */
  story?: number;
  /** Shows only what needs no cluster. */
  quick: boolean;
  /** Number of clusters that the story runs in. */
  clusters: number;
  /** GPUs of the demo's cluster. Default: the GPUs of the story. */
  gpus?: number;
  /** Runs stand-ins instead of the controllers and schedulers. */
  standIns: boolean;
  keep: boolean;
  /** Context of another cluster's kubeconfig. Default: the demo starts a cluster. */
  context?: string;
  kubeconfig?: string;
  namespace: string;
  /** Whether the demo writes to another cluster without asking. */
  yes: boolean;
  /** Folder of a run in another cluster that was not destroyed. */
  destroy?: string;
}

const examples = `
Examples:
  npm run demo
  npm run demo -- --quick
  npm run demo -- --story 4 --gpus 32 --keep
  npm run demo -- --clusters 3
  npm run demo -- --context kind-test --namespace ml`;

/** Reads the demo's command line. Throws a CommanderError after it has printed the help or the problem. */
export function readOptions(
  args: readonly string[],
  print: (text: string) => void = (text) => void process.stderr.write(text),
): DemoOptions {
  const command = new Command("npm run demo --")
    .description(
      "Shows a program, its plan and a request without a cluster, then deploys it on one that it starts.",
    )
    .addOption(
      new Option("--quick", "stop before the cluster, which needs programs built from Go")
        .default(false)
        .conflicts(["story", "gpus", "standIns", "clusters", "keep", "context", "namespace"]),
    )
    .addOption(
      new Option(
        "--story <number>",
        "deploy a story of the InferenceService design instead of the program",
      ).choices(storyNumbers),
    )
    .option("--gpus <number>", "GPUs of the cluster that the demo starts, 8 per node", count)
    .option(
      "--stand-ins",
      "run stand-ins for controllers and schedulers, so that only the API server is built",
      false,
    )
    .addOption(
      new Option(
        "--clusters <number>",
        "deploy story 2, or --story, in several clusters with stand-ins",
      )
        .argParser(clusterCount)
        .default(1)
        .conflicts(["gpus", "keep", "context", "kubeconfig", "namespace"]),
    )
    .option("--keep", "leave the stack up until Ctrl-C, and then destroy it", false)
    .addOption(
      new Option(
        "--context <name>",
        "deploy in another cluster, whose controllers create the pods",
      ).conflicts(["standIns"]),
    )
    .option("--kubeconfig <file>", "kubeconfig file of --context (default: KUBECONFIG)")
    .option("-n, --namespace <name>", "namespace; it must exist in another cluster", "default")
    .option("-y, --yes", "write to the cluster of --context without asking", false)
    .addOption(
      new Option(
        "--destroy <folder>",
        "delete the objects that a run with --context left",
      ).conflicts([
        ...["quick", "story", "gpus", "standIns", "clusters", "keep"],
        ...["context", "kubeconfig", "namespace", "yes"],
      ]),
    )
    .addHelpText("after", examples)
    .configureOutput({ writeErr: print, writeOut: print })
    .exitOverride();
  const { story, ...options } = command.parse(args, { from: "user" }).opts();
  for (const option of ["kubeconfig", "yes"]) {
    if (options[option] && options.context === undefined)
      command.error(`error: --${option} needs --context <name>`);
  }
  return {
    ...(options as DemoOptions),
    ...(story !== undefined && { story: Number(story) }),
  };
}

function count(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number of GPUs from 1, for example 64.");
}

function clusterCount(text: string): number {
  if (/^[1-5]$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a number of clusters from 1 to 5.");
}
