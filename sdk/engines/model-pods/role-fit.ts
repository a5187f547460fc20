import { z } from "zod";
import { holdsDeferred } from "../../../kubernetes/values/deferred.ts";
import { present } from "../../../kubernetes/values/present.ts";
import { type Fields, isMap } from "../../../kubernetes/values/records.ts";
import type { Path, Problem } from "../../errors.ts";
import type { Finding } from "../../invariant.ts";
import { shapeProblems } from "../../schemas/shape-problems.ts";
import type { AcceleratorType } from "../accelerators/accelerator.ts";
import { acceleratorTypes } from "../accelerators/index.ts";
import { unevenParts } from "../checks/model-division.ts";
import { defaultExecutorFor, executorsFor } from "../groups/index.ts";
import { engines } from "../index.ts";
import type { EngineName } from "../interface/engine.ts";
import { publishedImage } from "../interface/published-images.ts";
import type { Division, ServingTask } from "../interface/serving-engine.ts";
import { ModelConfigError, modelFromConfig } from "../models/config.ts";
import { type ModelFacts, modelFacts } from "../models/model-facts.ts";
import { AcceleratorNames, AcceleratorResource } from "../spec/accelerator-names.ts";
import { EngineSettings } from "../spec/engine.ts";
import type { Model } from "../spec/model.ts";
import { NetworkDevices } from "../spec/network-devices.ts";
import { isShared } from "../start-up/launch-faults.ts";
import { chosenFit, type DivisionTask, type Fit } from "./division.ts";
import { modelFiles, sourceFaults, volumeFaults } from "./model-files.ts";
import { networkFaults, networkParts } from "./network-parts.ts";
import { argumentFaults } from "./own-arguments.ts";
import { doesNotFit, longerThanModel, noEvenDivision, unknownModel } from "./refusals.ts";

/** How the model of a service fits on the accelerators of a role. */
export interface RoleFit {
  readonly facts: ModelFacts;
  readonly fit: Fit;
  readonly base: Pick<
    ServingTask,
    "model" | "files" | "accelerator" | "settings" | "network" | "transferDevices"
  >;
}

/**
 * Returns how a model fits on a role; undefined if it does not fit or a value is invalid. Problems are passed to
 * `note`.
 */
export function roleFit(
  model: Model,
  service: Fields,
  role: Fields,
  at: number,
  problems: Problem[],
): RoleFit | undefined {
  const before = problems.length;
  const own = (field: string): Path => (role[field] === undefined ? [field] : ["roles", at, field]);
  const name = read(
    AcceleratorNames,
    role.accelerator ?? service.accelerator,
    own("accelerator"),
    problems,
  );
  const { value: settings, dropped } = readPartly(
    EngineSettings,
    role.engine ?? service.engine ?? { name: "vllm" },
    own("engine"),
    problems,
  );
  const devices = role.network ?? service.network;
  const network =
    devices === undefined ? undefined : read(NetworkDevices, devices, own("network"), problems);
  const resource = read(
    AcceleratorResource,
    role.acceleratorResource ?? service.acceleratorResource,
    own("acceleratorResource"),
    problems,
  );
  const note = (path: Path, faults: Iterable<Finding>) => {
    for (const fault of faults)
      problems.push({ code: "conflict", ...fault, path: [...path, ...fault.path] });
  };
  note(["model"], sourceFaults(model));
  const known = factsOf(model, (fault) => note(["model"], [fault]));
  if (settings === undefined) return undefined;
  // Without a valid accelerator, only problems that no accelerator solves are reported.
  const accelerator = { ...acceleratorTypes[name ?? "h100-sxm"], ...present({ resource }) };
  const engine = engines[settings.name].serving;
  const isPair = role.componentType !== "worker";
  note(own("engine"), engine.faults(settings));
  note(own("engine"), argumentFaults(settings));
  note(own("engine"), imageFaults(settings));
  note(own("engine"), offloadFaults(settings));
  note(own("engine"), copyFaults(settings));
  if (name !== undefined) note(own("engine"), shareFaults(settings, accelerator.resource));
  if (isPair) note(own("engine"), pairFaults(settings));
  if (name !== undefined && network !== undefined)
    note(
      own("network"),
      networkFaults(network, accelerator.platform, settings.image !== undefined),
    );
  if (
    name !== undefined &&
    dropped.length === 0 &&
    settings.image === undefined &&
    engine.image(accelerator.platform, settings.version) === undefined
  )
    note(own("engine"), [
      {
        path: ["image"],
        given: `is missing, and there is no default image of ${engines[settings.name].title} for ${accelerator.title}`,
        allowed: "an image that supports this accelerator",
        fix: "Set engine.image.",
      },
    ]);
  if (known === undefined) return undefined;
  const facts = withStretchedContext(known, settings);
  const { maxModelLen = 0 } = settings;
  const isTooLong =
    maxModelLen > facts.context && !dropped.includes("args") && !dropped.includes("env");
  if (isTooLong) note(own("engine"), [longerThanModel(maxModelLen, model.name, facts.context)]);
  const files = modelFiles(model);
  const base = {
    ...{ model, files, accelerator, settings },
    transferDevices: isPair ? network?.hcas : undefined,
  };
  const { nodeCount: wanted, executor } = isMap(role.multinode) ? role.multinode : {};
  const task: DivisionTask = {
    ...{ engine: settings.name, facts, accelerator },
    settings: isTooLong ? { ...settings, maxModelLen: undefined } : settings,
    ...groupsOf(settings, accelerator, executor),
    nodes: typeof wanted === "number" ? wanted : undefined,
    isEven: evenIn(settings.name, facts),
  };
  const fit = chosenFit(task);
  if (fit === undefined) note(own("engine"), [noEvenDivision(task, model.name)]);
  else if (!fit.fits && name !== undefined && dropped.length === 0)
    note(own("engine"), [doesNotFit(task, fit, model.name)]);
  if (fit === undefined || name === undefined || problems.length > before) return undefined;
  const isConnected = network !== undefined && (isPair || fit.division.nodes > 1);
  return { facts, fit, base: isConnected ? { ...base, network: networkParts(network) } : base };
}

function* offloadFaults({ kvOffload }: EngineSettings): Iterable<Finding> {
  if (kvOffload?.disk !== undefined) yield* volumeFaults(kvOffload.disk, ["kvOffload", "disk"]);
}

/** Returns whether the image is a published image of another engine. */
function* imageFaults({ name, image }: EngineSettings): Iterable<Finding> {
  const contained = publishedImage(image)?.engine;
  if (contained === undefined || contained === name) return;
  yield {
    path: ["image"],
    given: `is ${String(image)}, which contains ${engines[contained].title}`,
    allowed: `an image of ${engines[name].title}`,
    fix: `Remove image to use the default one, or set engine.name to ${contained}.`,
  };
}

/** Returns whether copies of the attention layers have pipeline stages on an engine that does not support both. */
function* copyFaults({
  name,
  dataParallel,
  pipelineParallel = 1,
}: EngineSettings): Iterable<Finding> {
  if (dataParallel === 1 || pipelineParallel === 1 || engines[name].serving.stagesCopies) return;
  yield {
    path: ["pipelineParallel"],
    given: `is ${pipelineParallel} with dataParallel ${dataParallel}`,
    allowed: "pipeline stages or data parallel copies",
    fix: "Remove pipelineParallel, or set dataParallel to 1.",
  };
}

/** Returns whether the devices are shared with other containers, without a share of their memory. */
function* shareFaults(
  { memoryFraction }: EngineSettings,
  resource: string | undefined,
): Iterable<Finding> {
  if (!isShared(resource) || memoryFraction !== undefined) return;
  yield {
    path: ["memoryFraction"],
    given: `is missing, but other containers may use the same devices of ${resource}`,
    allowed: "the container's part of the device's memory, such as 0.45 for two containers",
    fix: "Set memoryFraction to this part.",
  };
}

/** Returns which groups the pods of an engine can form, by the role's executor or the default one. */
export function groupsOf(
  settings: EngineSettings,
  { platform }: Pick<AcceleratorType, "platform">,
  executor?: unknown,
): Pick<DivisionTask, "formsGroups" | "dividesCopies"> {
  const { name, version } = settings;
  const image = settings.image ?? engines[name].serving.image(platform, version);
  return {
    formsGroups: executor !== undefined || executorsFor(name).length > 0,
    dividesCopies: (executor ?? defaultExecutorFor(name, image)) !== "ray",
  };
}

/** Returns the settings that prefillers and decoders cannot have. */
function* pairFaults({ name, kvOffload }: EngineSettings): Iterable<Finding> {
  const { title, transfer } = engines[name];
  if (transfer === undefined)
    yield {
      path: ["name"],
      given: `is ${name} for prefillers and decoders, but ${title} reads the KV cache transfer from a file`,
      allowed: "vllm or sglang for prefillers and decoders",
      fix: "Use one of these, or remove model and write the role's template.",
    };
  if (kvOffload !== undefined)
    yield {
      path: ["kvOffload"],
      given: `is set for a prefiller or decoder, but ${title} with this setting does not start, or starts without the KV cache transfer`,
      allowed: "kvOffload only for workers",
      fix: "Remove kvOffload, or write the role's template with the required connectors.",
    };
}

/** Returns the facts of a model, from its config if that is given, otherwise by its name. */
function factsOf({ name, config }: Model, note: (fault: Finding) => void): ModelFacts | undefined {
  if (config === undefined) {
    const known = modelFacts(name);
    if (known === undefined) note(unknownModel(name));
    return known;
  }
  // The rule on Outputs refuses it.
  if (holdsDeferred(config)) return undefined;
  try {
    return modelFromConfig(config);
  } catch (error) {
    if (!(error instanceof ModelConfigError)) throw error;
    note({
      path: ["config"],
      given: `cannot be read: ${error.message}`,
      allowed: "the contents of the model's config.json",
      fix: "Correct the file.",
    });
    return undefined;
  }
}

/** Arguments and variables with which engines accept a longer context than the context in the model's config. */
const stretching = /^--(hf-overrides|rope-scaling|json-model-override-args)/;
const allowingLonger = Object.values(engines).flatMap(({ longerContext = [] }) => longerContext);

function withStretchedContext(facts: ModelFacts, settings: EngineSettings): ModelFacts {
  const { args, env, maxModelLen = 0 } = settings;
  const isStretched =
    args.some((word) => stretching.test(word)) || allowingLonger.some((name) => name in env);
  return isStretched ? { ...facts, context: Math.max(facts.context, maxModelLen) } : facts;
}

/** Returns whether a division splits no head, expert or quantization block. Templates are checked by the same rule. */
export const evenIn = (name: EngineName, facts: ModelFacts) => (division: Division) =>
  unevenParts(facts, engines[name].serving.partRanks(division)).length === 0;

/** Parses the value at a path. Its problems are noted. */
export function read<T>(
  schema: z.ZodType<T>,
  value: unknown,
  path: Path,
  problems: Problem[],
): T | undefined {
  // Inside its object, so that the problem names the field, as the schema of the whole spec does.
  const field = String(path.at(-1));
  const found = shapeProblems(z.object({ [field]: schema }), { [field]: value });
  problems.push(...found.map((each) => ({ ...each, path: [...path.slice(0, -1), ...each.path] })));
  return schema.safeParse(value).data;
}

/** A value without the fields that have problems, so that one fault hides no fault of another field. */
interface PartlyRead<T> {
  /** Undefined if the value cannot be read without these fields either. */
  readonly value: T | undefined;
  /** Names of the fields that have problems. */
  readonly dropped: readonly string[];
}

/** Parses the value at a path, without the fields that have problems. The problems are noted. */
export function readPartly<T>(
  schema: z.ZodType<T>,
  value: unknown,
  path: Path,
  problems: Problem[],
): PartlyRead<T> {
  const found: Problem[] = [];
  const whole = read(schema, value, path, found);
  problems.push(...found);
  if (whole !== undefined || !isMap(value)) return { value: whole, dropped: [] };
  const dropped = found.map((each) => String(each.path[path.length]));
  const kept = Object.fromEntries(Object.entries(value).filter(([key]) => !dropped.includes(key)));
  return { value: schema.safeParse(kept).data, dropped };
}
