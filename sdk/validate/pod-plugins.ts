import type { z } from "zod";
import type { Problem } from "../errors.ts";
import { type Invariant, violations } from "../invariant.ts";
import { entriesOf, podPluginRules, type WrittenPlugins } from "../rules/spec/pod-plugins.ts";
import { shapeProblems } from "../schemas/shape-problems.ts";

/** Validates each config by the schema of its plugin. */
const pluginConfigIsValid: Invariant<WrittenPlugins> = {
  id: "plugin-config-is-valid",
  title: "The config of a plugin matches its schema",
  why: "An unknown key would silently have no effect.",
  source: "ModelServing plugin framework: config",
  code: "shape",
  *check(plugins) {
    for (const { entry, path } of entriesOf(plugins)) {
      const plugin =
        entry.type === "BuiltIn" ? plugins.support.registry.get(entry.name) : undefined;
      if (plugin === undefined) continue;
      for (const { code: _, ...problem } of shapeProblems(
        plugin.config as z.ZodType,
        entry.config ?? {},
      )) {
        yield { ...problem, path: [...path, "config", ...problem.path] };
      }
    }
  },
};

/** All rules on `plugins`, including the rule on configs. */
export const allPodPluginRules: ReadonlyArray<Invariant<WrittenPlugins>> = [
  ...podPluginRules,
  pluginConfigIsValid,
];

/** Returns the problems of lists of plugins whose entries have a valid shape. */
export const podPluginProblems = (plugins: WrittenPlugins): Problem[] =>
  violations(allPodPluginRules, plugins);
