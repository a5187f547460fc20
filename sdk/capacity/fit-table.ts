import { present } from "../../kubernetes/values/present.ts";
import { type AcceleratorName, acceleratorTypes } from "../engines/accelerators/index.ts";
import { gibibytes, gibText } from "../engines/memory/gibibytes.ts";
import {
  chosenFit,
  type DivisionTask,
  type Fit,
  fitOf,
  leastContext,
} from "../engines/model-pods/division.ts";
import { evenIn, groupsOf } from "../engines/model-pods/role-fit.ts";
import type { ModelFacts } from "../engines/models/model-facts.ts";
import type { EngineSettings, EngineSettingsInput } from "../engines/spec/engine.ts";
import { formatPath, type Problem, SpecError } from "../errors.ts";
import { parseInferenceService } from "../validate/inference-service.ts";

/** A model, with the engine and the devices to try. */
export interface FitRequest {
  readonly name: string;
  readonly facts: ModelFacts;
  /** Contents of the model's config.json, if the facts are read from it. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly settings: EngineSettings;
  readonly accelerators: readonly AcceleratorName[];
  /** Devices of one replica. Default: the fewest that hold the model. */
  readonly devices?: number;
}

/** One replica of a model on one kind of accelerator. */
export interface FitRow {
  readonly accelerator: AcceleratorName;
  readonly fits: boolean;
  readonly replica?: ReplicaOnDevices;
  /** Reason why the model does not fit, or a setting that the user must add. */
  readonly note: string;
}

export interface ReplicaOnDevices {
  readonly devices: number;
  readonly tensorParallel: number;
  readonly pipelineParallel: number;
  readonly expertParallel: boolean;
  readonly nodes: number;
  /** Weights on the device with the least free memory, in GiB. */
  readonly weightsGiB: number;
  /** Memory on that device for keys and values, in GiB. Undefined if the model keeps no keys and values, or on CPUs. */
  readonly kvCacheGiB?: number;
  /**
   * Longest context in tokens that a plan uses: the model's context, or 90 % of the longest context that fits.
   * `maxModelLen` may be longer.
   */
  readonly longestContext: number;
  /** Number of concurrent requests of 8,192 tokens whose keys and values fit. Undefined above the model's context. */
  readonly concurrency8k?: number;
  /** The same number for 32,768 tokens. */
  readonly concurrency32k?: number;
}

/** Returns a row for each accelerator, sorted by devices and then by memory; accelerators that do not fit are last. */
export function fitTable(request: FitRequest): FitRow[] {
  const rows = request.accelerators.map((name) => rowOf(request, name));
  const devices = ({ replica }: FitRow) => replica?.devices ?? Number.POSITIVE_INFINITY;
  const memory = ({ accelerator }: FitRow) => acceleratorTypes[accelerator].memoryGiB;
  const order = (a: number, b: number) => (a === b ? 0 : a - b);
  return rows.toSorted((a, b) => order(devices(a), devices(b)) || order(memory(a), memory(b)));
}

function rowOf(request: FitRequest, accelerator: AcceleratorName): FitRow {
  const refused = (note: string): FitRow => ({ accelerator, fits: false, note });
  const { facts, settings } = request;
  if (settings.maxModelLen !== undefined && settings.maxModelLen > facts.context)
    return refused(`the model supports ${facts.context} tokens, not ${settings.maxModelLen}`);
  const task = taskOf(request, accelerator);
  const fit = chosenFit(task);
  if (fit === undefined)
    return refused(
      `heads, experts or blocks do not divide evenly over ${request.devices ?? "any number of"} devices`,
    );
  if (!fit.fits) return refused(shortage(task, fit));
  const problems = previewProblems(request, accelerator, fit);
  const [image] = problems.filter(isOfImage);
  const [problem] = problems.filter((each) => !isOfImage(each));
  if (problem !== undefined)
    return refused(`${formatPath(problem.path)} ${problem.given}; allowed: ${problem.allowed}`);
  return {
    ...{ accelerator, fits: true, replica: replicaOf(task, fit) },
    note: image === undefined ? "" : "needs engine.image",
  };
}

function taskOf(request: FitRequest, name: AcceleratorName): DivisionTask {
  const { facts, settings, devices } = request;
  const accelerator = acceleratorTypes[name];
  return {
    ...{ engine: settings.name, facts, accelerator, settings, nodes: undefined },
    ...groupsOf(settings, accelerator),
    isEven: (division) =>
      (devices === undefined || division.nodes * division.devices === devices) &&
      evenIn(settings.name, facts)(division),
  };
}

/** Returns the reason why the devices of the nearest division do not hold the model. */
function shortage({ accelerator, settings, facts }: DivisionTask, { division, memory }: Fit) {
  const devices = division.nodes * division.devices;
  const weights = `${gibText(memory.weights)} of weights on each of ${devices} devices of ${accelerator.memoryGiB.toFixed(1)} GiB`;
  if (memory.available <= 0) return `${weights} leave no memory for the KV cache`;
  const needed = settings.maxModelLen ?? Math.min(facts.context, leastContext);
  return `${weights} leave a context of ${memory.longest} tokens, not ${needed}`;
}

/** Returns the problems that a preview reports for a service with this division. */
function previewProblems(
  { name, config, settings }: FitRequest,
  accelerator: AcceleratorName,
  { division }: Fit,
): readonly Problem[] {
  const engine: EngineSettingsInput = {
    ...settings,
    tensorParallel: division.tensor,
    pipelineParallel: division.pipeline,
    expertParallel: division.expertParallel,
  };
  try {
    parseInferenceService({
      metadata: { name: "fit" },
      spec: {
        model: { name, token: { secret: "token" }, ...(config && { config }) },
        ...{ accelerator, engine, roles: [{ name: "worker", componentType: "worker" }] },
      },
    });
    return [];
  } catch (error) {
    if (error instanceof SpecError) return error.problems;
    throw error;
  }
}

const isOfImage = ({ path }: Problem) => path[0] === "engine" && path[1] === "image";

function replicaOf(task: DivisionTask, { division }: Fit): ReplicaOnDevices {
  const { maxModelLen = 0, ...settings } = task.settings;
  const { memory, context } = fitOf({ ...task, settings }, division);
  const hasCache = memory.bytesPerToken > 0 && Number.isFinite(memory.available);
  const concurrency = (tokens: number) =>
    hasCache && tokens <= task.facts.context ? memory.concurrency(tokens) : undefined;
  return present({
    devices: division.nodes * division.devices,
    tensorParallel: division.tensor,
    pipelineParallel: division.pipeline,
    expertParallel: division.expertParallel,
    nodes: division.nodes,
    weightsGiB: rounded(gibibytes(memory.weights)),
    kvCacheGiB: hasCache ? rounded(gibibytes(memory.available)) : undefined,
    longestContext: Math.max(maxModelLen, context),
    concurrency8k: concurrency(8_192),
    concurrency32k: concurrency(32_768),
  });
}

const rounded = (number: number) => Math.round(number * 100) / 100;
