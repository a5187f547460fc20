import { messageOf } from "../../kubernetes/values/records.ts";
import type { ClustersPage } from "../../sdk/multi-cluster/clusters-page.ts";
import type { ReadingOptions } from "../options.ts";
import { printPolls, type View } from "../output/print-polls.ts";
import type { Terminal } from "../terminal.ts";
import { askByHub, askByUrl, tokenVariable } from "./ask-controller.ts";
import { clustersTable } from "./clusters-table.ts";

export interface ClustersOptions extends ReadingOptions {
  url?: string;
  watch: boolean;
}

/** Prints what the controller of a cluster set tells of it. */
export async function clusters(options: ClustersOptions, terminal: Terminal): Promise<number> {
  const poll = () =>
    options.url === undefined
      ? askByHub(options)
      : askByUrl(options.url, process.env[tokenVariable]);
  return printPolls(polling(poll), clustersView, options, terminal);
}

/** What the controller tells at a moment, or why it could not be asked. */
export type ClustersPoll = ClustersPage | { readonly error: string };

/** A controller that is replaced, or an API server that is away, ends no watch that has begun. */
async function* polling(poll: () => Promise<ClustersPage>): AsyncGenerator<ClustersPoll, void> {
  yield await poll();
  for (;;) yield await poll().catch((error: unknown) => ({ error: messageOf(error) }));
}

/** How old a view is changes nothing. */
export const clustersView: View<ClustersPoll> = {
  compared: (poll) =>
    "error" in poll
      ? poll
      : { ...poll, members: poll.members.map((member) => ({ ...member, age: 0, queued: 0 })) },
  value: (poll) => poll,
  table: (poll, out) => ("error" in poll ? `No data: ${poll.error}\n` : clustersTable(poll, out)),
  isWell: (poll) => "members" in poll && isWell(poll),
};

/** Every member is followed, and every export is where it should be. */
const isWell = ({ members }: ClustersPage): boolean =>
  members.every(
    ({ state, exports }) => state === "current" && exports.every(({ exported }) => exported),
  );
