import type { PickerReplica } from "../envoy/start.ts";
import { freePorts } from "../processes/free-ports.ts";
import type { PodPrograms } from "../stand-ins/kubelet.ts";
import type { Pod } from "../stand-ins/objects.ts";
import { untilItSeesPods } from "./deployed-picker.ts";
import type { EnginesLocation } from "./engine-pods.ts";
import { isPickerPod, startPickersOf } from "./picker-of-pod.ts";
import type { PickerProcess } from "./picker-process.ts";

/** Picker of a pod. */
export interface PickerOfPod {
  readonly pod: Pod;
  readonly picker: PickerProcess;
  /** Whether its pod was deleted. */
  isEnding: boolean;
}

/** Pickers in processes of their own, which start and end with their pods. */
export interface PickerPods extends PodPrograms {
  /** Pickers of all pods that have run, in the order of their start. */
  readonly all: readonly PickerOfPod[];
  /**
   * STAND-IN for the endpoints of the Service: addresses of the pickers, present and future. A gateway uses the healthy
   * ones, as the gateways do that read the endpoints of a Service.
   */
  readonly replicas: readonly PickerReplica[];
  stop(): Promise<void>;
}

/** Two ports for each pod of a picker that may run. */
export const pickerPorts = (pods: number): Promise<number[]> => freePorts(2 * pods);

export function pickerPods(location: EnginesLocation, ports: readonly number[]): PickerPods {
  const start = startPickersOf(location);
  const replicas = Array.from({ length: ports.length / 2 }, (_, at) => ({
    address: `127.0.0.1:${ports[2 * at]}`,
    healthPort: ports[2 * at + 1] ?? 0,
  }));
  const all: PickerOfPod[] = [];
  return {
    all,
    replicas,
    async start(pod) {
      if (!isPickerPod(pod)) return;
      const [grpc, health] = [ports[2 * all.length], ports[2 * all.length + 1]];
      if (grpc === undefined) throw new Error(`more than ${replicas.length} pods of pickers`);
      // Envoy checks the health of a cluster in the way that it sends streams, and the health port has no TLS.
      const own = [`--grpc-port=${grpc}`, `--grpc-health-port=${health}`, "--secure-serving=false"];
      const picker = await start(pod, own);
      await untilItSeesPods(picker);
      all.push({ pod, picker, isEnding: false });
    },
    async end({ metadata: { uid, deletionGracePeriodSeconds = 30 } }) {
      const ending = all.find(({ pod }) => pod.metadata.uid === uid);
      if (ending === undefined) return;
      ending.isEnding = true;
      await ending.picker.stop(1_000 * deletionGracePeriodSeconds);
    },
    async stop() {
      await Promise.all(all.map(({ picker }) => picker.stop()));
    },
  };
}
