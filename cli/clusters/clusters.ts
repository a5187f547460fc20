import type { ClustersPage } from "../../sdk/multi-cluster/clusters-page.ts";
import { exitCode } from "../exit-code.ts";
import type { ReadingOptions } from "../options.ts";
import { formatReading } from "../output/print.ts";
import type { Terminal } from "../terminal.ts";
import { askByHub, askByUrl, tokenVariable } from "./ask-controller.ts";
import { clustersTable } from "./clusters-table.ts";

export interface ClustersOptions extends ReadingOptions {
  url?: string;
}

/** Prints what the controller of a cluster set tells of it. */
export async function clusters(options: ClustersOptions, { out }: Terminal): Promise<number> {
  const page = await (options.url === undefined
    ? askByHub(options)
    : askByUrl(options.url, process.env[tokenVariable]));
  out.write(formatReading(options.format, page, () => clustersTable(page, out)));
  return isWell(page) ? exitCode.ok : exitCode.problems;
}

/** Every member is followed, and every export is where it should be. */
const isWell = ({ members }: ClustersPage): boolean =>
  members.every(
    ({ state, exports }) => state === "current" && exports.every(({ exported }) => exported),
  );
