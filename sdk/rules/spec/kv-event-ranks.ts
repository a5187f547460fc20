import { engineOf } from "../../engines/containers/engine-container.ts";
import { isMultiNode } from "../../engines/containers/executor.ts";
import { parallelismOf } from "../../engines/start-up/parallelism.ts";
import type { Invariant } from "../../invariant.ts";
import { type InferenceServiceSpec, inferenceRolesOf } from "../../spec/inference-service.ts";
import type { InferenceRole } from "../../spec/role.ts";
import type { ContainerShape } from "../../stack/shapes.ts";
import { argumentsPath } from "../helpers/arguments-path.ts";
import { inferenceRoles, type PartialSpec, routers } from "../helpers/partial-spec.ts";

/** Number of data-parallel ranks that an engine starts behind its port, from its arguments. Default 1. */
function ranksOf(role: InferenceRole): number {
  const { data = 1 } = parallelismOf(engineOf(role.template.spec) as ContainerShape) ?? {};
  return Math.max(1, data);
}

/** Number of ranks behind the port of each pod of a service's pool. A rule requires the same number in all roles. */
export const kvEventRanksOf = (spec: InferenceServiceSpec): number =>
  Math.max(1, ...inferenceRolesOf(spec).map(ranksOf));

export const ranksPublishEvents: Invariant<PartialSpec> = {
  id: "kv-event-ranks-match",
  title: "Engines that publish KV events have equally many data-parallel ranks, all in one pod",
  why: "Each rank has its own cache and publishes its events from its pod. If the picker misses one rank of an engine, it estimates all of that engine's caches.",
  source:
    "vLLM: data-parallel rank r publishes at the endpoint's port plus r; docs/prefix-cache.md",
  code: "conflict",
  *check(spec) {
    if (!routers(spec).some(({ role }) => role.kvEvents === true)) return;
    const [first, ...others] = inferenceRoles(spec);
    if (first === undefined) return;
    for (const { index, role } of [first, ...others]) {
      const ranks = ranksOf(role);
      const isSpread = ranks > 1 && isMultiNode(role);
      if (!isSpread && ranks === ranksOf(first.role)) continue;
      yield {
        path: argumentsPath(index, role.template.spec),
        given: `start ${ranks} data-parallel ranks${isSpread ? " in several pods" : ""}`,
        allowed: isSpread
          ? "all ranks in one pod, because the router sets kvEvents"
          : `${ranksOf(first.role)}, as in role ${first.role.name}, because the router sets kvEvents`,
        fix: "Change --data-parallel-size, or remove kvEvents.",
      };
    }
  },
};
