import type { Problem } from "../errors.ts";
import { violations } from "../invariants/invariant.ts";
import { entriesOf, podPluginRules, type WrittenPlugins } from "../invariants/pod-plugins.ts";
import { shapeProblems } from "./shape-problems.ts";

/** What is wrong with lists of plugins beyond the shape of their entries: broken rules, and configs. */
export function podPluginProblems(plugins: WrittenPlugins): Problem[] {
  return [...violations(podPluginRules, plugins), ...configProblems(plugins)];
}

/** Each config by the schema of its plugin. */
function configProblems(plugins: WrittenPlugins): Problem[] {
  return entriesOf(plugins).flatMap(({ entry, path }) => {
    const plugin = entry.type === "BuiltIn" ? plugins.support.registry.get(entry.name) : undefined;
    if (plugin === undefined) return [];
    return shapeProblems(plugin.config, entry.config ?? {}).map((problem) => ({
      ...problem,
      path: [...path, "config", ...problem.path],
    }));
  });
}
