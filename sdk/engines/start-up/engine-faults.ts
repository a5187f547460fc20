import { isMap } from "../../../kubernetes/values/records.ts";
import type { PodSpec } from "../../schemas/pod-template.ts";
import type { CommandLine } from "../command-line/started-programs.ts";
import { engineOf } from "../containers/engine-container.ts";
import { judged, type StartUp, type StartUpFinding } from "../interface/start-up.ts";
import { memoryKinds, type StartUpKindName, startUpKinds } from "../interface/start-up-kinds.ts";
import { launchFaults } from "./launch-faults.ts";
import { decidingAccelerator, type Selecting } from "./template-accelerator.ts";
import { type PodContext, startUpOf } from "./template-start-up.ts";
import { unevenDivision } from "./uneven-division.ts";

/** Returns the known reasons of some kinds why an engine will not start. Unknown options are not checked. */
function* startUpFaults(
  startUp: StartUp,
  kinds: readonly StartUpKindName[] = Object.keys(startUpKinds) as StartUpKindName[],
): Iterable<StartUpFinding> {
  if (startUp.args.isOpen) return;
  for (const kind of kinds) {
    const check = startUp.engine.checks[kind];
    if (check !== undefined) yield* judged(kind, check, startUp);
  }
}

/**
 * Returns the reasons why the engine of a pod will not start: what its release lacks, the division of its model, then all other kinds.
 */
export function* engineFaults(
  engine: CommandLine,
  pod: Selecting,
  context: PodContext,
): Iterable<StartUpFinding> {
  yield* launchFaults(engine, pod);
  const startUp = startUpOf(engine, pod, context);
  if (startUp === undefined) return;
  const uneven = unevenDivision(engine, startUp.devices, startUp.facts);
  if (uneven !== undefined) yield { kind: "division", ...uneven };
  yield* startUpFaults(startUp);
  if (startUp.accelerator === undefined)
    yield* startUpFaults({ ...startUp, accelerator: decidingAccelerator(pod) }, memoryKinds);
}

/** Returns the same for a template whose shape is not checked yet; nothing for a value that is not a template. */
export function* templateFaults(template: unknown, context: PodContext): Iterable<StartUpFinding> {
  const spec = isMap(template) ? template.spec : undefined;
  if (!isMap(spec) || !Array.isArray(spec.containers) || !spec.containers.every(isMap)) return;
  const pod = spec as unknown as PodSpec;
  yield* engineFaults(engineOf(pod), pod, context);
}
