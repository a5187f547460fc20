import { formatConfigProblem } from "./config-error.ts";
import { readPickerConfig } from "./read.ts";

/** Configurations for tests, as YAML. */

const heading = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\n";

export const withHeading = (body: string) => heading + body;

/** Returns the problems of a configuration, one line each. */
export const problemsOf = (text: string): string[] =>
  readPickerConfig(text).problems.map(formatConfigProblem);
