import { present } from "../../../kubernetes/values/present.ts";
import type { PodTemplate } from "../../schemas/pod-template.ts";
import { engines } from "../index.ts";
import type { EngineName } from "../interface/engine.ts";
import { gibibytesOf, kvDirectory, type ServingTask } from "../interface/serving-engine.ts";
import { gibibyte } from "../memory/gibibytes.ts";
import { volumeOf } from "./model-files.ts";
import { ownPort, withOwnArguments } from "./own-arguments.ts";

/** Pods of a typed model: the template that a role without a template gets. */

/** Host memory that a pod requests for each device, in GiB: the process of a rank, and weights during loading. */
const hostGibibytesPerDevice = 8;
/** Shared memory for collectives and for queues between the ranks of a pod, in GiB. */
const sharedGibibytes = 8;
/**
 * CPU cores in addition to one for each device: vLLM's guide recommends 2 + N, for the server and the engine's core
 * process.
 */
const ownCores = 2;
/** Seconds after the weights are loaded: compilation, capture of CUDA graphs, and the first profile. */
const warmUpSeconds = 600;
/** Factor by which loading may take longer than at the source's rate. */
const slack = 2;
const probePeriod = 10;
/** Seconds of the shortest startup probe, because images and caches are cold at first. */
const leastStartup = 1_800;

/** Returns the pod template of an engine that serves a model. */
export function engineTemplate(
  name: EngineName,
  task: ServingTask,
  weightBytes: number,
): PodTemplate {
  const { accelerator, settings, division, files, network } = task;
  const { annotations = {}, capabilities = [] } = network ?? {};
  const { disk } = settings.kvOffload ?? {};
  const engine = engines[name].serving;
  const isShared = division.devices > 1 || division.nodes > 1 || settings.kvOffload !== undefined;
  const env = [
    ...files.env,
    ...engine.env(task),
    ...(network?.env ?? []),
    ...Object.entries(settings.env).map(([variable, value]) => ({ name: variable, value })),
  ];
  const mounts = [
    ...files.mounts,
    ...(isShared ? [{ name: "shm", mountPath: "/dev/shm" }] : []),
    ...(disk === undefined ? [] : [{ name: "kv-cache", mountPath: kvDirectory }]),
  ];
  const offloaded = settings.kvOffload ? gibibytesOf(settings.kvOffload.cpu) : 0;
  const volumes = [
    ...files.volumes,
    ...(isShared
      ? [
          {
            name: "shm",
            emptyDir: { medium: "Memory", sizeLimit: `${sharedGibibytes + offloaded}Gi` },
          },
        ]
      : []),
    ...(disk === undefined ? [] : [volumeOf("kv-cache", disk)]),
  ];
  const port = ownPort(settings) ?? engines[name].port;
  const container = present({
    name,
    image: settings.image ?? engine.image(accelerator.platform, settings.version),
    command: engine.command(accelerator.platform),
    args: withOwnArguments(engine.args(task), settings),
    env: env.length > 0 ? env : undefined,
    ports: [{ name: "http", containerPort: port }],
    resources: resourcesOf(task, weightBytes, offloaded),
    securityContext:
      capabilities.length > 0 ? { capabilities: { add: [...capabilities] } } : undefined,
    startupProbe: division.nodes > 1 ? undefined : startupProbe(name, weightBytes, task, port),
    volumeMounts: mounts.length > 0 ? mounts : undefined,
  });
  const { labels } = engine;
  const metadata = {
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
  };
  return {
    ...(Object.keys(metadata).length > 0 && { metadata }),
    spec: { containers: [container], ...(volumes.length > 0 && { volumes }) },
  };
}

function resourcesOf(
  { accelerator, division, kvCacheBytes, network }: ServingTask,
  weightBytes: number,
  offloaded: number,
) {
  if (accelerator.resource === undefined) {
    const memory = `${Math.ceil((weightBytes * 1.25 + kvCacheBytes) / gibibyte) + 3}Gi`;
    return { requests: { cpu: "2", memory }, limits: { memory } };
  }
  const { devices } = division;
  const memory = devices * hostGibibytesPerDevice + offloaded;
  return {
    requests: { cpu: String(ownCores + devices), memory: `${memory}Gi` },
    limits: { [accelerator.resource]: String(devices), ...network?.limits },
  };
}

/** Allows for the time in which the source delivers the weights, times `slack`. */
function startupProbe(name: EngineName, weightBytes: number, { files }: ServingTask, port: number) {
  const seconds = Math.max(
    leastStartup,
    (slack * weightBytes) / files.bytesPerSecond + warmUpSeconds,
  );
  return {
    httpGet: { path: engines[name].healthPath, port },
    periodSeconds: probePeriod,
    timeoutSeconds: 5,
    failureThreshold: Math.ceil(seconds / probePeriod),
  };
}
