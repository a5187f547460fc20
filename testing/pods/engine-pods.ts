import type { V1Pod } from "@kubernetes/client-node";
import { label } from "../../sdk/names.ts";
import type { PodPrograms } from "../stand-ins/kubelet.ts";
import type { Pod } from "../stand-ins/objects.ts";
import { RunningPod, type ServersLocation } from "./running-pod.ts";

/** Location of the engines of pods, which run in the namespace of each pod. */
export type EnginesLocation = Omit<ServersLocation, "namespace">;

/** Simulated engines of the pods of services, and the decode sidecars of decoders. */
export interface EnginePods extends PodPrograms {
  /** All pods that have run, those that ended included. */
  readonly all: readonly RunningPod[];
  /** Ends the engines that still run. */
  stop(): Promise<void>;
}

/** Port of a serving pod, which every engine of these tests has. */
const port = 8000;

export function enginePods(location: EnginesLocation): EnginePods {
  const all: RunningPod[] = [];
  const running = new Map<string, RunningPod>();
  return {
    all,
    async start(pod, address) {
      if (!servesRequests(pod)) return;
      const { uid, namespace = "" } = pod.metadata;
      const addressed = { ...pod, status: { ...pod.status, podIP: address } } as unknown as V1Pod;
      const started = new RunningPod({ ...location, namespace }, addressed, address, port);
      await started.start();
      running.set(uid, started);
      all.push(started);
    },
    async end({ metadata: { uid, deletionGracePeriodSeconds } }) {
      await running.get(uid)?.finish(deletionGracePeriodSeconds);
      running.delete(uid);
    },
    async stop() {
      await Promise.all([...running.values()].map((pod) => pod.stop()));
    },
  };
}

/** Whether a pod is the leader of an engine's group. */
const servesRequests = ({ metadata: { labels = {} } }: Pod) =>
  labels[label.componentType] !== undefined &&
  labels["leaderworkerset.sigs.k8s.io/worker-index"] === "0";
