import { renameSync, writeFileSync } from "node:fs";
import { type Log, stderrLog } from "../../process/log.ts";
import { terminationSignal } from "../../process/termination.ts";
import { type ImportAgentOptions, readAgentOptions } from "../flags/agent-options.ts";
import { clustersFile } from "./clusters-file.ts";
import { openImport } from "./open-import.ts";

const exitCode = { ok: 0, failure: 1, misuse: 2 } as const;

/** Writes the clusters of an import to a file until a signal ends it, and answers with the exit code. */
export async function runImportAgent(args: readonly string[]): Promise<number> {
  const invocation = readAgentOptions(args, process.env);
  if (invocation.kind === "help") {
    process.stdout.write(invocation.text);
    return exitCode.ok;
  }
  if (invocation.kind === "wrong") {
    for (const problem of invocation.problems) process.stderr.write(`${problem}\n`);
    return exitCode.misuse;
  }
  const { options } = invocation;
  const log = stderrLog(options.verbosity);
  const signal = terminationSignal(process, (code) => process.exit(code));
  try {
    const stop = startImportAgent(options, log);
    await signal;
    await stop();
    return exitCode.ok;
  } catch (error) {
    log.error("the import agent failed", error);
    return exitCode.failure;
  }
}

/** Answers what ends it. The file stays: who reads it goes on with what was known last. */
function startImportAgent(
  { import: place, clustersFile: file }: ImportAgentOptions,
  log: Log,
): () => Promise<void> {
  const { source } = openImport(place, log);
  let written: string | undefined;
  let told = "";
  source.start((clusters) => {
    try {
      const { text, problems } = clustersFile(place.namespace, clusters);
      if (problems.join() !== told) for (const problem of problems) log.warn(problem);
      told = problems.join();
      if (text === written) return;
      replaceFile(file, text);
      written = text;
      log.info("clusters written", { file, clusters: clusters.length });
    } catch (error) {
      log.error("clusters not written", error, { file });
    }
  });
  return () => source.stop();
}

/** A reader sees the file before or the file after, never half of one. */
function replaceFile(file: string, text: string): void {
  const next = `${file}.next`;
  writeFileSync(next, text);
  renameSync(next, file);
}
