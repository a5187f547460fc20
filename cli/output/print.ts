import { formatYaml } from "./yaml.ts";

/** Output formats for data of a cluster. The first one, the default, is for people. */
export const readingFormats = ["table", "json", "yaml"] as const;
export type ReadingFormat = (typeof readingFormats)[number];

/** Returns a value as JSON or YAML, or the text for people. */
export function formatReading(format: ReadingFormat, value: unknown, table: () => string): string {
  if (format === "table") return table();
  return format === "json" ? `${JSON.stringify(value, null, 2)}\n` : formatYaml(value);
}
