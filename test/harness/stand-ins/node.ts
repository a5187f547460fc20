import type { ApiClient } from "../api-client.ts";

/** STAND-IN for a node that joins: an object that says it is ready and has so many GPUs. */
export async function createNode(
  client: ApiClient,
  name: string,
  gpus: number,
  labels: Readonly<Record<string, string>> = {},
): Promise<void> {
  const resources = { cpu: "128", memory: "2Ti", pods: "250", "nvidia.com/gpu": String(gpus) };
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
