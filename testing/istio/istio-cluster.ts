import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GpuCluster, startGpuCluster } from "../clusters/gpu-cluster.ts";
import type { ModelServerOptions } from "../model-server/model-server.ts";
import { type AddressedPickerPods, addressedPickerPods } from "../pods/addressed-picker-pods.ts";
import { type EnginePods, enginePods } from "../pods/engine-pods.ts";
import { type Stoppable, stopAll } from "../processes/stop-all.ts";
import { startEndpointSliceController } from "../stand-ins/endpoint-slices.ts";
import { allPrograms } from "../stand-ins/kubelet.ts";
import { type GatewayPods, gatewayPods } from "./gateway-pods.ts";
import { istioCrdGroups, istioNamespace, type Pilot, startPilot } from "./pilot.ts";

/**
 * A GPU cluster with Istio's control plane as its gateway. Pods of Gateways run Envoy, pods of pickers run our picker,
 * engines are SIMULATED. STAND-INS: kubelets, EndpointSlices, load balancers.
 */
export interface IstioCluster {
  readonly gpus: GpuCluster;
  readonly pilot: Pilot;
  readonly engines: EnginePods;
  readonly pickers: AddressedPickerPods;
  readonly gateways: GatewayPods;
  stop(): Promise<void>;
}

export async function startIstioCluster(engine: ModelServerOptions): Promise<IstioCluster> {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-istio-cluster-"));
  const running: Stoppable[] = [];
  const stop = async () => {
    await stopAll(running);
    rmSync(folder, { recursive: true, force: true });
  };
  let pilot: Pilot | undefined;
  const started = () => {
    if (pilot === undefined) throw new Error("Istio has not started");
    return pilot;
  };
  let engines!: EnginePods;
  let pickers!: AddressedPickerPods;
  let gateways!: GatewayPods;
  try {
    const gpus = await startGpuCluster({
      furtherGroups: istioCrdGroups,
      programs({ kubeconfig }) {
        engines = enginePods({ kubeconfig, folder, serverOf: () => engine });
        pickers = addressedPickerPods({ kubeconfig, folder });
        gateways = gatewayPods(kubeconfig, () => started().xds);
        return allPrograms([engines, pickers, gateways]);
      },
    });
    running.push(gpus, engines, pickers, gateways);
    const { client, cluster } = gpus;
    const etcd = { url: cluster.etcd, prefix: "/registry" };
    running.push(await startEndpointSliceController(client, { onError: console.error, etcd }));
    await client.request("POST", "/api/v1/namespaces", {
      ...{ apiVersion: "v1", kind: "Namespace", metadata: { name: istioNamespace } },
    });
    pilot = await startPilot(cluster);
    running.push(pilot);
    return { gpus, pilot, engines, pickers, gateways, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
