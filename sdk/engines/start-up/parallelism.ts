import type { FindingText } from "../../invariant.ts";
import { type CommandLine, startedBy } from "../command-line/started-programs.ts";
import { argumentsOf, engineNameOf, engines } from "../index.ts";
import type { Parallelism } from "../interface/start-up.ts";
import { type Arguments, notKnown } from "../options/arguments.ts";

/** Undefined if the engine or one of the numbers is unknown. */
export function parallelismOf(container: CommandLine): Parallelism | undefined {
  const engine = engineNameOf(container);
  if (engine === undefined) return undefined;
  const args = argumentsOf(container);
  const { modelFactors, copies, copiesUse } = engines[engine];
  const use = copiesUse(args);
  const read = (option: string | undefined) => numberOf(args, option);
  const tensor = read(modelFactors.tensor);
  const pipeline = read(modelFactors.pipeline);
  const context = read(modelFactors.context);
  const data = read(copies.data);
  const dataLocal = read(copies.dataLocal);
  const all = [tensor, pipeline, context, data, dataLocal];
  if (all.some((number) => Number.isNaN(number))) return undefined;
  return {
    engine,
    tensor: tensor ?? 1,
    pipeline: pipeline ?? 1,
    context: context ?? 1,
    data: use === "further" ? (data ?? 1) : 1,
    // Each pod starts one of the copies.
    dataLocal: dataLocal ?? (use === "others" ? 1 : undefined),
    isSet: all.some((number) => number !== undefined),
  };
}

/** Applies to a service at preview, and to the objects of a stack. */
export const parallelismFits = {
  id: "parallelism-fits-the-gpus",
  title: "A replica has as many accelerators as its engine has ranks",
  why: "With more ranks than accelerators the engine waits forever or does not start.",
  source:
    "vLLM: tensor times pipeline times prefill context times data parallel size; SGLang: --tp, --pp, --dp; TensorRT-LLM: --tp_size, --pp_size, --cp_size",
  code: "count",
} as const;

/** Applies to a service at preview, and to the objects of a stack. */
export const acceleratorsAreUsed = {
  ...parallelismFits,
  id: "accelerators-are-used",
  title: "An engine uses all accelerators of its replica",
  why: "With fewer ranks than accelerators the engine serves, but some accelerators stay idle.",
} as const;

/** The two rules on the ranks of an engine. */
export type RankRule = typeof parallelismFits | typeof acceleratorsAreUsed;

/**
 * Returns the fault of an engine that is configured for more or fewer accelerators than its replica has.
 *
 * @param gpus accelerators of one pod; 0 disables the check
 * @param size pods of the replica
 */
export function unfitParallelism(
  container: CommandLine,
  gpus: number,
  size: number,
  rule: RankRule,
): FindingText | undefined {
  const parallelism = parallelismOf(container);
  if (!parallelism?.isSet || gpus === 0) return undefined;
  const { tensor, pipeline, context, data, dataLocal } = parallelism;
  const isLocal = dataLocal !== undefined;
  const factors = [tensor, pipeline, context, isLocal ? dataLocal : data];
  const ranks = factors.reduce((product, factor) => product * factor, 1);
  const devices = isLocal ? gpus : gpus * size;
  if (ranks === devices || ranks > devices !== (rule === parallelismFits)) return undefined;
  // If a copy spans several pods, each pod contains only a part of it.
  if (isLocal && tensor * pipeline * context * data === gpus * size) return undefined;
  const product = factors.filter((each) => each !== 1).join(" x ");
  const sizes = /x/.test(product) ? ` (${product})` : "";
  return {
    given: `set parallel sizes for ${accelerators(ranks)}${sizes}, but the ${isLocal ? "pod" : "replica"} has ${devices}`,
    allowed: `parallel sizes for ${accelerators(devices)}`,
    fix: "Change the parallel sizes, the number of pods per replica, or the accelerators per pod.",
  };
}

/** Returns the fault of an engine without parallel sizes in a single pod with several accelerators. */
export function unusedAccelerators(container: CommandLine, gpus: number): FindingText | undefined {
  const parallelism = parallelismOf(container);
  if (parallelism === undefined || parallelism.isSet || gpus <= 1 || startsSeveral(container))
    return undefined;
  const { tensor: option } = engines[parallelism.engine].modelFactors;
  return {
    given: `set no parallel size, so the engine uses 1 accelerator, but the pod has ${gpus}`,
    allowed: `parallel sizes for ${accelerators(gpus)}`,
    fix: `Set ${option ?? "a parallel size"} ${gpus}, or request 1 accelerator.`,
  };
}

/** Whether a script starts several engines, each with some of the accelerators. */
function startsSeveral(container: CommandLine): boolean {
  const servers = startedBy(container).programs.filter((program) =>
    Object.values(engines).some((engine) => engine.serverArguments(program) !== undefined),
  );
  return servers.length > 1;
}

const accelerators = (count: number) => `${count} accelerator${count === 1 ? "" : "s"}`;

/** Returns the number in an option; NaN for any other value, undefined if it is not set. */
function numberOf(args: Arguments, option: string | undefined): number | undefined {
  const text = option === undefined ? undefined : args.value(option);
  if (text === undefined) return undefined;
  return text !== notKnown && /^\d+$/.test(text) ? Number(text) : Number.NaN;
}
