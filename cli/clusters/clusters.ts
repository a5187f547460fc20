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

/** Prints the page of a cluster set's controller. */
export async function clusters(options: ClustersOptions, terminal: Terminal): Promise<number> {
  const poll = () =>
    options.url === undefined
      ? askByHub(options)
      : askByUrl(options.url, process.env[tokenVariable]);
  return printPolls(polling(poll), clustersView, options, terminal);
}

/** Page of the controller at one time, or the error of the poll. */
export type ClustersPoll = ClustersPage | { readonly error: string };

/** After the first poll, an unavailable controller or API server does not end the watch. */
async function* polling(poll: () => Promise<ClustersPage>): AsyncGenerator<ClustersPoll, void> {
  yield await poll();
  for (;;) yield await poll().catch((error: unknown) => ({ error: messageOf(error) }));
}

/** The age of a view does not count as a change. */
export const clustersView: View<ClustersPoll> = {
  compared: (poll) =>
    "error" in poll
      ? poll
      : { ...poll, members: poll.members.map((member) => ({ ...member, age: 0, queued: 0 })) },
  value: (poll) => poll,
  table: (poll, out) => ("error" in poll ? `No data: ${poll.error}\n` : clustersTable(poll, out)),
  isWell: (poll) => "members" in poll && isWell(poll),
};

/** Whether every member is current, and every export is exported. */
const isWell = ({ members }: ClustersPage): boolean =>
  members.every(
    ({ state, exports }) => state === "current" && exports.every(({ exported }) => exported),
  );
