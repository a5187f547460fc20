import { z } from "zod";
import { argumentsOf, engineNameOf, engines } from "../../engines/index.ts";
import type { ContainerShape } from "../../stack/shapes.ts";
import { acceleratorsOfContainer, engineOfPods } from "../../stack/workloads.ts";
import { probeFields } from "../helpers/leader-probes.ts";
import { eachPodTemplate, rulesOfPack, type StackRule } from "../helpers/stack-rule.ts";

const { objectRule } = rulesOfPack("inference-gpu");

type Probe = NonNullable<ContainerShape["livenessProbe"]>;

const probesTolerateLoad = objectRule(
  { id: "probes-tolerate-load", guidelines: ["G26"], code: "count", level: "advisory" },
  {
    title: "A liveness probe tolerates an engine that does not respond for a while",
    why: "An engine that compiles kernels for new shapes, or is under load, does not respond for up to a minute. A probe that tolerates less ends the engine and all its requests, and does so again after each restart.",
    source: "ai-dynamo/dynamo#14735; k8s.io/kubernetes, livenessProbe",
    fix: "Raise failureThreshold until failureThreshold x periodSeconds is about five minutes.",
    parameters: z.object({
      toleranceSeconds: z
        .int()
        .min(0)
        .default(30)
        .describe("Minimum time without responses before a probe may end an engine, in seconds."),
    }),
  },
  eachPodTemplate,
  function* (pods, { parameters: { toleranceSeconds } }) {
    const engine = engineOfPods(pods);
    const probe = engine?.container.livenessProbe;
    if (engine === undefined || probe === undefined) return;
    if (engineNameOf(engine.container) === undefined) return;
    if (acceleratorsOfContainer(pods, engine.container) === 0) return;
    const { periodSeconds = 10, failureThreshold = 3 } = probe;
    const tolerance = failureThreshold * periodSeconds;
    if (failureThreshold > 1 && tolerance >= toleranceSeconds) return;
    const times = failureThreshold === 1 ? "one failure" : `${failureThreshold} failures`;
    yield {
      path: [...engine.path, "livenessProbe"],
      given: `ends the engine after ${times}, within ${tolerance} s`,
      allowed: `more than one failure, over at least ${toleranceSeconds} s`,
      fix: `Set failureThreshold to ${Math.ceil(300 / Math.max(1, periodSeconds))}, which tolerates five minutes.`,
    };
  },
);

const probesNeedNoKey = objectRule(
  { id: "probes-need-no-key", guidelines: ["G23"], code: "conflict", level: "advisory" },
  {
    title: "Probes of an engine with API keys call a path without access control",
    why: "The engine answers such a probe with 401. The pod is never ready, or the kubelet ends a healthy engine.",
    source:
      "vLLM: AuthenticationMiddleware checks paths below /v1; SGLang: all except /health and /metrics",
    fix: "Call the engine's health path (vLLM and SGLang: /health).",
  },
  eachPodTemplate,
  function* (pods) {
    const engine = engineOfPods(pods);
    const name = engine && engineNameOf(engine.container);
    const keys = name && engines[name].keys;
    if (engine === undefined || name === undefined || keys === undefined) return;
    const { env = [] } = engine.container;
    const setter = argumentsOf(engine.container).has(keys.option)
      ? keys.option
      : env.find((each) => each.name === keys.variable)?.name;
    if (setter === undefined) return;
    for (const field of probeFields) {
      const path = pathsOf(engine.container[field]).find((each) => keys.paths.test(each));
      if (path === undefined) continue;
      yield {
        path: [...engine.path, field],
        given: `calls ${path} without a key, but ${setter} makes ${engines[name].title} refuse this with 401`,
        allowed: `${engines[name].healthPath}, which needs no key`,
        fix: `Change the path to ${engines[name].healthPath}.`,
      };
    }
  },
);

const isKey = /authorization|api-key/i;

/** Returns the paths that a probe calls without a header for a key. */
function pathsOf(probe: Probe | undefined): readonly string[] {
  const { httpGet, exec } = (probe ?? {}) as ProbeTargets;
  const headers = httpGet?.httpHeaders ?? [];
  if (httpGet !== undefined)
    return headers.some(({ name }) => isKey.test(String(name))) ? [] : [httpGet.path ?? "/"];
  const text = (exec?.command ?? []).join(" ");
  if (isKey.test(text)) return [];
  return Array.from(text.matchAll(/:\d+(\/[^\s'"]*)/g), ([, path = "/"]) => path);
}

interface ProbeTargets {
  readonly httpGet?: {
    readonly path?: string;
    readonly httpHeaders?: ReadonlyArray<{ readonly name?: unknown }>;
  };
  readonly exec?: { readonly command?: readonly string[] };
}

export const probeAnswerRules: readonly StackRule[] = [probesTolerateLoad, probesNeedNoKey];
