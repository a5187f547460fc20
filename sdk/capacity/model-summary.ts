import { gibText } from "../engines/memory/gibibytes.ts";
import { type RoleFit, roleFit } from "../engines/model-pods/role-fit.ts";
import type { InferenceServiceSpec } from "../spec/inference-service.ts";
import { isInferenceRole } from "../spec/role.ts";

/** Returns a line for each role of a service with a typed model: the sizes that the plan chose, and the memory. */
export function modelSummaries(spec: InferenceServiceSpec): string[] {
  const { model } = spec;
  if (model === undefined) return [];
  return spec.roles.flatMap((role, at) => {
    if (!isInferenceRole(role)) return [];
    const fit = roleFit(model, { ...spec }, { ...role }, at, []);
    return fit === undefined ? [] : [`role ${role.name}: ${summaryOf(fit)}`];
  });
}

function summaryOf({ base, facts, fit }: RoleFit): string {
  const { division, memory, context } = fit;
  const { accelerator, model } = base;
  if (accelerator.resource === undefined)
    return `${model.name} on ${accelerator.title}, contexts of up to ${context} tokens`;
  const { tensor, pipeline, data, nodes, devices } = division;
  const sizes = [
    `tensor parallel ${tensor}`,
    ...(pipeline > 1 ? [`pipeline parallel ${pipeline}`] : []),
    ...(data > 1 ? [`data parallel ${data}`] : []),
    ...(division.expertParallel ? ["expert parallel"] : []),
  ];
  const places =
    nodes > 1
      ? `${nodes} nodes of ${devices} ${accelerator.title}`
      : `${devices} ${accelerator.title}`;
  const cache = facts.encoder
    ? ""
    : `, ${gibText(memory.available)} of KV cache for ${memory.tokens} tokens, contexts of up to ${context}`;
  return `${model.name} on ${places} (${sizes.join(", ")}): ${gibText(memory.weights)} of weights on each${cache}`;
}
