import { controllerPrograms } from "../testing/controllers/start.ts";
import { findBinaries, findPrograms } from "../testing/processes/binaries.ts";
import { table } from "./table.ts";

/** The Go programs of the demo's cluster, built in the background unless they are cached. */
export interface Builds {
  /** The latest line of progress. Undefined if nothing was built so far. */
  progress(): string | undefined;
  /** Prints further progress on stderr until all programs are built. */
  finish(): Promise<void>;
}

/** @param standIns whether stand-ins replace the controllers, so that only etcd and the API server are built */
export function startBuilds(standIns: boolean): Builds {
  let last: string | undefined;
  let ended = false;
  let show = (line: string) => {
    last = line;
  };
  const options = { report: (line: string) => show(line) };
  const build = async () => {
    await findBinaries(options);
    if (!standIns) await findPrograms(controllerPrograms, options);
  };
  const built = build();
  // `finish` reports a failure.
  built
    .catch(() => {})
    .finally(() => {
      ended = true;
    });
  return {
    progress: () => last,
    async finish() {
      if (!ended && last !== undefined)
        console.error("\nThe cluster needs programs that are built from Go, once on each machine:");
      show = (line) => console.error(table([[line.trim()]]));
      await built;
    },
  };
}
