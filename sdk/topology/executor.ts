import { type EngineName, engineNameOf, hasCommand } from "../engines/index.ts";
import type { Bootstrap } from "../executors/executor.ts";
import { defaultExecutorFor, type ExecutorName, executors } from "../executors/index.ts";
import { type InferenceRole, isMultiNode } from "../spec/role.ts";
import { engineOf } from "./engine-container.ts";

/** Returns how the pods of a replica form one engine; undefined for a replica of one pod, or if that is unknown. */
export function executorOf(role: InferenceRole): ExecutorName | undefined {
  if (!isMultiNode(role)) return undefined;
  return role.multinode?.executor ?? defaultExecutorOf(role);
}

/**
 * Returns the executor of a role that names none; undefined if its template does not show which one its image
 * contains.
 */
export function defaultExecutorOf({ template }: InferenceRole): ExecutorName | undefined {
  const engine = engineOf(template.spec);
  return defaultExecutorFor(engineNameOf(engine), engine.image);
}

/** Returns how the plan forms the group of a replica; undefined for single pods, and if the template forms it. */
export function bootstrapOf(role: InferenceRole): Bootstrap | undefined {
  const executor = executorOf(role);
  return executor && executors[executor].bootstrap;
}

/**
 * Returns the engine that a role starts: by its template, otherwise the one that its executor starts without a
 * command.
 */
export function engineNameOfRole(role: InferenceRole): EngineName | undefined {
  const engine = engineOf(role.template.spec);
  const byDefault = hasCommand(engine) ? undefined : bootstrapOf(role)?.engineWithoutCommand;
  return engineNameOf(engine) ?? byDefault;
}
