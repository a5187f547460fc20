import type { z } from "zod";
import { metricsExtractor } from "../plugins/producers/core-metrics-extractor.ts";
import { metricsSource } from "../plugins/producers/metrics-data-source.ts";
import type { PickerConfig } from "./picker-config.ts";
import type { EndpointPickerConfig } from "./schema.ts";

/** Access to the rest of the document. */
export interface Surroundings {
  /** Whether a plugin has this name. */
  has(name: string): boolean;
  /** Returns a plugin's type, or the name itself if no plugin has it. */
  typeOf(name: string): string;
  /** Returns the parameters of the plugin of a type, or the defaults if none is listed. */
  parametersOf<T>(type: string, schema: z.ZodType<T>): T;
  /** Returns the message that a name is not a plugin. */
  noPlugin(name: string): string;
  problem(path: string, message: string): void;
  warn(warning: string): void;
}

type Section = NonNullable<EndpointPickerConfig["dataLayer"]>;

/** Reads section `dataLayer`, with upstream's defaults. Returns undefined if no metrics are read. */
export function resolveDataLayer(section: Section, around: Surroundings): PickerConfig["metrics"] {
  const source = around.parametersOf(metricsSource.type, metricsSource.parameters);
  const engines = around.parametersOf(metricsExtractor.type, metricsExtractor.parameters);
  if (source.interval !== "")
    around.warn("metrics-data-source: interval is ignored; --refresh-metrics-interval applies");
  checkReferences(section, around);
  const { injectDefaults = true, sources = [] } = section;
  const isNamed = sources.some(({ pluginRef }) => around.typeOf(pluginRef) === metricsSource.type);
  return injectDefaults || isNamed ? { source, engines } : undefined;
}

/** Checks that sources refer to plugins. The two plugins that are created automatically need not be listed. */
function checkReferences({ sources = [], ...rest }: Section, around: Surroundings): void {
  const implied: readonly string[] = [metricsSource.type, metricsExtractor.type];
  const check = (name: string, path: string) => {
    if (!around.has(name) && !implied.includes(name))
      around.problem(`${path}.pluginRef`, around.noPlugin(name));
  };
  sources.forEach(({ pluginRef, extractors = [] }, at) => {
    const path = `dataLayer.sources[${at}]`;
    check(pluginRef, path);
    extractors.forEach((each, index) => {
      check(each.pluginRef, `${path}.extractors[${index}]`);
    });
  });
  for (const field of Object.keys(rest).filter((name) => name !== "injectDefaults"))
    around.warn(`dataLayer.${field} is not used`);
}
