import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type RecordOptions, readProject } from "../../recorder/index.ts";

let runs = 0;

/**
 * The program of a project, evaluated anew in this process at each run. A process of its own, as users have it, spends
 * seconds on Pulumi's modules: it is for tests of what only a process can show.
 */
export function importedProgram(dir: string): Extract<RecordOptions["program"], { run: unknown }> {
  const { directory, entryPoint } = readProject(dir);
  const file = pathToFileURL(join(directory, entryPoint === "." ? "index.ts" : entryPoint));
  return {
    // What it logs is among the diagnostics, as with a process.
    transport: "grpc",
    run: () => {
      runs += 1;
      return import(/* @vite-ignore */ `${file}?run=${runs}`);
    },
  };
}
