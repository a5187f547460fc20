import { exitCode } from "../exit-code.ts";
import { type PodPluginOptions, readPodPlugins } from "../input/pod-plugins.ts";
import { programFolder } from "../input/program-folder.ts";
import { type Progress, startProgress } from "../output/progress.ts";
import type { Output, Terminal } from "../terminal.ts";
import { checkManifests, readManifestsToCheck } from "./check-manifests.ts";
import { checkProgram, readProgram } from "./check-program.ts";
import { readClusterNodes } from "./cluster-nodes.ts";
import { isClean, type Outcome } from "./outcome.ts";
import { type PolicyPacks, startPolicyPacks } from "./policy-packs.ts";
import { jsonReport } from "./reports/json.ts";
import { junitReport } from "./reports/junit.ts";
import { sarifReport } from "./reports/sarif.ts";
import { textReport } from "./reports/text.ts";

export interface CheckOptions extends PodPluginOptions {
  allowEmpty: boolean;
  pack: string[];
  config?: string;
  stack: string;
  clusterNodes: boolean;
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
  const folder = programFolder(paths, "check");
  if (folder === undefined) {
    const { allowEmpty } = options;
    const podPlugins = await readPodPlugins(options);
    const reading = { allowEmpty, podPlugins, progress };
    const manifests = await readManifestsToCheck(paths, terminal, reading);
    const of = { project: "manifests", stack: "check" };
    return withPacks(options, of, terminal, (packs) => checkManifests(manifests, packs, progress));
  }
  const project = await readProgram(folder, options.stack);
  return withPacks(options, project, terminal, (packs) =>
    checkProgram(project, packs, terminal, progress),
  );
}

async function withPacks(
  { pack, config, clusterNodes, ...cluster }: CheckOptions,
  { project, stack }: { project: string; stack: string },
  { startPack: start }: Terminal,
  run: (packs: PolicyPacks) => Promise<Outcome>,
): Promise<Outcome> {
  const organization = "organization";
  const of = { project, stack, organization, preview: true };
  const parameters = clusterNodes ? { nodes: await readClusterNodes(cluster) } : {};
  await using packs = await startPolicyPacks({ packs: pack, config, parameters, start, ...of });
  return await run(packs);
}
