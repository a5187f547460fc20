import { isMap } from "../../kubernetes/values/records.ts";
import type { Problem } from "../errors.ts";
import { type ModelFacts, weightBytes } from "../models/model-facts.ts";
import { Model } from "../spec/model.ts";
import type { Fit } from "./division.ts";
import { engineTemplate } from "./engine-pod.ts";
import { mergedTemplate } from "./merged-template.ts";
import { type Fields, type RoleFit, read, roleFit } from "./role-fit.ts";

/** A spec whose engine roles all have a template, and what is wrong with the values that templates are made from. */
export interface Templated {
  readonly spec: unknown;
  readonly problems: readonly Problem[];
  /** Roles whose template could not be made. */
  readonly unmade: readonly number[];
}

/**
 * Writes the pod template of each engine role of a service that names a model, so that everything after it sees
 * templates only. A role's own template wins field by field. A spec without a model is returned as it is.
 */
export function withTemplates(written: unknown): Templated {
  if (!isMap(written) || written.model === undefined || !Array.isArray(written.roles))
    return { spec: written, problems: [], unmade: [] };
  const problems: Problem[] = [];
  const unmade: number[] = [];
  const model = read(Model, written.model, ["model"], problems);
  const roles = written.roles.map((role: unknown, at) => {
    if (!isMap(role) || role.componentType === "router") return role;
    const found: Problem[] = [];
    const fit = model && roleFit(model, written, role, at, found);
    problems.push(...found);
    if (fit === undefined) unmade.push(at);
    return fit === undefined ? role : withTemplate(role, fit);
  });
  const once = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
  return { spec: { ...written, roles }, problems: [...once.values()], unmade };
}

/** KV cache of an engine on CPUs, in contexts: one that runs and one that begins. */
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
    template: mergedTemplate(engineTemplate(settings.name, task, weightBytes(facts)), own),
  };
}
