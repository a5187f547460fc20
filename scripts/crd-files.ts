import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import {
  type CrdMetadata,
  crdName,
  customResourceDefinition,
  type KindDefinition,
} from "../sdk/crds/custom-resource-definition.ts";
import { ownCrdMetadata, ownKinds } from "../sdk/crds/own-kinds.ts";
import { upstreamKinds } from "../test/harness/upstream-kinds.ts";

interface CrdFolder {
  /** Relative to the repository's root. */
  path: string;
  kinds: readonly KindDefinition[];
  metadata?: CrdMetadata;
}

const folders: CrdFolder[] = [
  {
    path: "test/harness/crds",
    kinds: upstreamKinds,
    metadata: {
      annotations: { "api-approved.kubernetes.io": "unapproved, test stand-in" },
    },
  },
  { path: "crds", kinds: ownKinds, metadata: ownCrdMetadata },
];

const header =
  "# Made from zod schemas by scripts/crd-files.ts; change the schemas, not this file.\n";

/**
 * The CustomResourceDefinitions that are made from zod schemas, one file a kind: path from the repository's root
 * to content; undefined for a file that is there and must go.
 */
export function crdFiles(root: string): Map<string, string | undefined> {
  const files = new Map<string, string | undefined>();
  for (const { path, kinds, metadata } of folders) {
    const folder = join(root, path);
    const present = existsSync(folder) ? readdirSync(folder) : [];
    for (const name of present) if (name.endsWith(".yaml")) files.set(join(path, name), undefined);
    for (const kind of kinds) {
      const definition = customResourceDefinition(kind, metadata);
      const text = stringify(definition, { aliasDuplicateObjects: false, lineWidth: 110 });
      files.set(join(path, `${crdName(kind)}.yaml`), header + text);
    }
  }
  return files;
}
