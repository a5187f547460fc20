import * as gcp from "@pulumi/gcp";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import {
  huggingFace,
  InferenceControllers,
  InferenceCrds,
  InferencePlatform,
  InferenceService,
  router,
  vllm,
  worker,
} from "pulumi-inference";

const config = new pulumi.Config();
const region = new pulumi.Config("gcp").require("region");
/** Zones of the region that offer `g2-standard-8`, such as ["us-central1-a", "us-central1-b"]. */
const zones = config.requireObject<string[]>("zones");
const replicas = config.getNumber("replicas") ?? 2;
const spot = config.getBoolean("spot") ?? false;
// An internal load balancer: GKE's gateway does not check the credentials of clients.
const gatewayClassName = config.get("gatewayClass") ?? "gke-l7-rilb";

// 1. The APIs of the project, and a network with a subnet for the proxies of regional load balancers.
const apis = ["compute", "container", "file"].map(
  (name) =>
    new gcp.projects.Service(name, {
      service: `${name}.googleapis.com`,
      disableOnDestroy: false,
    }),
);
const network = new gcp.compute.Network(
  "inference",
  { autoCreateSubnetworks: false },
  { dependsOn: apis },
);
const nodes = new gcp.compute.Subnetwork("nodes", {
  network: network.id,
  region,
  ipCidrRange: "10.0.0.0/20",
  privateIpGoogleAccess: true,
});
const proxies = new gcp.compute.Subnetwork("proxies", {
  network: network.id,
  region,
  ipCidrRange: "10.129.0.0/23",
  purpose: "REGIONAL_MANAGED_PROXY",
  role: "ACTIVE",
});

// 2. The cluster. GKE installs the CRDs of the Gateway API, and from 1.34 on the CRD of InferencePools.
const cluster = new gcp.container.Cluster("inference", {
  location: region,
  nodeLocations: zones,
  network: network.id,
  subnetwork: nodes.id,
  networkingMode: "VPC_NATIVE",
  ipAllocationPolicy: {},
  releaseChannel: { channel: "REGULAR" },
  minMasterVersion: "1.34",
  gatewayApiConfig: { channel: "CHANNEL_STANDARD" },
  addonsConfig: { gcpFilestoreCsiDriverConfig: { enabled: true } },
  removeDefaultNodePool: true,
  initialNodeCount: 1,
  deletionProtection: false,
});
const oauthScopes = ["https://www.googleapis.com/auth/cloud-platform"];
const systemPool = new gcp.container.NodePool("system", {
  cluster: cluster.id,
  nodeCount: 1,
  nodeConfig: { machineType: "e2-standard-4", oauthScopes },
});

// 3. GPU nodes, one for each replica, in the zone that has them. GKE installs the driver and the device plugin.
const gpuPool = new gcp.container.NodePool("l4", {
  cluster: cluster.id,
  nodeLocations: zones,
  initialNodeCount: 0,
  autoscaling: { totalMinNodeCount: 0, totalMaxNodeCount: replicas, locationPolicy: "ANY" },
  nodeConfig: {
    machineType: "g2-standard-8",
    guestAccelerators: [
      {
        type: "nvidia-l4",
        count: 1,
        gpuDriverInstallationConfig: { gpuDriverVersion: "LATEST" },
      },
    ],
    spot,
    diskType: "pd-balanced",
    diskSizeGb: 100,
    taints: [{ key: "nvidia.com/gpu", value: "present", effect: "NO_SCHEDULE" }],
    oauthScopes,
  },
});
const gpuNodes = {
  containers: [],
  nodeSelector: { "cloud.google.com/gke-accelerator": "nvidia-l4" },
  tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
};

/** The kubeconfig. `gke-gcloud-auth-plugin` of the Google Cloud CLI gets the tokens. */
const kubeconfig = pulumi.jsonStringify({
  apiVersion: "v1",
  kind: "Config",
  clusters: [
    {
      name: "inference",
      cluster: {
        server: pulumi.interpolate`https://${cluster.endpoint}`,
        "certificate-authority-data": cluster.masterAuth.clusterCaCertificate,
      },
    },
  ],
  users: [
    {
      name: "inference",
      user: {
        exec: {
          apiVersion: "client.authentication.k8s.io/v1beta1",
          command: "gke-gcloud-auth-plugin",
          provideClusterInfo: true,
        },
      },
    },
  ],
  contexts: [{ name: "inference", context: { cluster: "inference", user: "inference" } }],
  "current-context": "inference",
});
const provider = new k8s.Provider("cluster", { kubeconfig }, { dependsOn: [systemPool, gpuPool] });

// 4. Prerequisites: LeaderWorkerSet and Volcano, then the CRDs and controllers of this project.
// GKE has the CRDs of gateways, and the service has a fixed number of replicas.
const platform = new InferencePlatform(
  "platform",
  { gatewayApi: false, inferenceExtension: false, keda: false },
  { provider },
);
const crds = new InferenceCrds("crds", {}, { provider });
const system = new k8s.core.v1.Namespace(
  "system",
  { metadata: { name: "inference-system" } },
  { provider },
);
const controllers = new InferenceControllers(
  "controllers",
  { metadata: { namespace: system.metadata.name } },
  { provider, dependsOn: [crds, platform] },
);

// 5. Files of models on Filestore, which the pods of all zones share.
const storage = new k8s.storage.v1.StorageClass(
  "models",
  {
    metadata: { name: "models" },
    provisioner: "filestore.csi.storage.gke.io",
    parameters: { tier: "zonal", network: network.name },
    allowVolumeExpansion: true,
  },
  { provider },
);
const models = new k8s.core.v1.PersistentVolumeClaim(
  "models",
  {
    metadata: { name: "models" },
    spec: {
      accessModes: ["ReadWriteMany"],
      storageClassName: storage.metadata.name,
      resources: { requests: { storage: "1Ti" } },
    },
  },
  { provider },
);

// 6. The service: one L4 for each replica.
const service = new InferenceService(
  "qwen",
  {
    model: huggingFace("Qwen/Qwen3-8B", { cache: { claim: models.metadata.name } }),
    accelerator: "l4",
    engine: vllm({ maxModelLen: 16_384 }),
    roles: [
      worker({ replicas, template: { spec: gpuNodes } }),
      router({
        gateway: {
          type: "gke",
          gatewayClassName,
          listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
        },
      }),
    ],
  },
  { provider, dependsOn: [controllers, models, proxies] },
);

export const clusterName = cluster.name;
export const url = service.url;
export const urlStatus = service.urlStatus;
