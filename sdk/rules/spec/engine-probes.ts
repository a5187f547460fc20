import { wordsOf } from "../../engines/command-line/started-programs.ts";
import { serverPortOf } from "../../engines/containers/engine-container.ts";
import { hasNoServer, isGrpcServer, portByCommand } from "../../engines/containers/server.ts";
import { groupPortIn } from "../../engines/groups/index.ts";
import { argumentsOf, engineNameOf, engines, isOwnServer } from "../../engines/index.ts";
import { whatIsKnown } from "../../engines/options/arguments.ts";
import type { Finding, FindingText } from "../../invariant.ts";
import type { Container } from "../../schemas/pod-template.ts";
import { probedPort, probeFields } from "../helpers/leader-probes.ts";

/** Rule on the probes of engines. Shared by the rules on specs and on stacks. */
export const probesAskTheServer = {
  id: "readiness-asks-the-serving-port",
  title: "An engine's probes call the port that serves the model, and a path that the engine has",
  why: "If nothing answers a readiness probe, the pod is never ready. A startup or liveness probe restarts the engine forever. If another server answers, the pod gets requests while the model loads.",
  source:
    "k8s.io/kubernetes, probes; Gateway API inference extension: pools hold ready pods; routes of vLLM, SGLang and TensorRT-LLM",
  code: "reference",
} as const;

/**
 * Finds probes of a port or a path at which the engine does not respond. Paths start at the container.
 *
 * @param isForwarded whether another container of the pod listens on a port and forwards HTTP probes to the engine
 */
export function* misplacedProbes(
  engine: Container,
  isForwarded: (port: number) => boolean = () => false,
): Iterable<Finding> {
  if (engineNameOf(engine) === undefined || hasNoServer(engine)) return;
  for (const field of probeFields) {
    const probe = (engine as Record<string, unknown>)[field] as Probe | undefined;
    const probed = probedPort(probe, engine);
    if (probed !== undefined && probe?.httpGet !== undefined && isForwarded(probed)) continue;
    const problem = misplacedPort(engine, probed) ?? missingPath(engine, probe);
    if (problem !== undefined) yield { path: [field], ...problem };
  }
}

interface Probe {
  readonly httpGet?: { readonly path?: unknown };
}

type Problem = FindingText;

function misplacedPort(engine: Container, probed: number | undefined): Problem | undefined {
  // The image of another author may start the engine with another port.
  const byDefault = isOwnServer(engine) ? whatIsKnown(portByCommand(engine)) : undefined;
  const served = byDefault ?? serverPortOf(engine);
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

/** Returns the fault in the path of a probe. Middleware may add paths. */
function missingPath(engine: Container, probe: Probe | undefined): Problem | undefined {
  const name = engineNameOf(engine);
  const path = probe?.httpGet?.path;
  if (name === undefined || typeof path !== "string") return undefined;
  const { paths, healthPath, title } = engines[name];
  if (paths.test(path.split("?")[0] ?? "")) return undefined;
  if (isGrpcServer(engine, name) || argumentsOf(engine).has("--middleware")) return undefined;
  return {
    given: `calls ${path}, which ${title} does not have`,
    allowed: `${healthPath}, which returns 200 once the model is loaded`,
    fix: `Change the path to ${healthPath}.`,
  };
}
