import { renameSync, writeFileSync } from "node:fs";
import { openImport } from "../../endpoint-picker/imports/open-import.ts";
import type { Log } from "../../manager/log.ts";
import { runProgram } from "../../manager/program.ts";
import { clustersFile } from "./clusters-file.ts";
import { type AgentInvocation, type ImportAgentOptions, readAgentOptions } from "./flags.ts";

/** Writes the clusters of an import to a file until a signal ends it, and answers with the exit code. */
export const runImportAgent = (args: readonly string[]): Promise<number> =>
  runProgram<Extract<AgentInvocation, { kind: "run" }>>(
    {
      title: "the import agent",
      read: readAgentOptions,
      verbosity: ({ options }) => options.verbosity,
      start: async ({ options }, log) => startImportAgent(options, log),
    },
    args,
  );

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
