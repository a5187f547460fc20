import type { ApiClient } from "../api-client.ts";

/** STAND-IN for a node that joins: an object that says it is ready and has so many GPUs, and whatever else is given. */
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
    metadata: { name, labels: { ...labels, "kubernetes.io/hostname": name } },
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
