import { judged, type StartUp, type StartUpFinding } from "../interface/start-up.ts";
import { type StartUpKindName, startUpKinds } from "../interface/start-up-kinds.ts";

/** Returns the known reasons of some kinds why an engine will not start. Unknown options are not checked. */
export function* startUpFaults(
  startUp: StartUp,
  kinds: readonly StartUpKindName[] = Object.keys(startUpKinds) as StartUpKindName[],
): Iterable<StartUpFinding> {
  if (startUp.args.isOpen) return;
  for (const kind of kinds) {
    const check = startUp.engine.checks[kind];
    if (check !== undefined) yield* judged(kind, check, startUp);
  }
}
