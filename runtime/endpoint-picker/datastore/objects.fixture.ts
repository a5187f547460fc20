import type {
  ObjectiveObject,
  PodObject,
  PoolObject,
  PoolObjects,
  PoolReference,
  RewriteObject,
  RewriteRuleObject,
} from "./pool-objects.ts";

/** Objects of tests: a pool of pods with label app=m on port 8000, and what a test changes of it. */

const identity = (name: string) => ({
  namespace: "default",
  name,
  uid: `uid-${name}`,
  creationTimestamp: "2026-01-01T00:00:00Z",
});

export const poolRef: PoolReference = {
  group: "inference.networking.k8s.io",
  kind: "InferencePool",
  name: "pool",
};

export const pool = (change: Partial<PoolObject> = {}): PoolObject => ({
  ...identity("pool"),
  group: "inference.networking.k8s.io",
  matchLabels: { app: "m" },
  targetPorts: [8000],
  appProtocol: "http",
  ...change,
});

export const pod = (name: string, change: Partial<PodObject> = {}): PodObject => ({
  ...identity(name),
  labels: { app: "m" },
  annotations: {},
  ip: "10.0.0.1",
  ready: true,
  deleting: false,
  ...change,
});

export const rewriteObject = (
  name: string,
  rules: RewriteRuleObject[],
  change: Partial<RewriteObject> = {},
): RewriteObject => ({ ...identity(name), poolRef, rules, ...change });

export const objective = (name: string, priority: number): ObjectiveObject => ({
  ...identity(name),
  poolRef,
  priority,
});

export const objects = (change: Partial<PoolObjects> = {}): PoolObjects => ({
  pool: pool(),
  pods: [],
  objectives: [],
  rewrites: [],
  ...change,
});
