import { join } from "node:path";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import type { WorkingCluster } from "../clusters/working-cluster.ts";
import { type LiveTraffic, startLiveTraffic } from "./live-traffic.ts";

export interface QuickstartTraffic {
  /** Scratch folder of the walk. */
  readonly folder: string;
  /** Port of the Gateway's listener. */
  readonly port: number;
  readonly model: string;
}

/** Starts Envoy, the picker and a simulated engine of the deployed quickstart, and gives its Gateway an address. */
export async function serveQuickstart(
  { cluster: { kubeconfig, request } }: WorkingCluster,
  { folder, port, model }: QuickstartTraffic,
): Promise<LiveTraffic> {
  const traffic = await startLiveTraffic({
    kubeconfig,
    namespace: "default",
    folder: join(folder, "traffic"),
    gateway: { port },
    serverOf: () => ({ model, stepMs: 1 }),
  });
  const path =
    "/apis/gateway.networking.k8s.io/v1/namespaces/default/gateways/quickstart-gateway/status";
  const addresses = [{ type: "IPAddress", value: "127.0.0.1" }];
  await request("PATCH", path, { status: { addresses } }, mergePatchType);
  return traffic;
}
