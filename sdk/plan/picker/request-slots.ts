import { acceleratorTypes } from "../../engines/accelerators/index.ts";
import { engineOf } from "../../engines/containers/engine-container.ts";
import { argumentsOf, engineNameOf, engines } from "../../engines/index.ts";
import { deviceOf } from "../../engines/memory/memory.ts";
import { whatIsKnown } from "../../engines/options/arguments.ts";
import { parallelismOf } from "../../engines/start-up/parallelism.ts";
import { acceleratorOfPod } from "../../engines/start-up/template-accelerator.ts";
import { type InferenceServiceSpec, inferenceRolesOf } from "../../spec/inference-service.ts";
import type { InferenceRole } from "../../spec/role.ts";

/**
 * Returns the number of requests that each endpoint of a service runs at once, by the options and the defaults of its
 * engine. The fewest of all roles. Undefined if the number of a role is unknown: a picker then learns it.
 */
export function requestSlots(spec: InferenceServiceSpec): number | undefined {
  const slots = inferenceRolesOf(spec).map((role) => slotsOf(role, spec));
  const known = slots.filter((each) => each !== undefined);
  return known.length === slots.length && known.length > 0 ? Math.min(...known) : undefined;
}

function slotsOf(role: InferenceRole, spec: InferenceServiceSpec): number | undefined {
  const pod = role.template.spec;
  const engine = engineOf(pod);
  const name = engineNameOf(engine);
  const parallelism = parallelismOf(engine);
  if (name === undefined || parallelism === undefined) return undefined;
  const { option, byDefault } = engines[name].requestSlots;
  const written = argumentsOf(engine).value(option);
  const accelerator = role.accelerator ?? spec.accelerator;
  const type = accelerator === undefined ? acceleratorOfPod(pod) : acceleratorTypes[accelerator];
  const isGpu = type?.platform === "cuda" || type?.platform === "rocm";
  const slots =
    written === undefined ? isGpu && byDefault(deviceOf(type)) : Number(whatIsKnown(written));
  // Each rank behind the port has this number of slots.
  return slots && Number.isInteger(slots) ? slots * Math.max(1, parallelism.data) : undefined;
}
