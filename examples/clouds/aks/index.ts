import * as containerservice from "@pulumi/azure-native/containerservice/index.js";
import * as resources from "@pulumi/azure-native/resources/index.js";
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
/** Zones of the region that offer `Standard_NC24ads_A100_v4`, such as ["1", "2"]. Default: nodes without a zone. */
const availabilityZones = config.getObject<string[]>("zones");
const replicas = config.getNumber("replicas") ?? 2;
const spot = config.getBoolean("spot") ?? false;
/** Whether the load balancer has an address of the internet. Clients then need a token of the issuer, by TLS. */
const isPublic = config.getBoolean("public") ?? false;
const issuer = config.getObject<{ issuer: string; jwksUrl: string; audiences: string[] }>("issuer");
/** Secret with the certificate of the load balancer's name, in the namespace of the service. */
const certificate = config.get("certificate");
if (isPublic && (issuer === undefined || certificate === undefined))
  throw new Error(
    "public: true lets everyone on the internet send requests. Set `issuer` with the issuer, audiences and jwksUrl of your clients' tokens, and `certificate`, or leave public out.",
  );

// 1. The cluster, and nodes for everything that needs no GPU.
const group = new resources.ResourceGroup("inference");
const cluster = new containerservice.ManagedCluster("inference", {
  resourceGroupName: group.name,
  dnsPrefix: "inference",
  identity: { type: "SystemAssigned" },
  networkProfile: { networkPlugin: "azure", networkPluginMode: "overlay" },
  agentPoolProfiles: [
    { name: "system", mode: "System", count: 2, vmSize: "Standard_D4s_v5", osType: "Linux" },
  ],
});

// 2. GPU nodes, one for each replica. AKS installs the driver, and adds a label and a taint to spot nodes.
const spotLabel = "kubernetes.azure.com/scalesetpriority";
const gpuPool = new containerservice.AgentPool("a100", {
  agentPoolName: "a100",
  resourceGroupName: group.name,
  resourceName: cluster.name,
  mode: "User",
  osType: "Linux",
  vmSize: "Standard_NC24ads_A100_v4",
  count: replicas,
  osDiskSizeGB: 256,
  gpuProfile: { driver: "Install" },
  availabilityZones,
  nodeLabels: {
    "nvidia.com/gpu.present": "true",
    accelerator: "a100",
    ...(spot && { [spotLabel]: "spot" }),
  },
  nodeTaints: [
    "nvidia.com/gpu=present:NoSchedule",
    ...(spot ? [`${spotLabel}=spot:NoSchedule`] : []),
  ],
  // Pays at most the price of regular nodes.
  ...(spot && { scaleSetPriority: "Spot", scaleSetEvictionPolicy: "Delete", spotMaxPrice: -1 }),
});
const gpuNodes = {
  containers: [],
  nodeSelector: { accelerator: "a100" },
  tolerations: [
    { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" },
    ...(spot ? [{ key: spotLabel, operator: "Exists", effect: "NoSchedule" }] : []),
  ],
};

const credentials = containerservice.listManagedClusterUserCredentialsOutput({
  resourceGroupName: group.name,
  resourceName: cluster.name,
});
const kubeconfig = credentials.kubeconfigs.apply((configs) =>
  Buffer.from(configs[0]?.value ?? "", "base64").toString(),
);
const provider = new k8s.Provider(
  "cluster",
  { kubeconfig: pulumi.secret(kubeconfig) },
  { dependsOn: gpuPool },
);

// 3. Prerequisites: the device plugin; LeaderWorkerSet, Volcano and the CRDs of gateways, then Istio, which reads them; the
// CRDs and controllers of this project.
const devicePlugin = new k8s.helm.v3.Release(
  "device-plugin",
  {
    chart: "nvidia-device-plugin",
    version: "0.17.4",
    repositoryOpts: { repo: "https://nvidia.github.io/k8s-device-plugin" },
    namespace: "nvidia-device-plugin",
    createNamespace: true,
    // The chart selects nodes by the label `nvidia.com/gpu.present`, which the pool sets.
    values: { tolerations: gpuNodes.tolerations },
  },
  { provider },
);
// The service has a fixed number of replicas.
const platform = new InferencePlatform("platform", { keda: false }, { provider });
/** Returns a chart of Istio. */
const istio = (chart: string, values: object, dependsOn: pulumi.Resource[]) =>
  new k8s.helm.v3.Release(
    chart,
    {
      name: chart,
      chart,
      version: "1.31.0",
      repositoryOpts: { repo: "https://istio-release.storage.googleapis.com/charts" },
      namespace: "istio-system",
      createNamespace: true,
      values,
    },
    { provider, dependsOn },
  );
const istioBase = istio("base", {}, [platform]);
const istiod = istio("istiod", { env: { ENABLE_GATEWAY_API_INFERENCE_EXTENSION: "true" } }, [
  istioBase,
]);
const crds = new InferenceCrds("crds", {}, { provider });
const system = new k8s.core.v1.Namespace(
  "system",
  { metadata: { name: "inference-system" } },
  { provider },
);
const controllers = new InferenceControllers(
  "controllers",
  { metadata: { namespace: system.metadata.name } },
  { provider, dependsOn: [crds, istiod] },
);

// 4. Files of models on Azure Files, which the pods of all zones share. AKS contains the driver.
const storage = new k8s.storage.v1.StorageClass(
  "models",
  {
    metadata: { name: "models" },
    provisioner: "file.csi.azure.com",
    parameters: { skuName: "Premium_LRS" },
    mountOptions: ["mfsymlinks", "nosharesock", "actimeo=30"],
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
      resources: { requests: { storage: "200Gi" } },
    },
  },
  { provider },
);

// 5. The service: one A100 for each replica.
const service = new InferenceService(
  "qwen",
  {
    model: huggingFace("Qwen/Qwen3-14B", { cache: { claim: models.metadata.name } }),
    accelerator: "a100-pcie-80gb",
    engine: vllm({ maxModelLen: 32_768 }),
    roles: [
      worker({ replicas, template: { spec: gpuNodes } }),
      router({
        access: issuer && { jwt: { issuers: [issuer] } },
        gateway: {
          gatewayClassName: "istio",
          listeners: [
            certificate === undefined
              ? { name: "http", port: 80, protocol: "HTTP" }
              : {
                  name: "https",
                  port: 443,
                  protocol: "HTTPS",
                  tls: { certificateRefs: [{ name: certificate }] },
                },
          ],
          // Istio copies the annotations to the gateway's Service.
          infrastructure: {
            annotations: {
              ...(!isPublic && {
                "service.beta.kubernetes.io/azure-load-balancer-internal": "true",
              }),
            },
          },
        },
      }),
    ],
  },
  { provider, dependsOn: [controllers, devicePlugin, models] },
);

export const clusterName = cluster.name;
export const url = service.url;
export const urlStatus = service.urlStatus;
