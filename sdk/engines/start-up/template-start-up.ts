/** The start of the engine of a pod template. */

import { isDeferred } from "../../../kubernetes/values/deferred.ts";
import type { Container } from "../../schemas/pod-template.ts";
import type { AcceleratorType } from "../accelerators/accelerator.ts";
import type { NamedAccelerator } from "../accelerators/named-accelerator.ts";
import { acceleratorsOf } from "../accelerators/pod-accelerators.ts";
import { scriptReadsVariables } from "../command-line/environment.ts";
import type { CommandLine } from "../command-line/started-programs.ts";
import { loadedModel } from "../containers/served-models.ts";
import { argumentsOf, engineNameOf, engines } from "../index.ts";
import type { Environment, ProbeBudget, StartUp } from "../interface/start-up.ts";
import { type ModelFacts, modelFacts } from "../models/model-facts.ts";
import { containerLimit } from "./container-limit.ts";
import { parallelismOf } from "./parallelism.ts";
import { acceleratorOfPod, type Selecting } from "./template-accelerator.ts";

/** Facts about a pod that its template does not contain. */
export interface PodContext {
  /** Pods of one replica. */
  readonly pods: number;
  /** Accelerator of the service. Default: the one that the template selects. */
  readonly accelerator?: AcceleratorType | undefined;
  /** The model of a typed service. Default: by the name that the command loads. */
  readonly model?:
    | {
        readonly name: string;
        readonly facts: ModelFacts;
        /** Rate of its source, in MiB per second. */
        readonly mebibytesPerSecond?: number | undefined;
      }
    | undefined;
  readonly named?: readonly NamedAccelerator[] | undefined;
}

/**
 * Rate in MiB per second at which models are loaded, if it is not set. It is high on purpose: a fault at this rate is
 * a fault at lower rates too.
 */
export const usualMebibytesPerSecond = 300;

/** Returns the start of an engine; undefined if the engine, its sizes or its model are unknown. */
export function startUpOf(
  engine: CommandLine,
  pod: Selecting,
  { pods, accelerator, model, named }: PodContext,
): StartUp | undefined {
  const name = engineNameOf(engine);
  if (name === undefined) return undefined;
  const modelName = model?.name ?? loadedModel(engine);
  const facts = model?.facts ?? (modelName === undefined ? undefined : modelFacts(modelName));
  const parallelism = parallelismOf(engine);
  if (modelName === undefined || facts === undefined || parallelism === undefined) return undefined;
  const container = engine as unknown as Container;
  const isHub = loadedModel(engine) === modelName;
  return {
    engine: engines[name],
    version: engines[name].versionOf(engine.image),
    container: engine,
    args: argumentsOf(engine),
    env: environmentOf(container),
    ...{ modelName, facts, parallelism, pods },
    accelerator: accelerator ?? acceleratorOfPod(pod),
    devices: acceleratorsOf(container, named) ?? 0,
    memoryLimit: containerLimit(container, "memory"),
    probe: probeOf(container),
    bytesPerSecond: (model?.mebibytesPerSecond ?? usualMebibytesPerSecond) * 2 ** 20,
    downloads: isHub && !hasCache(container),
  };
}

function environmentOf({ env, envFrom, command, args }: Container): Environment {
  const isUnread = env !== undefined && !Array.isArray(env);
  const entries = new Map<string, unknown>(
    (isUnread ? [] : ((env ?? []) as unknown[])).flatMap((entry) =>
      isDeferred(entry) || typeof entry !== "object" || entry === null
        ? []
        : [[String((entry as { name?: unknown }).name), (entry as { value?: unknown }).value]],
    ),
  );
  return {
    isOpen:
      isUnread ||
      ((envFrom as unknown[] | undefined)?.length ?? 0) > 0 ||
      scriptReadsVariables({ command, args }),
    has: (name) => entries.has(name),
    text: (name) => {
      const value = entries.get(name);
      return typeof value === "string" ? value : undefined;
    },
  };
}

/** Returns the probe that restarts an unresponsive container. */
function probeOf(container: Container): ProbeBudget | undefined {
  const { startupProbe, livenessProbe } = container as Probes;
  const field = startupProbe === undefined ? "livenessProbe" : "startupProbe";
  const probe = startupProbe ?? livenessProbe;
  if (probe === undefined || isDeferred(probe)) return undefined;
  const { initialDelaySeconds = 0, periodSeconds = 10, failureThreshold = 3 } = probe;
  const seconds = Number(initialDelaySeconds) + Number(periodSeconds) * Number(failureThreshold);
  return Number.isFinite(seconds) ? { field, seconds } : undefined;
}

interface Probes {
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
}

type Probe = Readonly<
  Partial<Record<"initialDelaySeconds" | "periodSeconds" | "failureThreshold", unknown>>
>;

/** Whether a volume is mounted where engines store downloads: it may already contain the model. */
export const hasCache = ({ volumeMounts }: Container): boolean =>
  !Array.isArray(volumeMounts ?? []) ||
  ((volumeMounts ?? []) as unknown[]).some((mount) => {
    const path = String((mount as { mountPath?: unknown } | null)?.mountPath ?? "");
    return path !== "/dev/shm";
  });
