import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import type { ApiClient } from "../api/api-client.ts";
import { controlLoop, forEach } from "./control-loop.ts";
import { informer } from "./informer.ts";
import { isDeleting, isReady, type Pod } from "./objects.ts";
import { claimPodNetwork } from "./pod-addresses.ts";
import type { StandIn, StandInOptions } from "./stand-in.ts";

/** After how many ticks of running a pod becomes ready, or that it never does. */
export type ReadinessScript = (pod: Pod) => number | "never";

/** Runs what the containers of pods would execute. */
export interface PodPrograms {
  /** Starts the programs of a pod and resolves once they serve. */
  start(pod: Pod, address: string): Promise<void>;
  /** Ends the programs of a deleted pod and resolves once they have ended. */
  end(pod: Pod): Promise<void>;
}

/** Returns programs that start and end together. */
export const allPrograms = (programs: readonly PodPrograms[]): PodPrograms => ({
  async start(pod, address) {
    await Promise.all(programs.map((each) => each.start(pod, address)));
  },
  async end(pod) {
    await Promise.all(programs.map((each) => each.end(pod)));
  },
});

export interface KubeletOptions extends StandInOptions {
  /** Default: nothing is executed. */
  programs?: PodPrograms;
  /** Default: one tick. */
  readiness?: ReadinessScript;
  /** Milliseconds between ticks; 0 when only `tick()` counts. Default 100. */
  tickMs?: number;
}

export interface Kubelet extends StandIn {
  /**
   * One step of time: at most one pod becomes ready, the longest running first, so that a service never has all
   * its pods at once.
   */
  tick(): Promise<void>;
}

/**
 * STAND-IN for the kubelets: placed pods run, with an address, and execute nothing but `programs`; deleted pods end.
 * A leader, and any pod with a readiness probe, becomes ready by script; other pods are ready when they run.
 */
export async function startKubelet(
  client: ApiClient,
  { namespace, readiness = () => 1, programs, tickMs = 100, onError }: KubeletOptions,
): Promise<Kubelet> {
  const abort = new AbortController();
  const network = await claimPodNetwork();
  const addresses = new Map<string, string>();
  const ticksRunning = new Map<string, number>();

  /** Steps with programs, by pod: they take their time, in which the kubelet attends to other pods. */
  const steps = new Map<string, Map<string, Promise<void>>>();
  const once = (step: string, { metadata: { uid } }: Pod, work: () => Promise<void>) => {
    const ofPod = steps.get(uid) ?? new Map<string, Promise<void>>();
    steps.set(uid, ofPod);
    if (ofPod.has(step)) return;
    const failed = (error: unknown) => {
      ofPod.delete(step);
      onError(error);
    };
    ofPod.set(step, work().catch(failed));
  };
  const start = async (pod: Pod, address: string) => {
    if (programs === undefined) return run(client, pod, address);
    once("start", pod, async () => {
      await programs.start(pod, address);
      await run(client, pod, address);
    });
  };
  const stop = async (pod: Pod) => {
    if (programs === undefined) return end(client, pod);
    once("end", pod, async () => {
      await steps.get(pod.metadata.uid)?.get("start");
      await programs.end(pod);
      await end(client, pod);
    });
  };

  const loop = controlLoop(async () => {
    const placed = pods.list().filter((pod) => pod.spec.nodeName !== undefined);
    await forEach(placed.filter(isStopping), (pod) => stop(pod));
    forgetAbsent(addresses, pods.list());
    forgetAbsent(steps, pods.list());
    const taken = new Set([...addresses.values(), ...pods.list().flatMap(addressOf)]);
    await forEach(placed.filter(isStarting), (pod) => {
      const address = addresses.get(pod.metadata.uid) ?? network.next(taken);
      addresses.set(pod.metadata.uid, address);
      taken.add(address);
      return start(pod, address);
    });
  }, onError);
  const path = namespace === undefined ? "/api/v1/pods" : `/api/v1/namespaces/${namespace}/pods`;
  const pods = informer<Pod>(client, path, {
    onChange: () => loop.trigger(),
    signal: abort.signal,
  });

  const ticks = controlLoop(async () => {
    forgetAbsent(ticksRunning, pods.list());
    const waiting = pods.list().filter(isGettingReady).sort(byStart);
    for (const { metadata } of waiting) {
      ticksRunning.set(metadata.uid, (ticksRunning.get(metadata.uid) ?? 0) + 1);
    }
    const next = waiting.find((pod) => {
      const ticks = readiness(pod);
      return ticks !== "never" && (ticksRunning.get(pod.metadata.uid) ?? 0) >= ticks;
    });
    if (next !== undefined) await becomeReady(client, next);
  }, onError);
  const timer = tickMs > 0 ? setInterval(() => ticks.trigger(), tickMs) : undefined;

  await pods.synced;
  return {
    async tick() {
      ticks.trigger();
      await ticks.idle();
    },
    async stop() {
      clearInterval(timer);
      abort.abort();
      await Promise.all([
        loop.stop(),
        ticks.stop(),
        ...[...steps.values()].flatMap((ofPod) => [...ofPod.values()]),
      ]);
      await network.release();
    },
  };
}

function forgetAbsent(byUid: Map<string, unknown>, pods: readonly Pod[]): void {
  const present = new Set(pods.map(({ metadata }) => metadata.uid));
  for (const uid of byUid.keys()) if (!present.has(uid)) byUid.delete(uid);
}

const addressOf = (pod: Pod) => (pod.status.podIP === undefined ? [] : [pod.status.podIP]);

/** Deleted, and waiting for the kubelet to stop its containers. */
const isStopping = (pod: Pod) => isDeleting(pod) && pod.metadata.deletionGracePeriodSeconds !== 0;

const isStarting = (pod: Pod) => !isDeleting(pod) && (pod.status.phase ?? "Pending") === "Pending";

const isGettingReady = (pod: Pod) =>
  !isDeleting(pod) && pod.status.phase === "Running" && !isReady(pod);

const byStart = (a: Pod, b: Pod) =>
  a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp) ||
  a.metadata.name.localeCompare(b.metadata.name, undefined, { numeric: true });

/** Whether the pod serves something that must first be up. */
const isScripted = (pod: Pod) =>
  pod.metadata.labels?.["leaderworkerset.sigs.k8s.io/worker-index"] === "0" ||
  pod.spec.containers.some((container) => container.readinessProbe !== undefined);

const statusPath = ({ metadata }: Pod) =>
  `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}/status`;

async function run(client: ApiClient, pod: Pod, address: string): Promise<void> {
  const now = new Date().toISOString();
  const ready = !isScripted(pod);
  await client.request(
    "PATCH",
    statusPath(pod),
    {
      metadata: { uid: pod.metadata.uid },
      status: {
        phase: "Running",
        podIP: address,
        podIPs: [{ ip: address }],
        startTime: now,
        conditions: [
          ...["PodScheduled", "Initialized"].map((type) => ({ type, status: "True" })),
          ...readyConditions(ready),
        ],
        containerStatuses: pod.spec.containers.map(({ name, image }) => ({
          name,
          image,
          imageID: "",
          restartCount: 0,
          ready,
          started: true,
          state: { running: { startedAt: now } },
        })),
      },
    },
    mergePatchType,
  );
}

function readyConditions(ready: boolean) {
  const lastTransitionTime = new Date().toISOString();
  return ["ContainersReady", "Ready"].map((type) => ({
    type,
    status: ready ? "True" : "False",
    lastTransitionTime,
  }));
}

async function becomeReady(client: ApiClient, pod: Pod): Promise<void> {
  const others = (pod.status.conditions ?? []).filter(({ type }) => !type.endsWith("Ready"));
  await client.request(
    "PATCH",
    statusPath(pod),
    {
      metadata: { uid: pod.metadata.uid },
      status: {
        conditions: [...others, ...readyConditions(true)],
        containerStatuses: pod.status.containerStatuses?.map((container) => ({
          ...container,
          ready: true,
        })),
      },
    },
    mergePatchType,
  );
}

/** Deletes the pod object after its containers have stopped, as a kubelet does. */
async function end(client: ApiClient, { metadata }: Pod): Promise<void> {
  await client.request("DELETE", `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`, {
    apiVersion: "v1",
    kind: "DeleteOptions",
    gracePeriodSeconds: 0,
    preconditions: { uid: metadata.uid },
  });
}
