import { holdsDeferred } from "../../kubernetes/values/deferred.ts";
import { isMap } from "../../kubernetes/values/records.ts";
import { acceleratorTypes } from "../accelerators/index.ts";
import { type EngineName, engines } from "../engines/index.ts";
import type { Path, Problem } from "../errors.ts";
import type { Finding } from "../invariant.ts";
import { ModelConfigError, modelFromConfig } from "../models/config.ts";
import { type ModelFacts, modelFacts } from "../models/model-facts.ts";
import { AcceleratorNames } from "../spec/accelerator-names.ts";
import { EngineSettings } from "../spec/engine.ts";
import type { Model } from "../spec/model.ts";
import { shapeProblems } from "../spec/shape-problems.ts";
import { longerContext } from "../start-up/context-faults.ts";
import { unevenDivision } from "../start-up/model-division.ts";
import { chosenFit, type DivisionTask, type Fit } from "./division.ts";
import { modelFiles, sourceFaults } from "./model-files.ts";
import { doesNotFit, longerThanModel, noEvenDivision, unknownModel } from "./refusals.ts";
import { servingEngines } from "./serving/index.ts";
import type { ServingTask } from "./serving/serving-engine.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** How the model of a service fits on the accelerators of a role. */
export interface RoleFit {
  readonly facts: ModelFacts;
  readonly fit: Fit;
  readonly base: Pick<ServingTask, "model" | "files" | "accelerator" | "settings">;
}

/** Returns how a model fits on a role; undefined if it does not, or if a value is wrong. The reasons are noted. */
export function roleFit(
  model: Model,
  service: Fields,
  role: Fields,
  at: number,
  problems: Problem[],
): RoleFit | undefined {
  const own = (field: string): Path => (role[field] === undefined ? [field] : ["roles", at, field]);
  const name = read(
    AcceleratorNames,
    role.accelerator ?? service.accelerator,
    own("accelerator"),
    problems,
  );
  const settings = read(
    EngineSettings,
    role.engine ?? service.engine ?? { name: "vllm" },
    own("engine"),
    problems,
  );
  if (name === undefined || settings === undefined) return undefined;
  const note = (path: Path, faults: Iterable<Finding>) => {
    const before = problems.length;
    for (const fault of faults)
      problems.push({ code: "conflict", ...fault, path: [...path, ...fault.path] });
    return problems.length > before;
  };
  const isRefused = [
    note(["model"], sourceFaults(model)),
    note(own("engine"), servingEngines[settings.name].faults(settings)),
    note(own("engine"), pairFaults(settings.name, role.componentType)),
  ].some(Boolean);
  const known = factsOf(model, (fault) => note(["model"], [fault]));
  if (isRefused || known === undefined) return undefined;
  if (known.gated && note(["model"], tokenFaults(model, settings))) return undefined;
  const facts = withStretchedContext(known, settings);
  if (settings.maxModelLen !== undefined && settings.maxModelLen > facts.context) {
    note(own("engine"), [longerThanModel(settings.maxModelLen, model.name, facts.context)]);
    return undefined;
  }
  const accelerator = acceleratorTypes[name];
  const engine = servingEngines[settings.name];
  if (
    settings.image === undefined &&
    engine.image(accelerator.platform, settings.version) === undefined
  ) {
    note(own("engine"), [
      {
        path: ["image"],
        given: `is missing for ${engines[settings.name].title} on ${accelerator.title}`,
        allowed: "an image, since this library knows none for these devices",
        fix: "Set engine.image.",
      },
    ]);
    return undefined;
  }
  const files = modelFiles(model);
  const base = { model, files, accelerator, settings };
  const wanted = isMap(role.multinode) ? role.multinode.nodeCount : undefined;
  const task: DivisionTask = {
    ...{ engine: settings.name, facts, accelerator, settings },
    nodes: typeof wanted === "number" ? wanted : undefined,
    isEven: (division) => evenIn({ ...base, division, context: undefined, kvCacheBytes: 0 }, facts),
  };
  const fit = chosenFit(task);
  if (fit === undefined || !fit.fits) {
    note(own("engine"), [
      fit === undefined ? noEvenDivision(task, model.name) : doesNotFit(task, fit, model.name),
    ]);
    return undefined;
  }
  return { facts, fit, base };
}

/** The plan cannot configure a transfer that an engine reads from a file. */
function* pairFaults(engine: EngineName, componentType: unknown): Iterable<Finding> {
  if (componentType === "worker" || engines[engine].transfer !== undefined) return;
  const { title } = engines[engine];
  yield {
    path: ["name"],
    given: `is ${engine} for prefillers and decoders, and ${title} reads their transfer of KV blocks from a file`,
    allowed: "vllm or sglang for prefillers and decoders",
    fix: "Choose one of these, or give the role a template and the service no model.",
  };
}

function* tokenFaults(model: Model, { env }: EngineSettings): Iterable<Finding> {
  const { name, source, token, cache } = model;
  if (source !== "huggingFace" || token !== undefined || cache !== undefined) return;
  if ("HF_TOKEN" in env || "HUGGING_FACE_HUB_TOKEN" in env) return;
  yield {
    path: ["token"],
    given: `is missing, and Hugging Face has ${name} for accounts that accepted its terms`,
    allowed: "a Secret with the token of such an account",
    fix: "Accept the terms on the model's page, and set model.token to the Secret.",
  };
}

/** Returns the facts of a model by its own file, else by its name. */
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

/** Arguments and variables by which engines take a longer context than the model's own file has. */
const stretching = /^--(hf-overrides|rope-scaling|json-model-override-args)/;
const allowingLonger = Object.values(longerContext);

function withStretchedContext(facts: ModelFacts, settings: EngineSettings): ModelFacts {
  const { args, env, maxModelLen = 0 } = settings;
  const isStretched =
    args.some((word) => stretching.test(word)) || allowingLonger.some((name) => name in env);
  return isStretched ? { ...facts, context: Math.max(facts.context, maxModelLen) } : facts;
}

/** Returns whether no rank gets a part of a head or block, by the rule that also judges templates. */
export function evenIn(task: ServingTask, facts: DivisionTask["facts"]): boolean {
  const { settings, division } = task;
  const engine = servingEngines[settings.name];
  const container = {
    name: settings.name,
    image: `${settings.name}:0`,
    command: engine.command(task.accelerator.platform) ?? ["vllm", "serve"],
    args: engine.args(task),
  };
  return unevenDivision(container as never, division.devices, facts) === undefined;
}

/** Parses one of the values; its problems are noted. */
export function read<T>(
  schema: { safeParse(value: unknown): { data?: T } } & Parameters<typeof shapeProblems>[0],
  value: unknown,
  path: Path,
  problems: Problem[],
): T | undefined {
  problems.push(
    ...shapeProblems(schema, value).map((each) => ({ ...each, path: [...path, ...each.path] })),
  );
  return schema.safeParse(value).data;
}
