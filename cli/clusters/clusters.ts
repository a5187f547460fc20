import type { ClustersPage } from "../../sdk/multi-cluster/clusters-page.ts";
import { exitCode } from "../exit-code.ts";
import type { ClusterOptions } from "../options.ts";
import type { Terminal } from "../terminal.ts";
import { askByHub, askByUrl } from "./ask-controller.ts";
import { clustersTable } from "./clusters-table.ts";

export interface ClustersOptions extends ClusterOptions {
  url?: string;
  format: "table" | "json";
}

/** Prints what the controller of a cluster set tells of it. */
export async function clusters(options: ClustersOptions, { out }: Terminal): Promise<number> {
  const page = await (options.url === undefined ? askByHub(options) : askByUrl(options.url));
  out.write(
    options.format === "json" ? `${JSON.stringify(page, null, 2)}\n` : clustersTable(page, out),
  );
  return isWell(page) ? exitCode.ok : exitCode.problems;
}

/** Every member is followed, and every export is where it should be. */
const isWell = ({ members }: ClustersPage): boolean =>
  members.every(
    ({ state, exports }) => state === "current" && exports.every(({ exported }) => exported),
  );
