import { parseAllDocuments } from "yaml";
import { boundBroken } from "../kubernetes/values/bounded-value.ts";
import { isMap, type PropertyMap } from "./property-value.ts";

interface YamlObject {
  apiVersion: string;
  kind: string;
  metadata?: { namespace?: string };
}

/** Returns the objects of a YAML text, for `kubernetes:yaml:decode`. Documents without kind or version are skipped. */
export function decodeYaml(text: string): YamlObject[] {
  const documents = parseAllDocuments(text, { version: "1.1", merge: true });
  if (!Array.isArray(documents)) return [];
  return documents
    .map((document) => {
      const [error] = document.errors;
      if (error !== undefined) throw new Error(`YAML cannot be read: ${error.message}`);
      const value = document.toJS() as PropertyMap;
      const broken = boundBroken(value);
      if (broken !== undefined) throw new Error(`YAML cannot be read: it ${broken}`);
      return value;
    })
    .filter(isObject);
}

function isObject(value: unknown): value is PropertyMap & YamlObject {
  return isMap(value) && Boolean(value.kind) && Boolean(value.apiVersion);
}
