import { z } from "zod";
import { positiveInteger } from "../../../kubernetes/kinds/field-types.ts";
import { loadingSeconds } from "../../engines/checks/loading.ts";
import { loadedModel } from "../../engines/containers/served-models.ts";
import { groupPorts } from "../../engines/groups/index.ts";
import { engineNameOf, engines } from "../../engines/index.ts";
import { givenModel, givenModels } from "../../engines/models/given-models.ts";
import { weightBytes } from "../../engines/models/parameters.ts";
import { startUpOf, usualMebibytesPerSecond } from "../../engines/start-up/template-start-up.ts";
import type { ContainerShape } from "../../stack/shapes.ts";
import {
  acceleratorsOfContainer,
  acceleratorsOfPods,
  containersOf,
  engineOfPods,
  type PodTemplateUse,
} from "../../stack/workloads.ts";
import { probeFields, probesOfGroupPort } from "../helpers/leader-probes.ts";
import { eachPodTemplate, rulesOfPack, type StackRule } from "../helpers/stack-rule.ts";

const { objectRule } = rulesOfPack("inference-gpu");

const workersHaveNoNetworkProbe = objectRule(
  { id: "workers-have-no-network-probe", guidelines: ["G23"], code: "conflict" },
  {
    title: "Engines in worker pods have no network probes and no port named http",
    why: "Workers do not serve requests, so a network probe never succeeds and restarts the whole group.",
    source: "sigs.k8s.io/lws: a group is ready when its workers are; RecreateGroupOnPodRestart",
    fix: "Remove the probe, or make it an exec probe.",
  },
  eachPodTemplate,
  function* (pods) {
    const engine = pods.isWorker ? engineOfPods(pods) : undefined;
    if (engine === undefined || acceleratorsOfContainer(pods, engine.container) === 0) return;
    const { container, path } = engine;
    for (const probe of probeFields) {
      const written = container[probe];
      if (written === undefined || written.exec !== undefined) continue;
      yield {
        path: [...path, probe],
        given: "is set",
        allowed: "exec probes",
      };
    }
    // If leader and workers share a template, it also declares the leader's port.
    const isOwn = pods.workload.set?.leaderWorkerTemplate.leaderTemplate !== undefined;
    if (isOwn && container.ports?.some(({ name }) => name === "http")) {
      yield {
        path: [...path, "ports"],
        given: "is the serving port",
        allowed: "ports that workers listen on",
        fix: "Remove the port, or rename it.",
      };
    }
  },
);

const leadersAreReadyWhenServing = objectRule(
  { id: "leaders-are-ready-when-serving", guidelines: ["G23"], code: "reference" },
  {
    title: "Leaders of multi-node groups have a readiness probe on the serving port",
    why: "Without the probe the pool sends requests while the model is still loading. Ray's port is already open then.",
    source: "Gateway API inference extension: pools hold ready pods",
    fix: "Add a readinessProbe on the serving port with the engine's health path (vLLM and SGLang: /health).",
  },
  eachPodTemplate,
  function* (pods) {
    const engine = pods.isWorker || pods.workload.size < 2 ? undefined : engineOfPods(pods);
    // A leader without accelerators serves through its workers and decides itself when it is ready.
    if (engine === undefined || acceleratorsOfPods(pods) === 0) return;
    const { readinessProbe } = engine.container;
    const path = [...engine.path, "readinessProbe"];
    if (readinessProbe === undefined)
      yield {
        path,
        given: "is missing",
        allowed: "a probe on the serving port",
        fix: "Add a readinessProbe.",
      };
    for (const finding of probesOfGroupPort(engine.container))
      yield { ...finding, path: [...engine.path, ...finding.path] };
  },
  function* (pods) {
    // If workers share the template, they would also have to pass the probe.
    const { set, size } = pods.workload;
    if (pods.isWorker || size < 2 || set?.leaderWorkerTemplate.leaderTemplate === undefined) return;
    const engine = acceleratorsOfPods(pods) === 0 ? undefined : engineOfPods(pods);
    if (engine === undefined || engine.container.readinessProbe !== undefined) return;
    const port = servingPort(engine.container);
    const name = engineNameOf(engine.container);
    if (port === undefined || name === undefined) return;
    yield {
      path: [...engine.path, "readinessProbe"],
      value: { httpGet: { path: engines[name].healthPath, port } },
    };
  },
);

/** Returns the port named http, or else the only port on which no group forms. */
function servingPort({ ports = [] }: ContainerShape): number | undefined {
  const named = ports.find(({ name }) => name === "http");
  const others = ports.filter(({ containerPort }) =>
    groupPorts.every(({ port }) => port !== containerPort),
  );
  return (named ?? (others.length === 1 ? others[0] : undefined))?.containerPort;
}

const loadHasTime = objectRule(
  { id: "loading-has-time", guidelines: ["G26"], code: "count", level: "advisory" },
  {
    title: "An engine has enough time to load its model and to finish its requests",
    why: "If a liveness probe fails while the weights load, the pod and its whole group restart forever.",
    source: "k8s.io/kubernetes, startupProbe; KServe LLMInferenceService templates: 60 s to drain",
    fix: "Add a startupProbe whose failureThreshold x periodSeconds is at least the loading time, and set terminationGracePeriodSeconds to at least the drain time.",
    parameters: z.object({
      models: givenModels,
      loadSeconds: z
        .int()
        .min(0)
        .default(300)
        .describe("Loading time of a model whose size is unknown, in seconds."),
      mebibytesPerSecond: positiveInteger
        .default(usualMebibytesPerSecond)
        .describe("Download rate of a model whose size is known, in MiB/s."),
      drainSeconds: z
        .int()
        .min(0)
        .default(30)
        .describe("Time that running requests may take, in seconds."),
    }),
  },
  eachPodTemplate,
  function* (pods, { parameters }) {
    const { drainSeconds } = parameters;
    if (acceleratorsOfPods(pods) === 0) return;
    for (const { container, path } of containersOf(pods)) {
      if (acceleratorsOfContainer(pods, container) === 0) continue;
      const { startupProbe, livenessProbe } = container;
      const [field, probe] =
        startupProbe === undefined
          ? (["livenessProbe", livenessProbe] as const)
          : (["startupProbe", startupProbe] as const);
      if (probe === undefined) continue;
      const budget = budgetOf(probe);
      const load = loadOf(container, pods, parameters);
      if (budget >= load.seconds) continue;
      yield {
        path: [...path, field],
        given: `fails after ${budget} s`,
        allowed: `at least ${load.seconds} s, the loading time of ${load.model}`,
        fix:
          field === "startupProbe"
            ? "Raise failureThreshold."
            : "Add a startupProbe with a longer budget.",
      };
    }
    const { terminationGracePeriodSeconds: grace } = pods.spec;
    if (grace === undefined || grace >= drainSeconds) return;
    yield {
      path: [...pods.path, "spec", "terminationGracePeriodSeconds"],
      given: `is ${grace} s`,
      allowed: `at least ${drainSeconds} s, the time that running requests may take`,
      fix: "Raise terminationGracePeriodSeconds.",
    };
  },
);

/** Returns the loading time of a container's model. It is derived from the model's size if the model is known. */
function loadOf(
  container: ContainerShape,
  pods: PodTemplateUse,
  {
    models,
    loadSeconds,
    mebibytesPerSecond,
  }: {
    readonly models: z.output<typeof givenModels>;
    readonly loadSeconds: number;
    readonly mebibytesPerSecond: number;
  },
): { readonly seconds: number; readonly model: string } {
  const startUp = startUpOf(container, pods.spec, {
    pods: pods.workload.size,
    model: givenModel(models, loadedModel(container)),
  });
  if (startUp === undefined) return { seconds: loadSeconds, model: "a model" };
  const bytes = weightBytes(startUp.facts);
  const seconds = loadingSeconds(bytes, mebibytesPerSecond * 2 ** 20);
  return { seconds, model: `${startUp.modelName} of ${Math.round(bytes / 1e9)} GB` };
}

/** Seconds until a probe that never succeeds restarts the container. */
const budgetOf = ({
  initialDelaySeconds = 0,
  periodSeconds = 10,
  failureThreshold = 3,
}: NonNullable<ContainerShape["startupProbe"]>) =>
  initialDelaySeconds + periodSeconds * failureThreshold;

export const probeRules: readonly StackRule[] = [
  workersHaveNoNetworkProbe,
  leadersAreReadyWhenServing,
  loadHasTime,
];
