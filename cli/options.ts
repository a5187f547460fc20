import { type Command, InvalidArgumentError, Option } from "commander";
import { type ReadingFormat, readingFormats } from "./output/print.ts";

/** Options that several commands share, with the same names and meanings. */

/** Adds the manifests to read: as arguments, or with `-f` as in kubectl. */
export const addInputs = (command: Command): Command =>
  command
    .argument("[path...]", "files, folders of YAML and JSON files, or - for standard input")
    .option("-f, --file <path...>", "the same as [path...]");

/** @throws CommanderError if the command has no input */
export function inputsOf(command: Command, paths: readonly string[]): string[] {
  const named = [...paths, ...(command.opts<{ file?: string[] }>().file ?? [])];
  if (named.length === 0)
    command.error("error: no input; name files, folders, or - for standard input");
  return named;
}

export interface ClusterOptions {
  context?: string;
  kubeconfig?: string;
  namespace?: string;
}

/** Options of every command that reads a cluster. */
export interface ReadingOptions extends ClusterOptions {
  format: ReadingFormat;
}

/**
 * Adds the options that select the cluster, as in kubectl, and the output format.
 *
 * @param of text for the objects in the namespace, in the help
 */
export function addReadingOptions(command: Command, of = "the services"): Command {
  return command
    .option("--context <name>", "context of the kubeconfig (default: the current one)")
    .option("--kubeconfig <file>", "kubeconfig file (default: KUBECONFIG, else ~/.kube/config)")
    .option("-n, --namespace <name>", `namespace of ${of} (default: namespace of the context)`)
    .addOption(formatOption(...readingFormats));
}

export const formatOption = (...formats: [string, ...string[]]) =>
  new Option("--format <format>", "output format").choices(formats).default(formats[0]);

export const pluginModulesOption = () =>
  new Option(
    "--plugin-modules <files...>",
    "modules whose default export is a list of pod plugins",
  );

export const plainHttpOption = () =>
  new Option(
    "--plain-http <registries...>",
    "registries to call without TLS; registries on localhost always are",
  );

export const realmOption = () =>
  new Option(
    "--realm <hosts...>",
    "hosts that may get the login of a registry on another host, to issue its tokens; Docker Hub's and GitLab's may",
  );

export const webhookPluginUrlsOption = () =>
  new Option("--webhook-plugin-urls <urls...>", "URLs that pod plugins of type Webhook may call");

/** @param numbers what the numbers are, in the help */
export const nodesOption = (numbers: string) =>
  new Option(
    "--nodes <numbers or file>",
    `${numbers}; or a file with the output of \`kubectl get nodes -o yaml\``,
  ).argParser(parseNodes);

/** `8,8,4`: accelerators of each node; everything else is a file. A repeated option adds to the numbers before it. */
function parseNodes(text: string, before?: readonly number[] | string): number[] | string {
  const isNumbers = /^[\d,\s-]*$/.test(text) && text !== "-";
  if (isNumbers && typeof before !== "string") return parseCounts(text, before);
  if (before === undefined) return text;
  throw new InvalidArgumentError("Give numbers, or one file.");
}

/** Parses `a,b`. A repeated option adds to the names before it. */
export const parseNames = (text: string, before: readonly string[] = []): string[] => [
  ...before,
  ...text.split(",").map((name) => name.trim()),
];

/** Parses `80,64,48`. A repeated option adds to the numbers before it. */
export function parseCounts(text: string, before: readonly number[] = []): number[] {
  return [...before, ...text.split(",").map((each) => parseCount(each))];
}

export const parseCount = countUpTo(1_000_000);

/** Returns a parser of whole numbers up to a limit. */
export function countUpTo(most: number, least = 1) {
  return (text: string): number => {
    const count = Number(text);
    if (/^\s*\d+\s*$/.test(text) && count >= least && count <= most) return count;
    throw new InvalidArgumentError(
      `${JSON.stringify(text)} is not a whole number from ${least} to ${most}.`,
    );
  };
}
