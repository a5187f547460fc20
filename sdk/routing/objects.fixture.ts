import type { LLMServiceObject, RegisteredModel } from "./registrations.ts";
import type { ModelRewriteObject, ModelRewriteRule } from "./rewrite-table.ts";
import type { RoutedPool } from "./routed-pool.ts";
import type { WeightedTarget } from "./weighted-targets.ts";

/** Objects for tests, in namespace default and for pool `pool` there, with the changes of a test. */

const identity = (name: string) => ({
  namespace: "default",
  name,
  creationTimestamp: "2026-01-01T00:00:00Z",
});

/** Creation timestamp of an object that is `second` seconds younger than the default. */
export const aged = (second: number) => ({
  creationTimestamp: `2026-01-01T00:00:0${second}Z`,
});

export const routedPool = (change: Partial<RoutedPool> = {}): RoutedPool => ({
  group: "inference.networking.k8s.io",
  namespace: "default",
  name: "pool",
  registrationRequired: false,
  allowedNamespaces: [],
  modelsOf: new Map(),
  reservedModels: undefined,
  ...change,
});

export const targets = (
  ...list: ReadonlyArray<readonly [model: string, weight?: number]>
): WeightedTarget[] => list.map(([model, weight]) => ({ model, weight }));

export const rule = (
  models: readonly string[] | undefined,
  ...list: ReadonlyArray<readonly [model: string, weight?: number]>
): ModelRewriteRule => ({ models, targets: targets(...list) });

export const rewrite = (
  name: string,
  rules: readonly ModelRewriteRule[],
  change: Partial<ModelRewriteObject> = {},
): ModelRewriteObject => ({
  ...identity(name),
  poolRef: { group: "inference.networking.k8s.io", kind: "InferencePool", name: "pool" },
  rules,
  ...change,
});

/** A registered model without an objective and with itself as target. */
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
  models: readonly RegisteredModel[],
  change: Partial<LLMServiceObject> = {},
): LLMServiceObject => ({
  ...identity(name),
  share: 1,
  models,
  pools: [{ namespace: "default", name: "pool" }],
  ...change,
});
