import * as aws from "@pulumi/aws";
import * as awsx from "@pulumi/awsx";
import * as eks from "@pulumi/eks";
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
/** Availability zones that offer `g6.2xlarge`, such as ["us-east-1a", "us-east-1b"]: two or more. */
const zones = config.requireObject<string[]>("zones");
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

// 1. The network: nodes in private subnets, one per zone.
const cidrBlock = "10.0.0.0/16";
const vpc = new awsx.ec2.Vpc("inference", {
  cidrBlock,
  availabilityZoneNames: zones,
  natGateways: { strategy: "Single" },
  enableDnsHostnames: true,
});

// 2. The cluster, and nodes for everything that needs no GPU.
const cluster = new eks.Cluster("inference", {
  vpcId: vpc.vpcId,
  publicSubnetIds: vpc.publicSubnetIds,
  privateSubnetIds: vpc.privateSubnetIds,
  authenticationMode: "API",
  skipDefaultNodeGroup: true,
});
/** Returns a role of a service of AWS, with managed policies. */
function roleOf(name: string, service: string, actions: string[], policies: string[]) {
  const role = new aws.iam.Role(name, {
    assumeRolePolicy: pulumi.jsonStringify({
      Version: "2012-10-17",
      Statement: [{ Effect: "Allow", Principal: { Service: service }, Action: actions }],
    }),
  });
  const attachments = policies.map(
    (policy) =>
      new aws.iam.RolePolicyAttachment(`${name}-${policy.split("/").at(-1)}`, {
        role: role.name,
        policyArn: `arn:aws:iam::aws:policy/${policy}`,
      }),
  );
  return { role, attachments };
}
const node = roleOf(
  "node",
  "ec2.amazonaws.com",
  ["sts:AssumeRole"],
  ["AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy", "AmazonEC2ContainerRegistryPullOnly"],
);
const systemPool = new eks.ManagedNodeGroup(
  "system",
  {
    cluster,
    nodeRole: node.role,
    subnetIds: vpc.privateSubnetIds,
    instanceTypes: ["m7i.xlarge"],
    amiType: "AL2023_x86_64_STANDARD",
    scalingConfig: { minSize: 2, desiredSize: 2, maxSize: 3 },
  },
  { dependsOn: node.attachments },
);

// 3. GPU nodes, one for each replica. The AMI contains the driver and NVIDIA's container toolkit.
const gpuPool = new eks.ManagedNodeGroup(
  "l4",
  {
    cluster,
    nodeRole: node.role,
    subnetIds: vpc.privateSubnetIds,
    instanceTypes: ["g6.2xlarge"],
    amiType: "AL2023_x86_64_NVIDIA",
    capacityType: spot ? "SPOT" : "ON_DEMAND",
    diskSize: 100,
    scalingConfig: { minSize: 0, desiredSize: replicas, maxSize: replicas },
    labels: { "nvidia.com/gpu.present": "true", accelerator: "l4" },
    taints: [{ key: "nvidia.com/gpu", value: "present", effect: "NO_SCHEDULE" }],
  },
  { dependsOn: node.attachments },
);
const gpuNodes = {
  containers: [],
  nodeSelector: { accelerator: "l4" },
  tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
};
const provider = new k8s.Provider(
  "cluster",
  { kubeconfig: cluster.kubeconfigJson },
  { dependsOn: [systemPool, gpuPool] },
);

// 4. Prerequisites: the device plugin; LeaderWorkerSet, Volcano and the CRDs of gateways, then Istio, which reads them; the
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

// 5. Files of models on EFS, which the pods of all zones share.
const files = new aws.efs.FileSystem("models", { encrypted: true, throughputMode: "elastic" });
const nfs = new aws.ec2.SecurityGroup("nfs", {
  vpcId: vpc.vpcId,
  ingress: [{ protocol: "tcp", fromPort: 2049, toPort: 2049, cidrBlocks: [cidrBlock] }],
});
const mounts = zones.map(
  (zone, index) =>
    new aws.efs.MountTarget(`models-${zone}`, {
      fileSystemId: files.id,
      subnetId: vpc.privateSubnetIds.apply((ids) => ids[index] ?? ""),
      securityGroups: [nfs.id],
    }),
);
const efs = roleOf(
  "efs",
  "pods.eks.amazonaws.com",
  ["sts:AssumeRole", "sts:TagSession"],
  ["service-role/AmazonEFSCSIDriverPolicy"],
);
const clusterId = cluster.eksCluster.name;
const podIdentity = new aws.eks.Addon(
  "pod-identity",
  { clusterName: clusterId, addonName: "eks-pod-identity-agent" },
  { dependsOn: systemPool },
);
const efsDriver = new aws.eks.Addon(
  "efs",
  {
    clusterName: clusterId,
    addonName: "aws-efs-csi-driver",
    podIdentityAssociations: [{ roleArn: efs.role.arn, serviceAccount: "efs-csi-controller-sa" }],
  },
  { dependsOn: [podIdentity, ...efs.attachments, ...mounts] },
);
const storage = new k8s.storage.v1.StorageClass(
  "models",
  {
    metadata: { name: "models" },
    provisioner: "efs.csi.aws.com",
    parameters: { provisioningMode: "efs-ap", fileSystemId: files.id, directoryPerms: "700" },
  },
  { provider, dependsOn: efsDriver },
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
              "service.beta.kubernetes.io/aws-load-balancer-type": "nlb",
              ...(!isPublic && { "service.beta.kubernetes.io/aws-load-balancer-internal": "true" }),
            },
          },
        },
      }),
    ],
  },
  { provider, dependsOn: [controllers, devicePlugin, models] },
);

export const clusterName = clusterId;
export const url = service.url;
export const urlStatus = service.urlStatus;
