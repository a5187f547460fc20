import { wordsOf } from "../command-line/started-programs.ts";
import { engineNameOf } from "../engines/index.ts";
import { hasNoServer } from "../engines/server.ts";
import { groupPortIn } from "../executors/index.ts";
import type { Finding } from "../invariant.ts";
import type { Container } from "../spec/role.ts";
import { serverPortOf } from "../topology/engine-container.ts";
import { probedPort } from "./leader-probes.ts";

/** Rule on the readiness probes of engines. Shared by the rules on specs and on stacks. */
export const readinessAsksTheServer = {
  id: "readiness-asks-the-serving-port",
  title: "An engine's readiness probe checks the port that serves the model",
  why: "If nothing listens on the probed port, the pod is never ready. If another server does, the pod gets requests while the model loads.",
  source:
    "k8s.io/kubernetes, readinessProbe; Gateway API inference extension: pools hold ready pods",
  code: "reference",
} as const;

/** Returns the fault in the port of an engine's readiness probe. Undefined if the port may be correct. */
export function misplacedReadiness(engine: Container): Omit<Finding, "path"> | undefined {
  const probed = probedPort(engine.readinessProbe, engine);
  const served = serverPortOf(engine);
  if (engineNameOf(engine) === undefined || hasNoServer(engine)) return undefined;
  if (probed === undefined || served === undefined || probed === served) return undefined;
  const words = wordsOf(engine);
  // A command may start several programs. Another rule checks probes of the group's port.
  const isNamed = words.some(({ text }) => [String(probed), `--port=${probed}`].includes(text));
  if (isNamed || [probed, served].includes(groupPortIn(engine) ?? -1)) return undefined;
  return {
    given: `checks port ${probed}, but the engine serves on port ${served}`,
    allowed: String(served),
    fix: "Change the port of the probe or of the engine.",
  };
}
