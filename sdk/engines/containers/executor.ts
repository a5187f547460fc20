import type { PodSpec } from "../../schemas/pod-template.ts";
import { defaultExecutorFor, type ExecutorName, executors } from "../groups/index.ts";
import { engineNameOf, hasCommand } from "../index.ts";
import type { EngineName } from "../interface/engine.ts";
import type { Bootstrap } from "../interface/executor.ts";
import { engineOf } from "./engine-container.ts";

/** Pods of one replica of a role. */
interface Replica {
  readonly template: { readonly spec: PodSpec };
  readonly multinode?:
    | { readonly nodeCount: number; readonly executor?: ExecutorName | undefined }
    | undefined;
}

/** Returns the number of pods per replica. */
export const nodeCountOf = ({ multinode }: Pick<Replica, "multinode">): number =>
  multinode?.nodeCount ?? 1;

export const isMultiNode = (role: Pick<Replica, "multinode">): boolean => nodeCountOf(role) >= 2;

/** Returns how the pods of a replica form one engine; undefined for a replica of one pod, or if that is unknown. */
export function executorOf(role: Replica): ExecutorName | undefined {
  if (!isMultiNode(role)) return undefined;
  return role.multinode?.executor ?? defaultExecutorOf(role);
}

/**
 * Returns the executor of a role that names no executor; undefined if the template does not show which executor its
 * image contains.
 */
export function defaultExecutorOf({ template }: Replica): ExecutorName | undefined {
  const engine = engineOf(template.spec);
  return defaultExecutorFor(engineNameOf(engine), engine.image);
}

/** Returns how the plan forms the group of a replica; undefined for single pods, and if the template forms it. */
export function bootstrapOf(role: Replica): Bootstrap | undefined {
  const executor = executorOf(role);
  return executor && executors[executor].bootstrap;
}

/**
 * Returns the engine that a role starts: by its template, otherwise the one that its executor starts without a
 * command.
 */
export function engineNameOfRole(role: Replica): EngineName | undefined {
  const engine = engineOf(role.template.spec);
  const byDefault = hasCommand(engine) ? undefined : bootstrapOf(role)?.engineWithoutCommand;
  return engineNameOf(engine) ?? byDefault;
}
