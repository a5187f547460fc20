import { z } from "zod";
import type {
  ObjectiveObject,
  PodObject,
  PoolObject,
  RewriteObject,
} from "../datastore/pool-objects.ts";

/**
 * Kubernetes objects as the picker keeps them. Unknown fields are passed over: the API server has checked them by a
 * schema that may be newer. What cannot be read is an error of that one object.
 */

const metadata = z.object({
  name: z.string(),
  namespace: z.string().default("default"),
  uid: z.string().default(""),
  creationTimestamp: z.string().nullish(),
  deletionTimestamp: z.string().nullish(),
  labels: z.record(z.string(), z.string()).nullish(),
  annotations: z.record(z.string(), z.string()).nullish(),
});

const identity = ({ name, namespace, uid, creationTimestamp }: z.infer<typeof metadata>) => ({
  namespace,
  name,
  uid: uid || `${namespace}/${name}`,
  creationTimestamp: creationTimestamp ?? "",
});

const poolSchema = z.object({
  metadata,
  spec: z.object({
    selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
    targetPorts: z.array(z.object({ number: z.number().int().min(1).max(65_535) })).min(1),
    appProtocol: z.enum(["http", "kubernetes.io/h2c"]).default("http"),
  }),
});

/** Undefined for a pool that is being deleted. */
export function readPool(object: unknown, group: string): PoolObject | undefined {
  const { metadata, spec } = poolSchema.parse(object);
  if (metadata.deletionTimestamp) return undefined;
  return {
    ...identity(metadata),
    group,
    matchLabels: spec.selector.matchLabels,
    targetPorts: spec.targetPorts.map(({ number }) => number),
    appProtocol: spec.appProtocol,
  };
}

const podSchema = z.object({
  metadata,
  status: z
    .object({
      podIP: z.string().default(""),
      conditions: z.array(z.object({ type: z.string(), status: z.string() })).nullish(),
    })
    .default({ podIP: "" }),
});

/** Annotations that say which of a pod's ports serve. */
const keptAnnotations = ["llm-d.ai/active-ports", "inference.networking.k8s.io/active-ports"];

/** @param readyByDefault of a pod without conditions, as files have them */
export function readPod(object: unknown, readyByDefault = false): PodObject {
  const { metadata, status } = podSchema.parse(object);
  const { conditions } = status;
  const ready = conditions?.find(({ type }) => type === "Ready")?.status === "True";
  return {
    ...identity(metadata),
    labels: metadata.labels ?? {},
    annotations: Object.fromEntries(
      Object.entries(metadata.annotations ?? {}).filter(([key]) => keptAnnotations.includes(key)),
    ),
    ip: status.podIP,
    ready: conditions ? ready : readyByDefault,
    deleting: Boolean(metadata.deletionTimestamp),
  };
}

const poolRef = z.object({
  name: z.string(),
  group: z.string().default("inference.networking.k8s.io"),
  kind: z.string().default("InferencePool"),
});

const objectiveSchema = z.object({
  metadata,
  spec: z.object({ poolRef, priority: z.number().int().nullish() }),
});

export function readObjective(object: unknown): ObjectiveObject {
  const { metadata, spec } = objectiveSchema.parse(object);
  return { ...identity(metadata), poolRef: spec.poolRef, priority: spec.priority ?? 0 };
}

const target = z.object({ modelRewrite: z.string().min(1), weight: z.number().nullish() });
const match = z.object({
  model: z.object({ type: z.literal("Exact").nullish(), value: z.string() }).nullish(),
});
const rewriteSchema = z.object({
  metadata,
  spec: z.object({
    poolRef,
    rules: z.array(
      z.object({
        matches: z.array(match).nullish(),
        targets: z.array(target).nullish(),
        // The name of the field in the design's Go type; its YAML and the shipped CRD say targets.
        split: z.array(target).nullish(),
      }),
    ),
  }),
});

export function readRewrite(object: unknown): RewriteObject {
  const { metadata, spec } = rewriteSchema.parse(object);
  return {
    ...identity(metadata),
    poolRef: spec.poolRef,
    rules: spec.rules.map(({ matches, targets, split }) => ({
      models: matches?.length ? matches.flatMap(({ model }) => model?.value ?? []) : undefined,
      targets: (targets ?? split ?? []).map(({ modelRewrite, weight }) => ({
        model: modelRewrite,
        weight: weight ?? undefined,
      })),
    })),
  };
}

/** Why an object could not be read: each wrong field, on one line. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof z.ZodError)) return error instanceof Error ? error.message : String(error);
  return error.issues
    .map(({ path, message }) => `${path.length === 0 ? "" : `${fieldOf(path)}: `}${message}`)
    .join("; ");
}

const fieldOf = (path: readonly PropertyKey[]) =>
  path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`))
    .join("")
    .replace(/^\./, "");
