import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { ClusterSet, ClusterSetMember, MultiClusterInferenceService } from "pulumi-inference";

const config = new pulumi.Config();
const namespace = config.get("namespace") ?? "default";
const system = config.get("system") ?? "inference-system";
const kubeconfig = config.require("kubeconfig");

const provider = (context: string) => new k8s.Provider(context, { kubeconfig, context });
const clusters = ["east", "west"].map((name) => ({ name, provider: provider(name) }));

// The controller runs in a cluster of its own: what is imported stays when that one is lost.
for (const { name, provider } of clusters)
  new ClusterSetMember(name, { metadata: { namespace: system } }, { provider });
new ClusterSet(
  "set",
  {
    metadata: { namespace: system },
    members: clusters.map(({ name }) => ({ name, kubeconfigSecret: `cluster-${name}` })),
    importIntoExporters: true,
  },
  { provider: provider("hub") },
);

const service = new MultiClusterInferenceService("qwen", {
  metadata: { namespace },
  clusters,
  roles: [
    {
      name: "inference",
      componentType: "worker",
      replicas: 2,
      template: {
        spec: {
          containers: [
            {
              name: "vllm",
              image: "vllm/vllm-openai:v0.32.0",
              args: ["--model", "Qwen/Qwen3-8B"],
              ports: [{ containerPort: 8000, name: "http" }],
              resources: { limits: { "nvidia.com/gpu": "1" } },
            },
          ],
        },
      },
    },
    { name: "router", componentType: "router", strategy: "queue-size" },
  ],
  export: {
    serviceType: "LoadBalancer",
    certificateSecret: "qwen-picker",
    // The networks of the clusters: nobody else may ask the pickers.
    allowedNetworks: ["10.0.0.0/8"],
    metrics: true, // importing pickers choose by load
  },
  route: {
    parentRefs: [{ name: "inference-gateway" }],
    picker: { tls: { caConfigMap: "picker-authorities" } },
  },
});

export const routes = Object.values(service.nodes.routes).map((route) => route.urn);
