import { type ProjectName, projects, rows } from "./comparison-cells.ts";
import { table } from "./table.ts";

const names = Object.keys(projects) as ProjectName[];

/** The comparison of the README. */
export const comparisonTable = (): string[] =>
  table(
    [
      "",
      "pulumi-inference",
      ...names.map((name) => `[${projects[name].name}](${projects[name].url})`),
    ],
    rows.map(({ topic, own, others }) => [topic, own, ...names.map((name) => others[name].text)]),
  );

/** Every cell about another project, with its sources and their date. */
export const comparisonSources = (): string[] =>
  names.flatMap((name) => [
    `## ${projects[name].name}`,
    "",
    `Documentation of version ${projects[name].version}.`,
    "",
    ...table(
      ["topic", "claim", "sources", "read on"],
      rows.map(({ topic, others }) => {
        const { text, sources, read } = others[name];
        const links = sources.map((url, at) => `[${at + 1}](${url})`);
        return [topic, text, links.join(", ") || "none", read];
      }),
    ),
    "",
  ]);
