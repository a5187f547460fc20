import { type Executor, type InferenceRole, isMultiNode } from "../spec/role.ts";
import { engineOf } from "./engine-container.ts";
import { engineKindOf } from "./engine-kind.ts";

/** How the pods of a replica form one engine; undefined where a replica is one pod. */
export function executorOf(role: InferenceRole): Executor | undefined {
  if (!isMultiNode(role)) return undefined;
  return role.multinode?.executor ?? defaultExecutorOf(role);
}

/** The executor of a role that names none. */
export const defaultExecutorOf = (role: InferenceRole): Executor =>
  engineKindOf(engineOf(role.template.spec)) === "sglang" ? "sglang" : "ray";
