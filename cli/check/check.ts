import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { isMap } from "../../kubernetes/values/records.ts";
import type { ClusterNode } from "../../sdk/placement/cluster-node.ts";
import { inferenceServiceKind } from "../../sdk/spec/inference-service-manifest.ts";
import { exitCode, type LocatedProblem, UsageError } from "../exit-code.ts";
import { type InputDocument, readInput } from "../input/input.ts";
import { readNodeList } from "../input/node-list.ts";
import { type PodPluginOptions, readPodPlugins } from "../input/pod-plugins.ts";
import { previewResources, readProgram } from "../input/program.ts";
import { type Progress, startProgress } from "../output/progress.ts";
import type { Output, Terminal } from "../terminal.ts";
import { checkManifests, manifestsToCheck } from "./check-manifests.ts";
import { checkProgram, checkResources } from "./check-program.ts";
import { asIfEmpty, readClusterNodes } from "./cluster-nodes.ts";
import { type ConfigFiles, modelsByName, readConfigFiles } from "./config-files.ts";
import { isClean, type Outcome } from "./outcome.ts";
import { type PolicyPacks, startPolicyPacks } from "./policy-packs.ts";
import { jsonReport } from "./reports/json.ts";
import { junitReport } from "./reports/junit.ts";
import { sarifReport } from "./reports/sarif.ts";
import { textReport } from "./reports/text.ts";

export interface CheckOptions extends PodPluginOptions {
  allowEmpty: boolean;
  pack: string[];
  /** Configuration of policies, and the config.json of models. */
  config?: string[];
  stack: string;
  clusterNodes: boolean;
  /** Free accelerators of each node, or a file of Node objects. */
  nodes?: number[] | string;
  context?: string;
  kubeconfig?: string;
  format: keyof typeof reports;
}

const reports = {
  text: textReport,
  json: jsonReport,
  sarif: sarifReport,
  junit: junitReport,
} satisfies Record<string, (outcome: Outcome, output: Pick<Output, "colour">) => string>;

export async function check(
  paths: readonly string[],
  options: CheckOptions,
  terminal: Terminal,
): Promise<number> {
  const outcome = await checkedWithProgress(paths, options, terminal);
  terminal.out.write(reports[options.format](outcome, terminal.out));
  return isClean(outcome) ? exitCode.ok : exitCode.problems;
}

async function checkedWithProgress(
  paths: readonly string[],
  options: CheckOptions,
  terminal: Terminal,
): Promise<Outcome> {
  using progress = startProgress(terminal, { isForMachines: options.format !== "text" });
  return await checked(paths, options, progress);
}

async function checked(
  paths: readonly string[],
  options: CheckOptions,
  progress: Progress<Terminal>,
): Promise<Outcome> {
  const { terminal } = progress;
  const { allowEmpty, stack } = options;
  const files = await readConfigFiles(options.config, terminal);
  const broken: LocatedProblem[] = [];
  const onBroken = (problem: LocatedProblem) => void broken.push(problem);
  const input = await readInput(paths, { verb: "check", stack, allowEmpty, onBroken }, terminal);
  if (input.program === undefined) {
    const podPlugins = await readPodPlugins(options);
    const manifests = manifestsToCheck(input.documents, broken, { podPlugins, progress });
    const of = { project: "manifests", stack: "check" };
    const templated = templatedServices(input.documents);
    const objects = manifests.objects.map(({ object }) => object);
    const known = { ...options, files, objects, templated };
    return withPacks(known, of, terminal, (packs) => checkManifests(manifests, packs, progress));
  }
  if (!input.program.isLocal) {
    const resources = await previewResources(input.program, terminal);
    const of = { project: "program", stack };
    const known = { ...options, files, objects: resources.map(({ properties }) => properties) };
    return withPacks(known, of, terminal, (packs) => checkResources(resources, packs, progress));
  }
  const project = await readProgram(input.program.folder, stack);
  return withPacks({ ...options, files }, project, terminal, (packs) =>
    checkProgram(project, packs, terminal, progress),
  );
}

async function withPacks(
  {
    pack,
    files: { policies: config, models },
    objects,
    templated = [],
    ...cluster
  }: CheckOptions & {
    files: ConfigFiles;
    objects?: readonly unknown[];
    templated?: readonly string[];
  },
  { project, stack }: { project: string; stack: string },
  terminal: Terminal,
  run: (packs: PolicyPacks) => Promise<Outcome>,
): Promise<Outcome> {
  const organization = "organization";
  const of = { project, stack, organization, preview: true };
  const nodes = await nodesOf(cluster, objects, terminal);
  const parameters = {
    ...(models.length > 0 && { models: modelsByName(models, objects) }),
    ...(templated.length > 0 && { templated }),
    ...(nodes && { nodes }),
  };
  const { startPack: start } = terminal;
  await using packs = await startPolicyPacks({ packs: pack, config, parameters, start, ...of });
  return await run(packs);
}

/**
 * Returns the nodes for the rules on capacity; undefined if no option names nodes.
 *
 * @throws UsageError for nodes in the input, because rules would ignore them
 */
async function nodesOf(
  {
    clusterNodes,
    nodes,
    ...cluster
  }: Pick<CheckOptions, "clusterNodes" | "nodes" | "context" | "kubeconfig">,
  objects: readonly unknown[] = [],
  terminal: Terminal,
): Promise<number[] | ClusterNode[] | undefined> {
  if (nodes !== undefined && typeof nodes !== "string") return nodes;
  if (nodes === undefined && !clusterNodes) return undefined;
  if (objects.some(isNode))
    throw new UsageError(
      "the input contains Nodes; allowed: workloads and other objects. Name the file of the nodes with --nodes, which excludes --cluster-nodes",
    );
  const known =
    nodes === undefined ? await readClusterNodes(cluster) : await readNodeList(nodes, terminal);
  terminal.err.write(asIfEmpty);
  return known;
}

const isNode = (object: unknown): boolean =>
  isMap(object) && object.apiVersion === "v1" && object.kind === "Node";

/** Returns the InferenceServices of documents without a model, as NAMESPACE/NAME. */
const templatedServices = (documents: readonly InputDocument[]): string[] =>
  documents.flatMap(({ isPlanned, value }) => {
    const { kind, metadata, spec } = value as Manifest;
    if (!isPlanned || kind !== inferenceServiceKind.kind || Object(spec).model !== undefined)
      return [];
    return [`${metadata?.namespace ?? "default"}/${metadata?.name}`];
  });
