import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { ClusterSet, ClusterSetMember } from "pulumi-inference";

const config = new pulumi.Config();
const namespace = config.get("namespace") ?? "inference-system";
const kubeconfig = config.require("kubeconfig");

const provider = (context: string) => new k8s.Provider(context, { kubeconfig, context });
const clusters = ["east", "west"];

for (const name of clusters)
  new ClusterSetMember(name, { metadata: { namespace } }, { provider: provider(name) });
const set = new ClusterSet(
  "set",
  {
    metadata: { namespace },
    members: clusters.map((name) => ({ name, kubeconfigSecret: `cluster-${name}` })),
  },
  { provider: provider("hub") },
);

export const controller = set.urn;
