import type { ClusterNode } from "../../sdk/index.ts";
import type { ApiClient } from "../api/api-client.ts";

/** Label by which NVIDIA's feature discovery names the GPUs of a node. */
const h100 = { "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3" };

/**
 * STAND-IN for a node that joins: an object that is ready, has a number of GPUs, by default H100, and other given
 * resources.
 */
export async function createNode(
  client: ApiClient,
  name: string,
  gpus: number,
  labels: Readonly<Record<string, string>> = {},
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const room = { cpu: "128", memory: "2Ti", pods: "250" };
  const resources = { ...room, "nvidia.com/gpu": String(gpus), ...more };
  const at = new Date().toISOString();
  await client.request("POST", "/api/v1/nodes", {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: { ...(gpus > 0 && h100), ...labels, "kubernetes.io/hostname": name },
    },
    status: {
      capacity: resources,
      allocatable: resources,
      conditions: [
        {
          type: "Ready",
          status: "True",
          reason: "KubeletReady",
          message: "played",
          lastHeartbeatTime: at,
          lastTransitionTime: at,
        },
      ],
    },
  });
}

/** STAND-IN for a node of a cluster: the object as its kubelet and the node controller would have written it. */
export async function createClusterNode(
  client: ApiClient,
  name: string,
  { metadata, spec = {}, status = {} }: ClusterNode,
  labels: Readonly<Record<string, string>>,
): Promise<void> {
  const { allocatable = {}, conditions = [] } = status;
  const at = new Date().toISOString();
  await client.request("POST", "/api/v1/nodes", {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { ...metadata.labels, ...labels, "kubernetes.io/hostname": name } },
    spec,
    status: {
      capacity: allocatable,
      allocatable,
      conditions: conditions.map((each) => ({
        ...each,
        ...{ reason: "Played", message: "played", lastHeartbeatTime: at, lastTransitionTime: at },
      })),
    },
  });
}
