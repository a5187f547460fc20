import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { V1Pod } from "@kubernetes/client-node";
import { type EnginePods, enginePods } from "../../testing/engine-pods.ts";
import { type GpuCluster, type GpuPart, startGpuCluster } from "../../testing/gpu-cluster.ts";
import { type LiveTraffic, startLiveTraffic } from "../../testing/live-traffic.ts";
import type { ModelServerOptions } from "../../testing/model-server/model-server.ts";
import { router } from "../../testing/sample-service.ts";

/** A GPU cluster whose pods run simulated engines, which serve model `m`. */
export interface EngineCluster {
  readonly gpus: GpuCluster;
  readonly engines: EnginePods;
  /** Starts the gateway and the picker of the service in a part. */
  serve(part: GpuPart): Promise<LiveTraffic>;
  stop(): Promise<void>;
}

/** A router behind the gateway of `serve`. */
export const gateway = router({
  gateway: { gatewayClassName: "test", listeners: [{ name: "http", port: 80, protocol: "HTTP" }] },
});

/** Controllers that are missing on this machine are built first. */
export async function startEngineCluster(
  engine: ModelServerOptions | ((pod: V1Pod) => ModelServerOptions),
  options: { readonly autoscalers?: boolean } = {},
): Promise<EngineCluster> {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-engines-"));
  let engines!: EnginePods;
  const gpus = await startGpuCluster({
    ...options,
    programs({ kubeconfig }) {
      const serverOf = (pod: V1Pod) => ({
        ...{ model: "m", prefillTokensPerSecond: 200_000 },
        ...(typeof engine === "function" ? engine(pod) : engine),
      });
      engines = enginePods({ kubeconfig, folder, serverOf });
      return engines;
    },
  });
  const { kubeconfig } = gpus.cluster;
  return {
    gpus,
    engines,
    serve: ({ namespace }) =>
      startLiveTraffic({ kubeconfig, namespace, folder, servedElsewhere: true }),
    async stop() {
      await engines.stop();
      await gpus.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
