import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import {
  ClusterSet,
  ClusterSetMember,
  huggingFace,
  MultiClusterInferenceService,
  router,
  worker,
} from "pulumi-inference";

const config = new pulumi.Config();
const namespace = config.get("namespace") ?? "default";
const system = config.get("system") ?? "inference-system";
const kubeconfig = config.require("kubeconfig");

const provider = (context: string) => new k8s.Provider(context, { kubeconfig, context });
const clusters = ["east", "west"].map((name) => ({ name, provider: provider(name) }));

// The controller runs in a separate cluster. If that cluster fails, existing imports stay.
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
  model: huggingFace("Qwen/Qwen3-8B"),
  accelerator: "h100-sxm",
  roles: [worker({ name: "inference", replicas: 2 }), router({ strategy: "queue-size" })],
  export: {
    serviceType: "LoadBalancer",
    certificateSecret: "qwen-picker",
    // The networks of the clusters. No other network may call the pickers.
    allowedNetworks: ["10.0.0.0/8"],
    metrics: true, // pickers of imports select a cluster by load
  },
  route: {
    parentRefs: [{ name: "inference-gateway" }],
    picker: { tls: { caConfigMap: "picker-authorities" } },
  },
});

export const routes = Object.values(service.nodes.routes).map((route) => route.urn);
