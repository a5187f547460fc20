import { LineCounter, parseDocument } from "yaml";
import { ConfigError, pathText } from "./config-error.ts";
import { EndpointPickerConfig } from "./schema.ts";

/**
 * Reads an EndpointPickerConfig from YAML or JSON.
 * @param file named in errors
 * @throws ConfigError with every problem of the document's shape
 */
export function loadEndpointPickerConfig(text: string, file: string): EndpointPickerConfig {
  const document = parseDocument(text, { lineCounter: new LineCounter() });
  if (document.errors.length > 0)
    throw new ConfigError(
      file,
      document.errors.map(({ message }) => ({ path: "", message })),
    );
  const parsed = EndpointPickerConfig.safeParse(document.toJS());
  if (parsed.success) return parsed.data;
  throw new ConfigError(
    file,
    parsed.error.issues.map(({ path, message }) => ({ path: pathText(path), message })),
  );
}
