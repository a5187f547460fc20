import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { crdName, customResourceDefinition } from "../sdk/crds/custom-resource-definition.ts";
import { ownCrdMetadata, ownKinds } from "../sdk/crds/own-kinds.ts";

const path = "crds";

const header =
  "# Made from zod schemas by scripts/crd-files.ts; change the schemas, not this file.\n";

/**
 * Returns the CustomResourceDefinitions that are generated from zod schemas, one file per kind: content by path from
 * the repository's root; undefined for a file that must be deleted.
 */
export function crdFiles(root: string): Map<string, string | undefined> {
  const files = new Map<string, string | undefined>();
  const folder = join(root, path);
  const present = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of present) if (name.endsWith(".yaml")) files.set(join(path, name), undefined);
  for (const kind of ownKinds) {
    const definition = customResourceDefinition(kind, ownCrdMetadata);
    const text = stringify(definition, { aliasDuplicateObjects: false, lineWidth: 110 });
    files.set(join(path, `${crdName(kind)}.yaml`), header + text);
  }
  return files;
}
