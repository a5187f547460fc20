import type { z } from "zod";
import { unplanned } from "../../kubernetes/kinds/unplanned.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { type StructuralSchema, structuralSchema } from "./structural-schema.ts";

/** Input from which a CustomResourceDefinition is generated. */
export interface KindDefinition {
  group: string;
  /** The stored version. */
  version: string;
  /** Other served versions, with the same schema: no conversion takes place. */
  otherVersions?: readonly string[];
  kind: string;
  /** Lower case, for example `leaderworkersets`. */
  plural: string;
  scope: Scope;
  /** One sentence about the kind, for `kubectl explain`. */
  description: string;
  spec: z.ZodType;
  status?: z.ZodType;
  /** Whether an object must have a spec. Default true. */
  specRequired?: boolean;
  /** Whether the kind has the status subresource. */
  statusSubresource: boolean;
  shortNames?: readonly string[];
  categories?: readonly string[];
  printerColumns?: readonly PrinterColumn[];
}

type Scope = "Namespaced" | "Cluster";

export interface PrinterColumn {
  name: string;
  type: "string" | "integer" | "boolean" | "date" | "number";
  jsonPath: string;
  /** If above 0, the column is shown only with `-o wide`. */
  priority?: number;
}

export const crdName = ({ plural, group }: KindDefinition) => `${plural}.${group}`;

export interface CustomResourceDefinition extends Manifest {
  spec: {
    group: string;
    names: Record<string, unknown>;
    scope: Scope;
    versions: Array<Record<string, unknown> & { name: string }>;
  };
}

/** Labels and annotations of a CustomResourceDefinition. */
export type CrdMetadata = Pick<Manifest["metadata"], "labels" | "annotations">;

export function customResourceDefinition(
  kind: KindDefinition,
  metadata: CrdMetadata = {},
): CustomResourceDefinition {
  return {
    apiVersion: unplanned.CustomResourceDefinition.apiVersion,
    kind: "CustomResourceDefinition",
    metadata: { name: crdName(kind), ...metadata },
    spec: {
      group: kind.group,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.kind.toLowerCase(),
        ...(kind.shortNames && { shortNames: kind.shortNames }),
        ...(kind.categories && { categories: kind.categories }),
      },
      scope: kind.scope,
      versions: [kind.version, ...(kind.otherVersions ?? [])].map((version) => ({
        name: version,
        served: true,
        storage: version === kind.version,
        subresources: {
          ...(kind.statusSubresource && { status: {} }),
        },
        ...(kind.printerColumns && { additionalPrinterColumns: kind.printerColumns }),
        schema: { openAPIV3Schema: objectSchema(kind) },
      })),
    },
  };
}

function objectSchema(kind: KindDefinition): StructuralSchema {
  return {
    type: "object",
    description: kind.description,
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { type: "object" },
      spec: structuralSchema(kind.spec),
      ...(kind.status && { status: structuralSchema(kind.status) }),
    },
    ...(kind.specRequired !== false && { required: ["spec"] }),
  };
}
