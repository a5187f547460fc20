import { formatConfigProblem } from "./config-error.ts";
import { readPickerConfig } from "./read.ts";

/** Configurations of tests, as YAML. */

const heading = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\n";

export const withHeading = (body: string) => heading + body;

/** Returns what is wrong with a configuration, one line per problem. */
export const problemsOf = (text: string): string[] =>
  readPickerConfig(text).problems.map(formatConfigProblem);
