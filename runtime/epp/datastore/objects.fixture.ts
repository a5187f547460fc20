import type { RegisteredModel } from "../../../sdk/routing/registrations.ts";
import type { ModelRewriteRule } from "../../../sdk/routing/rewrite-table.ts";
import type { PoolReference } from "../../../sdk/routing/routed-pool.ts";
import { poolAnnotations } from "../../../sdk/routing/routed-pool.ts";
import type {
  ObjectiveObject,
  PodObject,
  PoolObject,
  PoolObjects,
  RewriteObject,
  ServiceObject,
} from "./pool-objects.ts";

/** Objects for tests: a pool of pods with label app=m on port 8000. Each test passes the fields it changes. */

const identity = (name: string) => ({
  namespace: "default",
  name,
  uid: `uid-${name}`,
  creationTimestamp: "2026-01-01T00:00:00Z",
});

const poolRef: PoolReference = {
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
  ...poolAnnotations({}),
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
  rules: ModelRewriteRule[],
  change: Partial<RewriteObject> = {},
): RewriteObject => ({ ...identity(name), poolRef, rules, ...change });

export const objective = (name: string, priority: number): ObjectiveObject => ({
  ...identity(name),
  poolRef,
  priority,
});

/** A model that a service registers. It is Noncritical, and its own target. */
export const model = (name: string, change: Partial<RegisteredModel> = {}): RegisteredModel => ({
  name,
  critical: false,
  objectiveSeconds: undefined,
  firstTokenSeconds: undefined,
  targets: [],
  ...change,
});

export const service = (
  name: string,
  models: RegisteredModel[],
  change: Partial<ServiceObject> = {},
): ServiceObject => ({
  ...identity(name),
  share: 1,
  models,
  pools: [{ namespace: "default", name: "pool" }],
  ...change,
});

export const objects = (change: Partial<PoolObjects> = {}): PoolObjects => ({
  pool: pool(),
  pods: [],
  objectives: [],
  rewrites: [],
  services: [],
  ...change,
});
