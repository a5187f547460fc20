import { type EngineKind, engineKindOf } from "../engines/engine-kind.ts";
import { type Executor, type InferenceRole, isMultiNode } from "../spec/role.ts";
import { engineOf } from "./engine-container.ts";

/** How the pods of a replica form one engine; undefined where a replica is one pod. */
export function executorOf(role: InferenceRole): Executor | undefined {
  if (!isMultiNode(role)) return undefined;
  return role.multinode?.executor ?? defaultExecutorOf(role);
}

/** The executor of a role that names none. */
export const defaultExecutorOf = (role: InferenceRole): Executor =>
  engineKindOf(engineOf(role.template.spec)) === "sglang" ? "sglang" : "ray";

/** The engine that a role starts: under Ray a template without a command is started as `vllm serve`. */
export function engineKindOfRole(role: InferenceRole): EngineKind | undefined {
  const engine = engineOf(role.template.spec);
  const hasCommand = ([engine.command ?? []].flat() as unknown[]).length > 0;
  return engineKindOf(engine) ?? (executorOf(role) === "ray" && !hasCommand ? "vllm" : undefined);
}
