import { z } from "zod";
import type { KubernetesObject } from "../../../kubernetes/values/object.ts";

/**
 * Shapes of what is read of a member of a cluster set, whose API server may answer anything: what has another shape would
 * keep a name from being planned in all members, and counts as not there. Fields that are not read here may be there.
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

/** Names become parts of paths, in other members too: nothing that an API server would not take is one. */
export const isNamed = (object: KubernetesObject): boolean => has(metadata, object.metadata);
