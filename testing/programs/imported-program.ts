import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type RecordOptions, readProject } from "../../recorder/index.ts";

let runs = 0;

/**
 * The program of a project, evaluated again in this process at each run. A separate process, as a user starts it,
 * spends seconds on loading Pulumi's modules. It is only for tests that need a process.
 */
export function importedProgram(dir: string): Extract<RecordOptions["program"], { run: unknown }> {
  const { directory, entryPoint } = readProject(dir);
  const file = pathToFileURL(join(directory, entryPoint === "." ? "index.ts" : entryPoint));
  return {
    // Its log is part of the diagnostics, as with a process.
    transport: "grpc",
    run: () => {
      runs += 1;
      return import(/* @vite-ignore */ `${file}?run=${runs}`);
    },
  };
}
