import type { ClustersPage, MemberPage } from "../../sdk/multi-cluster/clusters-page.ts";
import { type Colour, coloured } from "../output/colours.ts";
import { type Cell, formatTable } from "../output/table.ts";
import type { Output } from "../terminal.ts";

type Colours = Pick<Output, "colour">;

/** Returns the members of a set, their exports and their imports, as three tables. Tables without rows are omitted. */
export function clustersTable({ controllerName, members }: ClustersPage, out: Colours): string {
  const tables = [
    table(["MEMBER", "STATE", "AGE", "EXPORTS", "IMPORTS", "PROBLEM"], members.map(memberRow(out))),
    table(["EXPORT", "MEMBER", "EXPORTED", "REASON", "MESSAGE"], members.flatMap(exportRows(out))),
    table(["IMPORT", "MEMBER", "CLUSTERS", "READY"], members.flatMap(importRows(out))),
  ];
  return [`Controller ${controllerName}\n`, ...tables.filter((text) => text !== "")].join("\n");
}

const table = (titles: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  rows.length === 0 ? "" : formatTable([titles.map((text) => ({ text })), ...rows]);

const memberRow =
  (out: Colours) =>
  ({ name, state, age, exports, imports, problem = "" }: MemberPage): Cell[] => [
    { text: name },
    shown(out, state, state === "current" ? "green" : state === "refused" ? "red" : "yellow"),
    { text: state === "current" ? "-" : `${age}s` },
    { text: String(exports.length) },
    { text: String(imports.length) },
    { text: problem },
  ];

const exportRows =
  (out: Colours) =>
  ({ name, exports }: MemberPage): Cell[][] =>
    exports.map(({ pool, exported, reason, message }) => [
      { text: pool },
      { text: name },
      shown(out, exported ? "True" : "False", exported ? "green" : "red"),
      { text: reason },
      { text: message },
    ]);

const importRows =
  (out: Colours) =>
  ({ name, imports }: MemberPage): Cell[][] =>
    imports.map(({ name: pool, clusters, ready = "Unknown" }) => [
      { text: pool },
      { text: name },
      { text: clusters.join(",") },
      shown(out, ready, ready === "True" ? "green" : ready === "False" ? "red" : "grey"),
    ]);

const shown = (out: Colours, text: string, colour: Colour): Cell => ({
  text,
  show: (padded) => coloured(out, colour, padded),
});
