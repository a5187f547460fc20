import { LineCounter, parseDocument } from "yaml";
import { boundBroken } from "../../kubernetes/values/bounded-value.ts";
import { ConfigError, type ConfigProblem, pathText } from "./config-error.ts";
import type { PickerConfig } from "./picker-config.ts";
import { type Resolution, resolvePickerConfig } from "./resolve.ts";
import { EndpointPickerConfig } from "./schema.ts";

/**
 * Reads an EndpointPickerConfig from YAML or JSON. Previews, `render`, `check`, policies and the endpoint picker all
 * use this loader.
 */
export function readPickerConfig(text: string): Resolution {
  const document = readDocument(text);
  if ("problems" in document) return { config: undefined, warnings: [], ...document };
  const parsed = EndpointPickerConfig.safeParse(document.value);
  if (parsed.success) return resolvePickerConfig(parsed.data);
  const problems = parsed.error.issues.map(({ path, message }) => ({
    path: pathText(path),
    message,
  }));
  return { config: undefined, warnings: [], problems };
}

/**
 * Reads an EndpointPickerConfig that must be valid.
 * @param file name for the error
 * @throws ConfigError with every problem
 */
export const loadPickerConfig = (text: string, file: string): LoadedPickerConfig =>
  loaded(readPickerConfig(text), file);

/** A configuration with which a picker can start. */
export interface LoadedPickerConfig {
  readonly config: PickerConfig;
  /** Settings that the picker does not apply, one sentence each. */
  readonly warnings: readonly string[];
}

function loaded({ config, problems, warnings }: Resolution, file: string): LoadedPickerConfig {
  if (config === undefined) throw new ConfigError(file, problems);
  return { config, warnings };
}

function readDocument(text: string): { value: unknown } | { problems: ConfigProblem[] } {
  const document = parseDocument(text, { lineCounter: new LineCounter() });
  if (document.errors.length > 0)
    return {
      problems: document.errors.map(({ message }) => ({ path: "", message: firstLine(message) })),
    };
  try {
    const value: unknown = document.toJS();
    const broken = boundBroken(value);
    return broken === undefined ? { value } : { problems: [{ path: "", message: `it ${broken}` }] };
  } catch (error) {
    // An alias without an anchor, or aliases that would expand the document without bounds.
    return { problems: [{ path: "", message: (error as Error).message }] };
  }
}

/** Returns position and reason of a YAML error, without the excerpt that follows. */
const firstLine = (message: string): string => (message.split("\n")[0] ?? "").replace(/:$/, "");
