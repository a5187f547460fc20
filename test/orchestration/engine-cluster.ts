import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { V1Pod } from "@kubernetes/client-node";
import {
  type GpuCluster,
  type GpuPart,
  startGpuCluster,
} from "../../testing/clusters/gpu-cluster.ts";
import type { PickerReplica } from "../../testing/envoy/start.ts";
import type { ModelServerOptions } from "../../testing/model-server/model-server.ts";
import { type EnginePods, enginePods } from "../../testing/pods/engine-pods.ts";
import { type PickerPods, pickerPods, pickerPorts } from "../../testing/pods/picker-pods.ts";
import { router } from "../../testing/samples/sample-service.ts";
import { allPrograms } from "../../testing/stand-ins/kubelet.ts";
import { type LiveTraffic, startLiveTraffic } from "../../testing/traffic/live-traffic.ts";

/** A GPU cluster whose pods run simulated engines, which serve model `m`. */
export interface EngineCluster {
  readonly gpus: GpuCluster;
  readonly engines: EnginePods;
  /** Pickers of pods. None run unless `runsPickers` is set. */
  readonly pickers: PickerPods;
  /**
   * Starts the gateway of the service in a part, and a picker.
   *
   * @param replicas pods of a picker that run already, or will
   */
  serve(part: GpuPart, replicas?: readonly PickerReplica[]): Promise<LiveTraffic>;
  stop(): Promise<void>;
}

/** A router behind the gateway of `serve`. */
export const gateway = router({
  gateway: { gatewayClassName: "test", listeners: [{ name: "http", port: 80, protocol: "HTTP" }] },
});

export interface EngineClusterOptions {
  readonly autoscalers?: boolean;
  /** Number of pods that may run pickers. Default 0. */
  readonly pickerPods?: number;
}

/** Controllers that are missing on this machine are built first. */
export async function startEngineCluster(
  engine: ModelServerOptions | ((pod: V1Pod) => ModelServerOptions),
  { pickerPods: podsOfPickers = 0, ...options }: EngineClusterOptions = {},
): Promise<EngineCluster> {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-engines-"));
  let engines!: EnginePods;
  let pickers!: PickerPods;
  const ports = await pickerPorts(podsOfPickers);
  const gpus = await startGpuCluster({
    ...options,
    programs({ kubeconfig }) {
      const serverOf = (pod: V1Pod) => ({
        ...{ model: "m", prefillTokensPerSecond: 200_000 },
        ...(typeof engine === "function" ? engine(pod) : engine),
      });
      engines = enginePods({ kubeconfig, folder, serverOf });
      pickers = pickerPods({ kubeconfig, folder }, ports);
      return allPrograms(podsOfPickers > 0 ? [engines, pickers] : [engines]);
    },
  });
  const { kubeconfig } = gpus.cluster;
  return {
    gpus,
    engines,
    pickers,
    serve: ({ namespace }, replicas) =>
      startLiveTraffic({
        ...{ kubeconfig, namespace, folder, servedElsewhere: true },
        ...(replicas && { pickerReplicas: replicas }),
      }),
    async stop() {
      await Promise.all([engines.stop(), pickers.stop()]);
      await gpus.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
