import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppsV1Api, CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { mergePatchType } from "../../../kubernetes/api/patch-types.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { endpointPickerConfig } from "../../../sdk/plan/picker/endpoint-picker-config.ts";
import { planPool } from "../../../sdk/plan/pools/pool.ts";
import { parseKind } from "../../../sdk/validate/spec-kind.ts";
import { inferencePoolSpecKind } from "../../../sdk/validate/spec-kinds.ts";
import { type Cluster, freshNamespace } from "../../../testing/api/cluster.ts";
import { objectPath } from "../../../testing/object-path.ts";
import { startDeployedPicker, untilItSeesPods } from "../../../testing/pods/deployed-picker.ts";
import type { Pod } from "../pod.ts";

/** A pool on an API server, with its picker. */
export interface LivePool {
  /** The picker's ext_proc, with TLS. */
  readonly address: string;
  /** Marks a pod as ready or not ready. */
  setReady(pod: Pod, isReady: boolean): Promise<void>;
  stop(): Promise<void>;
}

/** A pool with this project's picker. */
export interface PlannedPool extends LivePool {
  /** The picker's page of metrics. */
  metrics(): Promise<string>;
}

export interface LivePoolOptions {
  readonly cluster: Cluster;
  readonly pods: readonly Pod[];
  /** Those that are ready from the start. */
  readonly ready: readonly Pod[];
  /** EndpointPickerConfig instead of the planned one. */
  readonly config?: string | undefined;
}

const name = "pool";
const app = { app: "model-server" };
/** By which a pool has its pods. */
export const label = "app=model-server";

/** The pods of a pool, which no kubelet runs. */
export async function createPods(
  { cluster, pods, ready }: Pick<LivePoolOptions, "cluster" | "pods" | "ready">,
  namespace: string,
): Promise<Pick<LivePool, "setReady">> {
  const setReady = async ({ endpoint }: Pod, isReady: boolean) => {
    const condition = { type: "Ready", status: isReady ? "True" : "False" };
    const status = { phase: "Running", podIP: endpoint.ip, podIPs: [{ ip: endpoint.ip }] };
    const path = `/api/v1/namespaces/${namespace}/pods/${endpoint.pod}/status`;
    const patch = { status: { ...status, conditions: [condition] } };
    await cluster.request("PATCH", path, patch, mergePatchType);
  };
  for (const { endpoint } of pods)
    await cluster.request("POST", `/api/v1/namespaces/${namespace}/pods`, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: endpoint.pod, labels: { ...app, ...endpoint.labels } },
      spec: { containers: [{ name: "main", image: "none" }] },
    });
  for (const pod of ready) await setReady(pod, true);
  return { setReady };
}

/** A pool as the component plans it, with the picker that its Deployment starts. */
export async function startLivePool(options: LivePoolOptions): Promise<PlannedPool> {
  const { cluster } = options;
  const namespace = await freshNamespace(cluster);
  for (const manifest of plannedPool(options, namespace))
    await cluster.apply(objectPath(manifest), manifest);
  const { setReady } = await createPods(options, namespace);
  const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-live-"));
  const kubeconfig = new KubeConfig();
  kubeconfig.loadFromFile(cluster.kubeconfig);
  const picker = await startDeployedPicker({
    place: { kubeconfig: cluster.kubeconfig, namespace, folder },
    core: kubeconfig.makeApiClient(CoreV1Api),
    apps: kubeconfig.makeApiClient(AppsV1Api),
    name: `${name}-epp`,
  });
  await untilItSeesPods(picker);
  return {
    address: `127.0.0.1:${picker.ports.grpc}`,
    setReady,
    metrics: async () => (await fetch(`http://127.0.0.1:${picker.ports.metrics}/metrics`)).text(),
    stop: () => picker.stop(),
  };
}

function plannedPool({ pods, config }: LivePoolOptions, namespace: string): readonly Manifest[] {
  const isDisaggregated = pods.some(({ role }) => role === "prefiller");
  const strategy = isDisaggregated ? "pd-disaggregation" : "prefix-cache";
  const endpointPickerConfigText = config ?? JSON.stringify(endpointPickerConfig(strategy));
  return planPool(
    parseKind(inferencePoolSpecKind, {
      metadata: { name, namespace },
      spec: {
        selector: app,
        targetPorts: [pods[0]?.endpoint.port],
        endpointPicker:
          config === undefined && !isDisaggregated
            ? {}
            : { endpointPickerConfig: endpointPickerConfigText },
      },
    }),
  );
}
