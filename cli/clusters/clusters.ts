import { messageOf } from "../../kubernetes/values/records.ts";
import type { ClustersPage } from "../../sdk/multi-cluster/clusters-page.ts";
import type { ReadingOptions } from "../options.ts";
import { printLooks, type View } from "../output/print-looks.ts";
import type { Terminal } from "../terminal.ts";
import { askByHub, askByUrl, tokenVariable } from "./ask-controller.ts";
import { clustersTable } from "./clusters-table.ts";

export interface ClustersOptions extends ReadingOptions {
  url?: string;
  watch: boolean;
}

/** Prints what the controller of a cluster set tells of it. */
export async function clusters(options: ClustersOptions, terminal: Terminal): Promise<number> {
  const look = () =>
    options.url === undefined
      ? askByHub(options)
      : askByUrl(options.url, process.env[tokenVariable]);
  return printLooks(looking(look), clustersView, options, terminal);
}

/** What the controller tells at a moment, or why it could not be asked. */
export type ClustersLook = ClustersPage | { readonly error: string };

/** A controller that is replaced, or an API server that is away, ends no watch that has begun. */
async function* looking(look: () => Promise<ClustersPage>): AsyncGenerator<ClustersLook, void> {
  yield await look();
  for (;;) yield await look().catch((error: unknown) => ({ error: messageOf(error) }));
}

/** How old a view is changes nothing. */
export const clustersView: View<ClustersLook> = {
  compared: (look) =>
    "error" in look
      ? look
      : { ...look, members: look.members.map((member) => ({ ...member, age: 0, queued: 0 })) },
  value: (look) => look,
  table: (look, out) => ("error" in look ? `No data: ${look.error}\n` : clustersTable(look, out)),
  isWell: (look) => "members" in look && isWell(look),
};

/** Every member is followed, and every export is where it should be. */
const isWell = ({ members }: ClustersPage): boolean =>
  members.every(
    ({ state, exports }) => state === "current" && exports.every(({ exported }) => exported),
  );
