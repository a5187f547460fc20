import { formatPodChange } from "../../plugins/pod-changes.ts";
import type { PluggedTemplate } from "./pod-plugins.ts";

/** What each plugin did to a template: a line a plugin, and a line a change. */
export function formatPlugged({ modelServing, roleName, isEntry, steps }: PluggedTemplate): string {
  const { kind, metadata } = modelServing;
  return [
    `${kind} ${metadata.namespace}/${metadata.name}, role ${roleName}, ${isEntry ? "entry" : "worker"} pods:`,
    ...steps.flatMap(({ link, changes }) => [
      `  ${link.plugin.name}${changes.length === 0 ? ": changes nothing" : ""}`,
      ...changes.map((change) => `    ${formatPodChange(change)}`),
    ]),
  ].join("\n");
}

/** The same of many templates, said once where replicas differ in nothing. */
export const formatAllPlugged = (templates: readonly PluggedTemplate[]): string[] => [
  ...new Set(templates.map(formatPlugged)),
];
