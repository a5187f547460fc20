import { formatPodChange } from "../../plugins/pod-changes.ts";
import type { PluginReport } from "./pod-plugins.ts";

/** Formats the changes of each plugin to a template: one line per plugin, and one per change. */
export function formatPluginReport({
  modelServing,
  roleName,
  isEntry,
  steps,
}: PluginReport): string {
  const { kind, metadata } = modelServing;
  return [
    `${kind} ${metadata.namespace}/${metadata.name}, role ${roleName}, ${isEntry ? "entry" : "worker"} pods:`,
    ...steps.flatMap(({ link, changes }) => [
      `  ${link.plugin.name}${changes.length === 0 ? ": changes nothing" : ""}`,
      ...changes.map((change) => `    ${formatPodChange(change)}`),
    ]),
  ].join("\n");
}

/** Formats reports, without duplicates: replicas often have the same report. */
export const formatPluginReports = (reports: readonly PluginReport[]): string[] => [
  ...new Set(reports.map(formatPluginReport)),
];
