import { formatYaml } from "./yaml.ts";

/** Formats of what is read from a cluster: for people first. */
export const readingFormats = ["table", "json", "yaml"] as const;
export type ReadingFormat = (typeof readingFormats)[number];

/** A value as JSON or YAML, or what people get in its place. */
export function formatReading(format: ReadingFormat, value: unknown, table: () => string): string {
  if (format === "table") return table();
  return format === "json" ? `${JSON.stringify(value, null, 2)}\n` : formatYaml(value);
}
