import { statSync } from "node:fs";
import { type Impact, impactOf } from "../../sdk/impact/impact.ts";
import { PreviewError, readPreview } from "../../sdk/impact/preview.ts";
import { exitCode, UsageError } from "../exit-code.ts";
import { runPulumiPreview } from "../input/pulumi-preview.ts";
import { readText } from "../read-text.ts";
import type { Terminal } from "../terminal.ts";
import { impactMarkdown, impactTable } from "./impact-text.ts";

export interface ImpactOptions {
  stack?: string;
  maxRestartedGpus?: number;
  /** False with --no-replace. */
  replace: boolean;
  /** False with --no-delete. */
  delete: boolean;
  format: "table" | "json" | "markdown";
}

/** Prints the effect of an update. Returns 1 if the impact exceeds a limit in the options. */
export async function printImpact(
  path: string,
  options: ImpactOptions,
  terminal: Terminal,
): Promise<number> {
  const impact = read(await previewOf(path, options.stack, terminal), path);
  const exceeded = exceededLimits(impact, options);
  terminal.out.write(formats[options.format](impact, exceeded, terminal));
  for (const limit of exceeded) terminal.err.write(`${limit}\n`);
  return exceeded.length === 0 ? exitCode.ok : exitCode.problems;
}

const formats = {
  table: (impact: Impact, _: readonly string[], { out }: Terminal) => impactTable(impact, out),
  markdown: impactMarkdown,
  json: (impact: Impact, exceeded: readonly string[]) =>
    `${JSON.stringify({ ...impact, exceeded }, null, 2)}\n`,
};

function read(preview: string, path: string): Impact {
  try {
    return impactOf(readPreview(preview));
  } catch (error) {
    if (error instanceof PreviewError) throw new UsageError(`${path}: ${error.message}`);
    throw error;
  }
}

function exceededLimits(
  { restartedGpus, replaced, deleted, hidden }: Impact,
  { maxRestartedGpus, replace, delete: deletes }: ImpactOptions,
): string[] {
  return [
    ...(maxRestartedGpus !== undefined && restartedGpus > maxRestartedGpus
      ? [`${restartedGpus} GPUs restart or stop; --max-restarted-gpus allows ${maxRestartedGpus}`]
      : []),
    ...(maxRestartedGpus !== undefined && hidden.length > 0
      ? [
          `the GPUs of ${hidden.join(", ")} are not known; --max-restarted-gpus allows ${maxRestartedGpus}`,
        ]
      : []),
    ...(!replace && replaced > 0
      ? [`${replaced} objects are replaced; --no-replace allows 0`]
      : []),
    ...(!deletes && deleted > 0 ? [`${deleted} objects are deleted; --no-delete allows 0`] : []),
  ];
}

const instead = "name a file with the output of `pulumi preview --json --show-sames`";

/** Returns the output of `pulumi preview --json`. */
function previewOf(path: string, stack: string | undefined, terminal: Terminal): Promise<string> {
  if (path === "-") return terminal.readStdin();
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? runPulumiPreview(path, stack, instead) : readText(path);
}
