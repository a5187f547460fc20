/** Labels and annotations that grant a pod rights, and the documentation of each. */
export interface GrantingKey {
  readonly keys: RegExp;
  readonly grants: string;
  readonly source: string;
}

/** A plugin may neither add, change nor remove these keys; the template may. */
export const grantingKeys: readonly GrantingKey[] = [
  {
    keys: /^(container\.apparmor|container\.seccomp|seccomp)\.security\.(alpha|beta)\.kubernetes\.io\//,
    grants: "a profile of AppArmor or seccomp, or none",
    source: "https://kubernetes.io/docs/reference/labels-annotations-taints/",
  },
  {
    keys: /^(security\.alpha\.kubernetes\.io\/|kubernetes\.io\/config\.|scheduler\.alpha\.kubernetes\.io\/)/,
    grants: "sysctls, the status of a static pod, or different treatment by a scheduler",
    source: "https://kubernetes.io/docs/reference/labels-annotations-taints/",
  },
  {
    keys: /^kubernetes\.io\/enforce-mountable-secrets$/,
    grants: "Secrets that the ServiceAccount does not list",
    source: "https://kubernetes.io/docs/reference/labels-annotations-taints/",
  },
  {
    keys: /^(security\.)?openshift\.io\//,
    grants: "a SecurityContextConstraints, or a range of users",
    source: "https://docs.openshift.com/container-platform/latest/authentication/",
  },
  {
    keys: /^(iam\.amazonaws\.com|eks\.amazonaws\.com|vpc\.amazonaws\.com)\//,
    grants: "an AWS IAM role or security groups",
    source:
      "https://github.com/jtblin/kube2iam, https://github.com/aws/amazon-eks-pod-identity-webhook",
  },
  {
    keys: /^(aadpodidbinding$|azure\.workload\.identity\/)/,
    grants: "an Azure identity",
    source:
      "https://azure.github.io/azure-workload-identity/docs/topics/service-account-labels-and-annotations.html",
  },
  {
    keys: /^(iam\.gke\.io|iam\.cloud\.google\.com|gke-gcsfuse|networking\.gke\.io)\//,
    grants: "a Google Cloud identity, a sidecar that uses it, or another network",
    source:
      "https://cloud.google.com/kubernetes-engine/docs/how-to/persistent-volumes/cloud-storage-fuse-csi-driver",
  },
  {
    keys: /^(vault\.hashicorp\.com|vault\.security\.banzaicloud\.io|secrets\.(doppler|infisical)\.com|conjur\.org|operator\.1password\.io)\//,
    grants: "secrets from a secret store",
    source: "https://developer.hashicorp.com/vault/docs/platform/k8s/injector/annotations",
  },
  {
    keys: /^([a-z]+\.)*(istio\.io|linkerd\.io|consul\.hashicorp\.com|kuma\.io|dapr\.io|openservicemesh\.io)\//,
    grants: "a sidecar with any image, volumes and privileges, or no sidecar",
    source: "https://istio.io/latest/docs/reference/config/annotations/",
  },
  {
    keys: /^(sidecar\.opentelemetry\.io|instrumentation\.opentelemetry\.io|admission\.datadoghq\.com)\//,
    grants: "code that is loaded into the containers",
    source: "https://opentelemetry.io/docs/platforms/kubernetes/operator/automatic/",
  },
  {
    keys: /^(k8s\.v1\.cni\.cncf\.io|v1\.multus-cni\.io|k8s\.ovn\.org|ovn\.kubernetes\.io|cni\.projectcalico\.org|([a-z]+\.)*cilium\.io|kubernetes\.io\/(in|e)gress-bandwidth|cni\.cilium\.io)(\/|$)/,
    grants: "other networks, addresses, or a way around network policies",
    source: "https://github.com/k8snetworkplumbingwg/multus-cni/blob/master/docs/how-to-use.md",
  },
  {
    keys: /^(io\.katacontainers\.|dev\.gvisor\.|io\.kubernetes\.(cri|cri-o|container|pod)[./-]|io\.containerd\.|run\.oci\.|module\.wasm\.|io\.containers\.|(.+\.)?crio\.io(\/|$))/,
    grants: "settings of the container runtime or the sandbox, such as mounts, devices and kernel",
    source:
      "https://github.com/kata-containers/kata-containers/blob/main/docs/how-to/how-to-set-sandbox-config-kata.md, https://gvisor.dev/docs/user_guide/containerd/configuration/, https://github.com/cri-o/cri-o/blob/main/ANNOTATIONS.md",
  },
  {
    keys: /^(cdi\.k8s\.io|([a-z]+\.)*(nri\.io|noderesource\.dev)|blockio\.resources\.beta\.kubernetes\.io|rdt\.resources\.beta\.kubernetes\.io)(\/|$)/,
    grants: "devices of the node, or shares of its resources",
    source:
      "https://github.com/cncf-tags/container-device-interface, https://github.com/containerd/nri/tree/main/plugins",
  },
];

/** Whether a label or annotation with this key grants a pod rights. */
export const grantsRights = (key: string): boolean =>
  grantingKeys.some(({ keys }) => keys.test(key));
