import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { formatProblem, type Problem } from "../../sdk/errors.ts";
import { planDocument } from "../../sdk/plan/document.ts";
import { unpublishedImage } from "../../sdk/plan/picker/unpublished-image.ts";
import { withoutScaledReplicas } from "../../sdk/plan/workloads/autoscalers.ts";
import { formatPluginReports } from "../../sdk/plan/workloads/plugin-report.ts";
import type { PluginReport } from "../../sdk/plan/workloads/pod-plugins.ts";
import { exitCode, type LocatedProblem, UsageError, ValidationError } from "../exit-code.ts";
import { readAll } from "../input/documents.ts";
import { asWritten, type InputDocument, readInput } from "../input/input.ts";
import { type PodPluginOptions, readPodPlugins } from "../input/pod-plugins.ts";
import { type Program, previewOf } from "../input/program.ts";
import { type Progress, startProgress } from "../output/progress.ts";
import { formatYaml, formatYamlStream } from "../output/yaml.ts";
import type { Terminal } from "../terminal.ts";
import { nameProblems } from "./name-problems.ts";
import { renderPreview } from "./render-program.ts";
import { writeFolder } from "./write-folder.ts";

export interface RenderOptions extends PodPluginOptions {
  output?: string;
  force: boolean;
  format: "yaml" | "json";
  showPlugins: boolean;
  /** Whether the folder gets a kustomization.yaml. */
  kustomization: boolean;
  /** Stack whose configuration a program reads. */
  stack: string;
}

/**
 * Prints the objects of a program, or the planned objects of all documents, or writes them into a folder. Objects of
 * other kinds are printed unchanged at their position.
 */
export async function render(
  paths: readonly string[],
  options: RenderOptions,
  shown: Terminal,
): Promise<number> {
  using progress = startProgress(shown, { isForMachines: options.format === "json" });
  const { terminal } = progress;
  if (options.kustomization && options.output === undefined)
    throw new UsageError("--kustomization writes a file; add -o FOLDER");
  const manifests = await renderedManifests(paths, options, progress);
  progress.end();
  if (options.output === undefined) {
    terminal.out.write(streams[options.format](manifests));
  } else {
    await writeFolder(options.output, filesOf(manifests, options), options);
  }
  return exitCode.ok;
}

/** Returns the objects of a program, or the planned objects of documents, in the order of applying. */
export async function renderedManifests(
  paths: readonly string[],
  options: Pick<RenderOptions, "stack" | "showPlugins" | keyof PodPluginOptions>,
  progress: Progress<Terminal>,
): Promise<readonly Manifest[]> {
  const { terminal } = progress;
  const broken: LocatedProblem[] = [];
  const onBroken = (problem: LocatedProblem) => void broken.push(problem);
  const input = await readInput(
    paths,
    { verb: "render", stack: options.stack, onBroken },
    terminal,
  );
  return input.program === undefined
    ? renderDocuments(input.documents, broken, options, progress)
    : renderFolder(input.program, terminal);
}

/** Returns the objects of a program. */
async function renderFolder(program: Program, terminal: Terminal): Promise<readonly Manifest[]> {
  const { manifests, omitted } = renderPreview(await previewOf(program, terminal), terminal);
  if (omitted.size > 0) {
    const list = [...omitted].map(([type, count]) => `${type} (${count})`).join(", ");
    terminal.err.write(
      `warning: not rendered, because Kubernetes does not serve these types: ${list}\n`,
    );
  }
  return withoutScaledReplicas(manifests);
}

/** Returns the planned objects of documents. */
async function renderDocuments(
  documents: readonly InputDocument[],
  broken: readonly LocatedProblem[],
  options: Pick<RenderOptions, "showPlugins" | keyof PodPluginOptions>,
  progress: Progress<Terminal>,
): Promise<readonly Manifest[]> {
  const { terminal } = progress;
  const podPlugins = await readPodPlugins(options);
  const reports: PluginReport[] = [];
  const onPluginApplied = (report: PluginReport) => void reports.push(report);
  let done = 0;
  const read = ({ file, lineOf, value, isPlanned }: InputDocument) => {
    progress.at("Documents planned", done, documents.length);
    done += 1;
    const location = `${file}:${lineOf(["metadata", "name"])}`;
    const onAdvice = (advice: Problem) =>
      void terminal.err.write(`warning: ${location}: ${formatProblem(advice)}\n`);
    const reported = { podPlugins, onPluginApplied, onAdvice };
    return {
      location,
      own: isPlanned ? planDocument(value, reported) : undefined,
      value,
    };
  };
  const planned = readAll(documents, read, broken);
  const problems = nameProblems(
    planned.flatMap(({ location, own }) => (own === undefined ? [] : [{ location, ...own }])),
  );
  if (problems.length > 0) throw new ValidationError(problems);

  if (options.showPlugins) {
    for (const text of formatPluginReports(reports)) terminal.err.write(`${text}\n`);
  }
  const warning = unpublishedImage(planned.flatMap(({ own }) => own?.manifests ?? []));
  if (warning !== undefined) terminal.err.write(`warning: ${warning}\n`);
  return planned.flatMap(({ own, value }) =>
    own === undefined
      ? [value as Manifest]
      : withoutScaledReplicas(asWritten(value, own.manifests)),
  );
}

const formatJson = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

const streams = { yaml: formatYamlStream, json: formatJson };

const singles = { yaml: formatYaml, json: formatJson };

/** Returns file contents by name; the number at the start of a name keeps the order of applying. */
export function filesOf(
  manifests: readonly Manifest[],
  { format, kustomization }: Pick<RenderOptions, "format" | "kustomization">,
): Map<string, string> {
  const digits = Math.max(2, String(manifests.length).length);
  const files = new Map(
    manifests.map((manifest, at) => {
      const number = String(at + 1).padStart(digits, "0");
      const name = `${number}-${manifest.kind.toLowerCase()}-${nameOfManifest(manifest)}.${format}`;
      return [name, singles[format](manifest)];
    }),
  );
  if (!kustomization) return files;
  return new Map([
    ...files,
    ["kustomization.yaml", formatYaml(kustomizationOf([...files.keys()]))],
  ]);
}

/** Kustomize keeps the order of the resources. */
const kustomizationOf = (resources: readonly string[]) => ({
  apiVersion: "kustomize.config.k8s.io/v1beta1",
  kind: "Kustomization",
  sortOptions: { order: "fifo" },
  resources,
});

/**
 * Returns a name for the file of an object. Objects of other kinds may have any name or no name, so characters that
 * could lead outside the folder are replaced.
 */
const nameOfManifest = ({ metadata }: Partial<Manifest>): string =>
  String(metadata?.name ?? "unnamed").replaceAll(/[^\w.-]/g, "-");
