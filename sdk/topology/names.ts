import { componentTypeLabel } from "../../scheduling/roles.ts";
/**
 * Every object name, label key and annotation key that a plan emits. Names are identity: changing one here
 * replaces running objects, so it is a breaking change.
 */

/** Label by which endpoint pickers know the engine of a pod, and so its metrics. Without it a pod runs vLLM. */
export const engineTypeLabel = "llm-d.ai/engine-type";

/** Labels of the InferenceService design, "Labels injected by Controller". */
export const label = {
  /** InferenceService name. */
  service: "fusioninfer.io/service",
  /** worker, prefiller, decoder or router. */
  componentType: componentTypeLabel,
  /** Role name from the spec. */
  roleName: "fusioninfer.io/role-name",
  /** Replica index, only where a replica has a LeaderWorkerSet of its own. */
  replicaIndex: "fusioninfer.io/replica-index",
  /**
   * Hash of the spec without its counts. On objects only: in a pod template it would restart every GPU pod
   * at any edit.
   */
  revision: "fusioninfer.io/revision",
  /** The endpoint picker's Deployment selects by it. */
  app: "app",
  /** Pool that an object belongs to, where no InferenceService made it. */
  pool: "pulumi-inference/pool",
  /**
   * On pods whose plugins run in the cluster. `Fail`: they are not made without them. `Ignore`: they are made all the
   * same. `Ready`: only becoming ready matters.
   */
  podPlugins: "pulumi-inference/pod-plugins",
  /** On a route to an imported pool and its backends: name of the agent that writes them. */
  parentsAgent: "pulumi-inference/parents-agent",
  /** On CustomResourceDefinitions and controllers that this project installs. */
  managedBy: "app.kubernetes.io/managed-by",
} as const;

/** Value of `label.managedBy`. */
export const manager = "pulumi-inference";

/** Labels that the LeaderWorkerSet controller puts on pods (leaderworkerset_types.go). */
export const lwsLabel = {
  groupIndex: "leaderworkerset.sigs.k8s.io/group-index",
  /** "0" on the leader. */
  workerIndex: "leaderworkerset.sigs.k8s.io/worker-index",
  /** Hash of namespace and leader pod: the same for all pods of one group and for no other. */
  groupKey: "leaderworkerset.sigs.k8s.io/group-key",
} as const;

/** Labels that Kubernetes recommends for the objects of an application. */
export const standardLabel = {
  name: "app.kubernetes.io/name",
  component: "app.kubernetes.io/component",
  partOf: "app.kubernetes.io/part-of",
} as const;

/** Label of a ReplicaSet and its pods: the hash of the Deployment's pod template. */
export const templateHashLabel = "pod-template-hash";

/** Labels of Kthena's ModelServing. */
export const kthenaPrefix = "modelserving.volcano.sh/";

/** Labels that Kthena puts on the pods of a ModelServing, and by which its router finds them. */
export const kthenaLabel = {
  name: "modelserving.volcano.sh/name",
  groupName: "modelserving.volcano.sh/group-name",
  role: "modelserving.volcano.sh/role",
  roleID: "modelserving.volcano.sh/role-id",
  entry: "modelserving.volcano.sh/entry",
} as const;

export const annotation = {
  /** Names the PodGroup of a pod, in the pod's namespace (Volcano, scheduling/v1beta1). */
  groupName: "scheduling.k8s.io/group-name",
  /** Names the task of a pod within its PodGroup (Volcano, batch/v1alpha1). */
  taskSpec: "volcano.sh/task-spec",
  /** Queue of a pod outside a gang, for the PodGroup that Volcano makes for it. */
  queueName: "scheduling.volcano.sh/queue-name",
  /** Digest of the endpoint picker's configuration: a changed configuration restarts the picker. */
  configChecksum: "pulumi-inference/config-checksum",
  /** On an InferencePool: `required` where a model must be registered by an LLMService; absent elsewhere. */
  registration: "pulumi-inference/registration",
  /** On an InferencePool: namespaces besides its own whose LLMServices may use it, separated by commas. */
  allowedNamespaces: "pulumi-inference/allowed-namespaces",
  /** On an InferencePool: names that LLMServices of such a namespace may register, by namespace, as JSON. */
  allowedModels: "pulumi-inference/allowed-models",
  /** On an InferencePool: names that LLMServices of its own namespace alone may register, as JSON. */
  reservedModels: "pulumi-inference/reserved-models",
  /** On an InferencePool that a shared picker serves: its EndpointPickerConfig, as YAML. */
  pickerConfig: "pulumi-inference/picker-config",
  /** On an InferencePool that a shared picker serves: the header that names the tenant of a request. */
  tenantHeader: "pulumi-inference/tenant-header",
  /** On an InferencePool that a shared picker serves: what becomes of bodies that it cannot read, `reject` or `allow`. */
  unparsedBodies: "pulumi-inference/unparsed-bodies",
  /** On an InferencePool: `ClusterSet` exports it to every cluster of the set (Multi-Cluster Inference proposal). */
  export: "inference.networking.x-k8s.io/export",
  /** On an exported InferencePool: EndpointMode or ParentMode. */
  exportMode: "inference.networking.x-k8s.io/export-mode",
  /** On an exported InferencePool: a label selector of the members of the cluster set that import it; absent for all. */
  exportTo: "pulumi-inference/export-to",
  /** On an InferencePoolImport: how its clusters are reached, where its status has no room, as JSON. */
  importDetail: "pulumi-inference/import-detail",
  /** On an InferencePool: `True` exports it to the GKE fleet (GKE multi-cluster Inference Gateway). */
  gkeExport: "networking.gke.io/export",
  /** On a pod: names of the plugins that changed it, in their order, separated by commas. */
  plugins: "pulumi-inference/plugins",
  /** On a pod: digest of what those plugins are configured with, so that a changed config makes new pods. */
  pluginsHash: "pulumi-inference/plugins-hash",
  /** On a pod that run-time plugins have changed: which pod it was and by which configuration. */
  pluginsApplied: "pulumi-inference/plugins-applied",
  /** On an object that makes pods: resources that are accelerators besides the known ones, as JSON (`accelerators`). */
  accelerators: "pulumi-inference/accelerators",
  /** On a LeaderWorkerSet: the plugins of its pods that run in the cluster, as JSON (`PluginsFile`). */
  runtimePlugins: "pulumi-inference/runtime-plugins",
  /** On a pod: the transition to ready whose hooks have run, as RFC 3339. */
  readyHooks: "pulumi-inference/ready-hooks",
  /** On the Lease of a cluster set's controller: which cluster each member is, as JSON of uids. */
  memberIdentities: "pulumi-inference/member-identities",
  /** On an object of another operator's kind: fields of the spec that its schema does not have, as JSON. */
  extensions: "pulumi-inference/extensions",
} as const;

/** Labels and annotations of the LeaderWorkerSet controller. */
export const lwsPrefix = "leaderworkerset.sigs.k8s.io/";

/** Labels and annotations of this project. */
export const ownPrefix = "pulumi-inference/";

/** Prefixes of label keys that belong to the planner and to the LeaderWorkerSet controller. */
export const reservedLabelPrefixes = ["fusioninfer.io/", lwsPrefix] as const;

/** Annotations that belong to the planner wherever a gang is planned. */
export const gangAnnotations = [annotation.groupName, annotation.taskSpec] as const;

/** Annotations by which Volcano places a pod; no plugin may touch them. */
export const podPluginProtectedAnnotations = [...gangAnnotations, annotation.queueName] as const;

/** LeaderWorkerSet of a whole role: `{service}-{role}`. */
export const roleWorkloadName = (service: string, role: string) => `${service}-${role}`;

/** LeaderWorkerSet of one replica: `{service}-{role}-{replica}`. */
export const replicaWorkloadName = (service: string, role: string, replica: number) =>
  `${service}-${role}-${replica}`;

/** Key in minTaskMember and value of the task-spec annotation: `{role}-{replica}`. */
export const taskName = (role: string, replica: number) => `${role}-${replica}`;

/** A replica of a role, as pod plugins are told: `{role}-{replica}`. */
export const roleId = (role: string, replica: number) => `${role}-${replica}`;

/** A serving group, as pod plugins are told: `{workload}-{index}`. */
export const servingGroupName = (workload: string, index: number) => `${workload}-${index}`;

/** LeaderWorkerSet of a role in a serving group: `{ms}-{group}-{role}`. */
export const servingRoleWorkloadName = (modelServing: string, group: number, role: string) =>
  `${servingGroupName(modelServing, group)}-${role}`;

/** One PodGroup a service, named after it. */
export const podGroupName = (service: string) => service;

/** ServiceAccount, Role, RoleBinding, Deployment and Service of the endpoint picker. */
export const endpointPickerName = (service: string) => `${service}-epp`;

/** What a picker of this project is named after; undefined where it is somebody else's. */
export const pickerOwner = (picker: string): string | undefined =>
  picker.endsWith(endpointPickerName(""))
    ? picker.slice(0, -endpointPickerName("").length)
    : undefined;

export const endpointPickerConfigName = (service: string) => `${service}-epp-config`;

/**
 * ClusterRole and ClusterRoleBinding of the picker's metrics authentication. They have no namespace, so the
 * service's namespace is part of the name.
 */
export const metricsAuthName = (namespace: string, service: string) =>
  `${namespace}-${service}-epp-metrics-auth`;

/** ClusterRole and ClusterRoleBindings of those who scrape the programs of this project. */
export const metricsReaderName = "pulumi-inference-metrics-reader";

/** ClusterRole and ClusterRoleBinding of those who may ask programs why they did what they did. */
export const debugReaderName = "pulumi-inference-debug-reader";

/**
 * Audience of tokens that are good for the pages of this project's programs and for nothing else: whoever is shown one
 * cannot use it at the API server.
 */
export const pageAudience = "pages.pulumi-inference";

/** Header of such a token on its way through an API server, which would not pass `Authorization` on. */
export const pageTokenHeader = "x-pulumi-inference-authorization";

/** ServiceAccount, Role and RoleBinding of the decoders' sidecars of a service. */
export const decodeSidecarName = (service: string) => `${service}-pd-sidecar`;

/** ServiceAccount, Deployment and Service of a model router, and what asks it. */
export const modelRouterName = (router: string) => `${router}-model-router`;

/** ClusterRole and ClusterRoleBinding of a model router; its namespace is part of the name. */
export const modelRouterRoleName = (namespace: string, router: string) =>
  `${namespace}-${modelRouterName(router)}`;

/** Name of a Service in the DNS of its cluster. */
export const serviceHost = (service: string, namespace: string) => `${service}.${namespace}.svc`;

export const inferencePoolName = (service: string) => `${service}-pool`;
export const httpRouteName = (service: string) => `${service}-httproute`;
export const gatewayName = (service: string) => `${service}-gateway`;

/** InferencePool of an LLMServerPool, or of a pool as a component: named as the pool is. */
export const poolObjectName = (pool: string) => pool;

/** Role and RoleBinding in a namespace that a pool admits, by which its picker reads LLMServices there. */
export const serviceReaderName = (namespace: string, pool: string) => `${namespace}-${pool}-epp`;

/** NetworkPolicy of the engines of a service. */
export const enginePolicyName = (service: string) => `${service}-engines`;

/** NetworkPolicy of the picker of an exported pool. */
export const exportPolicyName = (pool: string) => `${endpointPickerName(pool)}-export`;

/** Certificate, and its Secret, that the picker of an exported pool serves with. */
export const servingCertificateName = (pool: string) => `${endpointPickerName(pool)}-serving`;

/** Certificate, and its Secret, that the picker of an import shows to those of other clusters. */
export const clientCertificateName = (pool: string) => `${endpointPickerName(pool)}-client`;

/** InferencePoolImport of a pool: sameness of names across clusters (Multi-Cluster Inference proposal). */
export const importName = (pool: string) => pool;

/** What the picker of an import is named after, beside that of a pool of the same name. */
export const importPickerOwner = (pool: string) => `${pool}-import`;

/** HTTPRoute to an imported pool. */
export const importedRouteName = (pool: string) => `${pool}-import`;

/** The program that writes the route to an imported pool, and what it is told. */
export const parentsAgentName = (pool: string) => `${pool}-parents-agent`;

/** ReferenceGrant for a route in another namespace than the pool's. */
export const importGrantName = (pool: string) => `${pool}-import`;

/** ReferenceGrant for the pools of a route, in a namespace that routes of several others may refer to. */
export const routeGrantName = (namespace: string, route: string) => `${namespace}-${route}`;

/** BackendTLSPolicy of an import. */
export const importTlsPolicyName = (pool: string) => `${pool}-import-tls`;

/** Backend for the gateway of a cluster that exports the pool. */
export const parentBackendName = (pool: string, cluster: string) => `${pool}-${cluster}`;

/** LLMService that registers the models of an InferenceService. */
export const ownLlmServiceName = (service: string) => service;

/** InferenceModelRewrite of the rewrites of an InferenceService. */
export const ownRewriteName = (service: string) => `${service}-rewrites`;

/** ServiceAccount, Deployment, Service, Lease and roles of the status controller. */
export const statusControllerName = "inference-status-controller";

/** ServiceAccount, Deployment, Service, Lease and roles of the webhook for pod plugins. */
export const podPluginWebhookName = "inference-pod-plugin-webhook";

/** Secret with the certificates of that webhook, which its leader makes and renews. */
export const podPluginSecretName = `${podPluginWebhookName}-tls`;

/**
 * MutatingWebhookConfiguration. API servers call webhooks in the order of these names: after LeaderWorkerSet's, which
 * labels pods with their index.
 */
export const podPluginConfigurationName = "pulumi-inference-pod-plugins";

/** ValidatingAdmissionPolicy, and its binding, of what a program may write of some kind. */
export const guardName = (program: string, what: string) => `${program}-${what}`;

/** ServiceAccount, Deployment, Service and roles of the multi-cluster controller, and of its identity in members. */
export const multiClusterControllerName = "inference-multi-cluster-controller";

/** ClusterRole and ClusterRoleBinding of that controller in the hub, which may be a member as well. */
export const multiClusterHubName = `${multiClusterControllerName}-hub`;

/** ConfigMap of the members that the multi-cluster controller serves. */
export const clusterSetMembersName = `${multiClusterControllerName}-members`;

/** Secret with a token of the controller's identity in a member. */
export const clusterSetTokenName = `${multiClusterControllerName}-token`;
