import type { z } from "zod";
import { type StructuralSchema, structuralSchema } from "./structural-schema.ts";

/** What a CustomResourceDefinition is generated from. */
export interface KindDefinition {
  group: string;
  version: string;
  kind: string;
  /** Lower case, for example `leaderworkersets`. */
  plural: string;
  scope: "Namespaced" | "Cluster";
  /** One sentence on the kind, for `kubectl explain`. */
  description: string;
  spec: z.ZodType;
  status?: z.ZodType;
  /** Whether an object must have a spec. Default true. */
  specRequired?: boolean;
  /** Whether status is written at its own path, apart from the spec. */
  statusSubresource: boolean;
  scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string };
  shortNames?: readonly string[];
  categories?: readonly string[];
  printerColumns?: readonly PrinterColumn[];
}

export interface PrinterColumn {
  name: string;
  type: "string" | "integer" | "boolean" | "date" | "number";
  jsonPath: string;
  /** Above 0 the column is shown only with `-o wide`. */
  priority?: number;
}

export const crdName = ({ plural, group }: KindDefinition) => `${plural}.${group}`;

export function customResourceDefinition(
  kind: KindDefinition,
  annotations?: Record<string, string>,
): object {
  const singular = kind.kind.toLowerCase();
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: crdName(kind), ...(annotations && { annotations }) },
    spec: {
      group: kind.group,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular,
        ...(kind.shortNames && { shortNames: kind.shortNames }),
        ...(kind.categories && { categories: kind.categories }),
      },
      scope: kind.scope,
      versions: [
        {
          name: kind.version,
          served: true,
          storage: true,
          subresources: {
            ...(kind.statusSubresource && { status: {} }),
            ...(kind.scale && { scale: kind.scale }),
          },
          ...(kind.printerColumns && { additionalPrinterColumns: kind.printerColumns }),
          schema: { openAPIV3Schema: objectSchema(kind) },
        },
      ],
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
