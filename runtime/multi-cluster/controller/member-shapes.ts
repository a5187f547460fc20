import { z } from "zod";
import type { KubernetesObject } from "../../../kubernetes/values/object.ts";

/**
 * Schemas of the data read from a member, whose API server may return anything. An object that does not match counts as
 * absent; otherwise it would block the planning of its name in all members. Additional fields are allowed.
 */

const text = z.string().nullish();

const conditions = z
  .array(
    z.looseObject({
      ...{ type: z.string(), status: z.string() },
      ...{ reason: text, message: text, lastTransitionTime: text },
    }),
  )
  .optional();

export const parents = z
  .array(
    z.looseObject({
      parentRef: z.looseObject({ group: text, kind: text, namespace: text, name: z.string() }),
      controllerName: text,
      conditions,
    }),
  )
  .optional();

export const clusters = z.array(z.looseObject({ name: z.string(), conditions })).optional();

export const importStatus = z
  .looseObject({
    ...{ clusters, conditions, observedGeneration: z.number().optional() },
    controllers: z
      .array(
        z.looseObject({
          name: z.string(),
          exportingClusters: z.array(z.looseObject({ name: z.string() })).optional(),
          conditions,
        }),
      )
      .optional(),
  })
  .optional();

export const has = <T>(shape: z.ZodType<T>, value: unknown): boolean =>
  shape.safeParse(value).success;

const name = (longest: number) =>
  z
    .string()
    .max(longest)
    .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/);

const texts = z.record(z.string(), z.string()).optional();

const metadata = z.looseObject({
  ...{ name: name(253), namespace: name(63).optional() },
  ...{ uid: z.string().optional(), resourceVersion: z.string().optional() },
  ...{ creationTimestamp: z.string().optional(), deletionTimestamp: z.string().optional() },
  ...{ labels: texts, annotations: texts },
});

/**
 * Whether the metadata is valid. Names become parts of API paths, also in other members, so only names that an API
 * server accepts are allowed.
 */
export const isNamed = (object: KubernetesObject): boolean => has(metadata, object.metadata);
