import { type Fields, isMap } from "../../kubernetes/values/records.ts";
import type { Fit } from "../engines/model-pods/division.ts";
import { engineTemplate } from "../engines/model-pods/engine-pod.ts";
import { mergedTemplate } from "../engines/model-pods/merged-template.ts";
import { withFields } from "../engines/model-pods/own-arguments.ts";
import { type RoleFit, readPartly, roleFit } from "../engines/model-pods/role-fit.ts";
import { type ModelFacts, weightBytes } from "../engines/models/model-facts.ts";
import { Model } from "../engines/spec/model.ts";
import { templateFaults } from "../engines/start-up/engine-faults.ts";
import { withWritableHome } from "../engines/start-up/writable-home.ts";
import type { Problem } from "../errors.ts";
import { containersHaveAnImage, missingImages } from "../rules/spec/container-images.ts";

/** A spec with a template for each engine role, and the problems of the values from which templates are made. */
export interface Templated {
  readonly spec: unknown;
  readonly problems: readonly Problem[];
  /** Indexes of roles whose template could not be made. */
  readonly unmade: readonly number[];
}

/**
 * Writes the pod template of each engine role of a service with a typed model, so that later steps only read
 * templates. A role's template wins field by field. A spec without a model is returned unchanged.
 */
export function withTemplates(written: unknown): Templated {
  if (!isMap(written) || written.model === undefined || !Array.isArray(written.roles))
    return { spec: written, problems: [], unmade: [] };
  const problems: Problem[] = [];
  const unmade: number[] = [];
  const { value: model } = readPartly(Model, written.model, ["model"], problems);
  const isWhole = problems.length === 0;
  const roles = written.roles.map((role: unknown, at) => {
    if (!isMap(role) || role.componentType === "router") return role;
    const found: Problem[] = [];
    const fit = model && roleFit(model, written, role, at, found);
    const made = isWhole ? fit && withTemplate(role, fit) : undefined;
    if (fit !== undefined && made !== undefined)
      found.push(...startUpProblems(made, fit, at), ...imageProblems(made, at));
    problems.push(...found);
    if (made === undefined || found.length > 0) unmade.push(at);
    return made ?? role;
  });
  const once = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
  return { spec: { ...written, roles }, problems: [...once.values()], unmade };
}

/** Returns the reasons why the engine of a role would not start, by the rules that also check templates. */
function startUpProblems(role: Fields, { base, facts, fit }: RoleFit, at: number): Problem[] {
  const { model, accelerator, settings } = base;
  const path = role.engine === undefined ? ["engine"] : ["roles", at, "engine"];
  const pods = fit.division.nodes;
  const faults = templateFaults(role.template, { pods, accelerator, model: { ...model, facts } });
  return Array.from(faults, ({ kind, ...fault }) =>
    kind === "token"
      ? missingToken(model.name)
      : { code: "conflict" as const, ...fault, fix: withFields(fault.fix, settings.name), path },
  );
}

/**
 * Returns the problems of containers without an image: a container of a template is a further container if its name is
 * not the name of the engine's container.
 */
function imageProblems({ template, plugins }: Fields, at: number): Problem[] {
  const pod = isMap(template) ? template.spec : undefined;
  const lists = isMap(pod) ? [pod.containers, pod.initContainers ?? []] : [];
  const isWhole =
    lists.length > 0 && lists.every((list) => Array.isArray(list) && list.every(isMap));
  // A plugin may add the image.
  if (!isWhole || plugins !== undefined) return [];
  const found = missingImages(pod as never, ["roles", at, "template", "spec"]);
  return Array.from(found, (finding) => ({ code: containersHaveAnImage.code, ...finding }));
}

const missingToken = (name: string): Problem => ({
  code: "conflict",
  path: ["model", "token"],
  given: `is missing, but on Hugging Face only accounts that accepted its terms can download ${name}`,
  allowed: "a Secret with the token of an account that accepted the terms",
  fix: "Accept the terms on the model's page, and set model.token to the Secret.",
});

/** Size of the KV cache of an engine on CPUs, in contexts: one for a running request and one for the next. */
const contextsOnCpu = 2;

const servingOf = ({ division, context, memory }: Fit, facts: ModelFacts, isWanted: boolean) => ({
  division,
  context: isWanted || context < facts.context ? context : undefined,
  kvCacheBytes: contextsOnCpu * context * memory.bytesPerToken,
});

function withTemplate(role: Fields, { base, facts, fit }: RoleFit): Fields {
  const { multinode, template: own, ...rest } = role;
  const { nodes } = fit.division;
  const { settings } = base;
  const task = { ...base, ...servingOf(fit, facts, settings.maxModelLen !== undefined) };
  return {
    ...rest,
    ...(nodes > 1 || multinode !== undefined
      ? { multinode: { nodeCount: nodes, ...(isMap(multinode) ? multinode : {}) } }
      : {}),
    template: withWritableHome(
      mergedTemplate(engineTemplate(settings.name, task, weightBytes(facts)), own),
      settings.name,
    ),
  };
}
