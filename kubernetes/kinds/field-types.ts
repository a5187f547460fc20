import { z } from "zod";
import { dnsLabel, dnsSubdomain as subdomain } from "../values/dns-label.ts";

/** Field types that several kinds share. Properties of a CRD beyond JSON Schema are set in `x-kubernetes-` keys. */

export const nonEmptyText = z.string().min(1);
export const int32 = z.int32();
export const count = int32.min(0);
export const positiveCount = int32.min(1);
export const positiveInteger = z.int().min(1);
export const portNumber = positiveCount.max(65_535);

/** Whole number, or a string such as `25%`. */
export const intOrString = z
  .union([z.int(), z.string()])
  .meta({ "x-kubernetes-int-or-string": true });

const decimal = "(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))";
export const quantityPattern = `^(\\+|-)?${decimal}(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?${decimal}))?$`;

/** Kubernetes quantity: `8`, `"500m"`, `"80Gi"`. */
export const quantity = z
  .union([z.int(), z.string()])
  .meta({ "x-kubernetes-int-or-string": true, pattern: quantityPattern });

export const resourceList = z.record(z.string(), quantity);

/** DNS subdomain (RFC 1123), such as a queue name or an API group. */
export const dnsSubdomain = z
  .string()
  .max(253)
  .regex(subdomain, "lower-case letters, digits, dashes and dots");

/** API group. The core group is the empty string. */
export const apiGroup = z
  .string()
  .max(253)
  .regex(
    new RegExp(`^$|${subdomain.source}`),
    "an API group, or an empty string for the core group",
  );

export const kindName = z
  .string()
  .min(1)
  .max(63)
  .regex(/^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$/, "a kind name");

export const objectName = z.string().min(1).max(253);

export const namespaceName = z
  .string()
  .min(1)
  .max(63)
  .regex(dnsLabel, "lower-case letters, digits and dashes, at most 63 characters");

export const labelValue = z
  .string()
  .max(63)
  .regex(/^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/, "a label value");

export const labelSelector = z
  .strictObject({
    matchLabels: z.record(z.string(), z.string()).optional(),
    matchExpressions: z
      .array(
        z.strictObject({
          key: z.string(),
          operator: z.string().describe("Operator: In, NotIn, Exists or DoesNotExist."),
          values: atomicList(z.string()).optional(),
        }),
      )
      .meta({ "x-kubernetes-list-type": "atomic" })
      .optional(),
  })
  .meta({ "x-kubernetes-map-type": "atomic" });

/** Returns the schema of a list that each writer replaces as a whole. */
export function atomicList<Item extends z.ZodType>(item: Item) {
  return z.array(item).meta({ "x-kubernetes-list-type": "atomic" });
}

/** Pod template or another complete built-in object. The API server validates it when it creates the object. */
export const podTemplate = z
  .looseObject({})
  .describe("Pod template: metadata and spec of the pods.");

/** Condition as Kubernetes reports it (meta/v1). */
export const Condition = z.strictObject({
  type: z
    .string()
    .max(316)
    .regex(
      /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$/,
    ),
  status: z.enum(["True", "False", "Unknown"]),
  reason: z
    .string()
    .min(1)
    .max(1024)
    .regex(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/),
  message: z.string().max(32_768),
  lastTransitionTime: timestamp(),
  observedGeneration: z.int().min(0).meta({ format: "int64" }).optional(),
});

/** List of conditions, one per type. */
export const conditions = z
  .array(Condition)
  .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] });

export function timestamp() {
  return z.string().meta({ format: "date-time" });
}

/** Network, such as 10.0.0.0/8. */
export const cidr = z
  .string()
  .regex(/^([0-9]{1,3}(\.[0-9]{1,3}){3}\/[0-9]{1,2}|[0-9a-fA-F:]+\/[0-9]{1,3})$/, "a CIDR");
