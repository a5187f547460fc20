import { messageOf } from "../../kubernetes/values/records.ts";
import type { ClustersPage } from "../../sdk/multi-cluster/clusters-page.ts";
import { exitCode } from "../exit-code.ts";
import type { ReadingOptions } from "../options.ts";
import { lookIntervalMs, printChanges } from "../output/changes.ts";
import { formatReading } from "../output/print.ts";
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
  if (options.watch) return watchClusters(looking(look), lookIntervalMs, options, terminal);
  const page = await look();
  terminal.out.write(shown(page, options, terminal));
  return isWell(page) ? exitCode.ok : exitCode.problems;
}

/** What the controller tells at a moment, or why it could not be asked. */
export type ClustersLook = ClustersPage | { readonly error: string };

/** A controller that is replaced, or an API server that is away, ends no watch that has begun. */
async function* looking(look: () => Promise<ClustersPage>): AsyncGenerator<ClustersLook, void> {
  yield await look();
  for (;;) yield await look().catch((error: unknown) => ({ error: messageOf(error) }));
}

/** Prints what changed, until the looks end. How old a view is changes nothing. */
export async function watchClusters(
  looks: AsyncIterable<ClustersLook>,
  pause: number,
  options: Pick<ClustersOptions, "format">,
  terminal: Terminal,
): Promise<number> {
  await printChanges(looks, terminal, {
    pause,
    format: options.format,
    compared: (look) =>
      "error" in look
        ? look
        : { ...look, members: look.members.map((member) => ({ ...member, age: 0, queued: 0 })) },
    shown: (look) => shown(look, options, terminal),
  });
  return exitCode.ok;
}

const shown = (
  look: ClustersLook,
  { format }: Pick<ClustersOptions, "format">,
  { out }: Terminal,
) =>
  formatReading(format, look, () =>
    "error" in look ? `Not asked: ${look.error}\n` : clustersTable(look, out),
  );

/** Every member is followed, and every export is where it should be. */
const isWell = ({ members }: ClustersPage): boolean =>
  members.every(
    ({ state, exports }) => state === "current" && exports.every(({ exported }) => exported),
  );
