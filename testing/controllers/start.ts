import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "../api/api-client.ts";
import type { ClusterAddress } from "../api/cluster.ts";
import { findPrograms, type Program } from "../processes/binaries.ts";
import { freePorts } from "../processes/free-ports.ts";
import { type ServerProcess, startServer } from "../processes/server-process.ts";
import { startWatchdog } from "../processes/watchdog.ts";
import { configureKeda, externalMetricsAnswer, registerExternalMetrics } from "./keda.ts";
import { kubeControllerArgs } from "./kube-controllers.ts";
import { configureLwsManager, lwsWebhooksAnswer, registerLwsWebhooks } from "./lws-manager.ts";
import { type Binpack, defaultQueueIsOpen, writeSchedulerConfiguration } from "./volcano.ts";

export interface ControllersOptions {
  /** How Volcano packs. Default `stock`. */
  binpack?: Binpack;
  /** Whether KEDA and the HorizontalPodAutoscaler controller run, whose API groups are `kedaCrdGroups`. Default false. */
  autoscalers?: boolean;
  /** How long the start may take, in milliseconds. Default 90,000. */
  timeoutMs?: number;
}

export interface Controllers {
  /** How each process that ended did so, with the end of its log; empty while all run. */
  failures(): string[];
  /** Ends of the logs, by program. */
  logs(): Record<string, string>;
  /** Ends them; what they made stays. */
  stop(): Promise<void>;
}

/** The programs that `startControllers` runs. */
export const controllerPrograms = [
  "kube-controller-manager",
  "kube-scheduler",
  "lws-manager",
  "vc-scheduler",
  "vc-controller-manager",
] as const satisfies readonly Program[];

/** The controllers of kube-controller-manager that a stack of this project needs. */
const kubeControllers = [
  "deployment-controller",
  "replicaset-controller",
  "statefulset-controller",
  "endpointslice-controller",
  "namespace-controller",
  "garbage-collector-controller",
  "disruption-controller",
];

const hpaController = "horizontal-pod-autoscaler-controller";

type Five = [number, number, number, number, number];

/**
 * The real controllers of a GPU cluster: Kubernetes' controllers, the LeaderWorkerSet manager with its webhooks,
 * Volcano's scheduler and controllers, and the default scheduler. The cluster has the CRDs of `controllerCrdGroups`.
 * Nodes are only objects, and `startKubelet` plays the kubelet. The processes end with this process, even if it is
 * killed.
 */
export async function startControllers(
  cluster: ClusterAddress,
  { binpack = "stock", autoscalers = false, timeoutMs = 90_000 }: ControllersOptions = {},
): Promise<Controllers> {
  const programs = await findPrograms(controllerPrograms);
  const keda = autoscalers ? await findPrograms(["keda-operator", "keda-adapter"]) : undefined;
  const client = connect(cluster);
  const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-controllers-"));
  const watchdog = startWatchdog(folder);
  const servers: ServerProcess[] = [];
  const run = (name: string, file: string, args: readonly string[]) =>
    void servers.unshift(startServer(name, file, args, watchdog));
  const start = (name: keyof typeof programs, args: readonly string[]) =>
    run(name, programs[name], args);
  const stop = async () => {
    await Promise.all(servers.map((server) => server.stop()));
    client.close();
    await watchdog.release();
  };
  const failures = () =>
    servers.flatMap((server) => {
      const end = server.ended();
      return end === undefined ? [] : [`${server.name} ended with ${end}\n${server.log()}`];
    });
  try {
    const [webhooks, health, scheduler, metricsService, api] = (await freePorts(5)) as Five;
    const { kubeconfig } = cluster;
    const lws = configureLwsManager(folder, kubeconfig, { webhooks, health });
    const configuration = await writeSchedulerConfiguration(folder, binpack);
    const names = [...kubeControllers, ...(autoscalers ? [hpaController] : [])];
    start("kube-controller-manager", kubeControllerArgs(kubeconfig, names));
    start("kube-scheduler", [
      `--kubeconfig=${kubeconfig}`,
      "--leader-elect=false",
      "--secure-port=0",
    ]);
    start("vc-controller-manager", [
      `--kubeconfig=${kubeconfig}`,
      "--leader-elect=false",
      "--controllers=+queue-controller,+pg-controller",
    ]);
    start("vc-scheduler", [
      `--kubeconfig=${kubeconfig}`,
      "--leader-elect=false",
      `--scheduler-conf=${configuration}`,
      `--listen-address=127.0.0.1:${scheduler}`,
      "--cache-dumper=false",
    ]);
    start("lws-manager", lws.args);
    await registerLwsWebhooks(client, webhooks, lws.caBundle);
    if (keda !== undefined) {
      const { environment, operator, adapter } = configureKeda(folder, kubeconfig, {
        ...{ metricsService, api },
      });
      await registerExternalMetrics(client, api);
      run("keda-operator", "env", [...environment, keda["keda-operator"], ...operator]);
      run("keda-adapter", "env", [...environment, keda["keda-adapter"], ...adapter]);
    }
    const deadline = Date.now() + timeoutMs;
    const until = async (what: string, check: () => Promise<boolean>) => {
      let last: unknown;
      for (;;) {
        const done = await check().catch((error: unknown) => {
          last = error;
          return false;
        });
        if (done) return;
        if (failures().length > 0) throw new Error(failures().join("\n"));
        if (Date.now() > deadline) throw new Error(`${what}: not within ${timeoutMs} ms. ${last}`);
        await sleep(100);
      }
    };
    await until("the webhooks of LeaderWorkerSet", () => lwsWebhooksAnswer(client));
    await until("Volcano's default queue", () => defaultQueueIsOpen(client));
    if (keda !== undefined)
      await until("the API of external metrics", () => externalMetricsAnswer(client));
    return {
      failures,
      logs: () => Object.fromEntries(servers.map(({ name, log }) => [name, log()])),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** API groups whose CRDs a cluster must have for them. */
export const controllerCrdGroups = [
  "leaderworkerset.x-k8s.io",
  "disaggregatedset.x-k8s.io",
  "scheduling.volcano.sh",
  "batch.volcano.sh",
  "bus.volcano.sh",
  "nodeinfo.volcano.sh",
  "shard.volcano.sh",
  "topology.volcano.sh",
] as const;
