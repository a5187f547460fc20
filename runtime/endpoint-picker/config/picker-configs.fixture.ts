import { type BuiltConfig, buildScheduler } from "./build.ts";
import { ConfigError } from "./config-error.ts";
import { loadEndpointPickerConfig } from "./load.ts";

/** Configurations of tests, as YAML. */

const heading = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\n";

export const withHeading = (body: string) => heading + body;

/** Loads and builds; the heading is added. */
export const built = (body: string): BuiltConfig =>
  buildScheduler(loadEndpointPickerConfig(withHeading(body), "picker.yaml"), "picker.yaml");

/** What is wrong with it, as the process prints it: `path: message` a line. */
export function problemsOf(make: () => unknown): string[] {
  try {
    make();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [first, ...lines] = error.message.split("\n");
    if (first !== "picker.yaml cannot be used:") throw error;
    return lines.map((line) => line.trim());
  }
  return [];
}
