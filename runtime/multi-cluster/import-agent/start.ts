import { renameSync, writeFileSync } from "node:fs";
import type { Log } from "../../manager/log.ts";
import type { Stoppable } from "../../manager/program.ts";
import { type ImportLocation, openImport } from "../imports/open-import.ts";
import { clustersFile } from "./clusters-file.ts";

export interface ImportAgentOptions {
  readonly location: ImportLocation;
  readonly clustersFile: string;
}

/**
 * Writes the clusters of an import to a file. The file stays when the agent stops, so that its readers keep the last
 * clusters.
 */
export function startImportAgent(
  { location, clustersFile: file }: ImportAgentOptions,
  log: Log,
): Stoppable {
  const { source, client } = openImport(location, log);
  let written: string | undefined;
  let reported = "";
  source.start((clusters) => {
    try {
      const { text, problems } = clustersFile(location.namespace, clusters);
      if (problems.join() !== reported) for (const problem of problems) log.warn(problem);
      reported = problems.join();
      if (text === written) return;
      replaceFile(file, text);
      written = text;
      log.info("clusters written", { file, clusters: clusters.length });
    } catch (error) {
      log.error("clusters not written", error, { file });
    }
  });
  return {
    async stop() {
      await source.stop();
      client?.close();
    },
  };
}

/** Replaces the file atomically, so that readers never see half of it. */
function replaceFile(file: string, text: string): void {
  const next = `${file}.next`;
  writeFileSync(next, text);
  renameSync(next, file);
}
