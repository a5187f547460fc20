import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { text } from "node:stream/consumers";
import { type Impact, impactOf } from "../../sdk/impact/impact.ts";
import { PreviewError, readPreview } from "../../sdk/impact/preview.ts";
import { exitCode, UsageError } from "../exit-code.ts";
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

/** Prints the effect of an update. Returns 1 if it is beyond a limit of the options. */
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
  { restartedGpus, replaced, deleted }: Impact,
  { maxRestartedGpus, replace, delete: deletes }: ImpactOptions,
): string[] {
  return [
    ...(maxRestartedGpus !== undefined && restartedGpus > maxRestartedGpus
      ? [`${restartedGpus} GPUs restart or stop; --max-restarted-gpus allows ${maxRestartedGpus}`]
      : []),
    ...(!replace && replaced > 0
      ? [`${replaced} objects are replaced; --no-replace allows 0`]
      : []),
    ...(!deletes && deleted > 0 ? [`${deleted} objects are deleted; --no-delete allows 0`] : []),
  ];
}

/** Returns the output of `pulumi preview --json`. */
function previewOf(path: string, stack: string | undefined, terminal: Terminal): Promise<string> {
  if (path === "-") return terminal.readStdin();
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? runPreview(path, stack) : readText(path);
}

async function runPreview(folder: string, stack: string | undefined): Promise<string> {
  const args = ["preview", "--json", "--show-sames", "--non-interactive"];
  const cli = spawn("pulumi", [...args, ...(stack === undefined ? [] : ["--stack", stack])], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) =>
    cli.once("error", reject).once("close", (...end) => resolve(end)),
  );
  const [output, errors, [code, signal]] = await Promise.all([
    text(cli.stdout),
    text(cli.stderr),
    ended,
  ]).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    throw new UsageError(
      `${folder}: the Pulumi CLI is not on PATH; install it, or name a file with the output of \`pulumi preview --json --show-sames\``,
    );
  });
  if (code !== 0) {
    // A failed preview prints its diagnostics as JSON, too.
    if (output.trim() !== "") read(output, folder);
    throw new UsageError(
      `${folder}: pulumi preview failed with ${signal ?? `exit code ${code}`}: ${errors.trim()}`,
    );
  }
  return output;
}
