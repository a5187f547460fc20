import { componentTypeLabel, engineTypeLabels } from "../scheduling/label-keys.ts";

/**
 * Every object name, label key and annotation key that a plan contains. Names are identity: a changed name replaces
 * running objects, so it is a breaking change.
 */

/**
 * Label with which endpoint pickers identify the engine of a pod, and therefore its metrics. A pod without it is
 * treated as vLLM.
 */
export const [engineTypeLabel] = engineTypeLabels;

/** Labels of the InferenceService design, "Labels injected by Controller". */
export const label = {
  service: "fusioninfer.io/service",
  /** worker, prefiller, decoder or router. */
  componentType: componentTypeLabel,
  /** Role name from the spec. */
  roleName: "fusioninfer.io/role-name",
  /** Replica index, set only if each replica has a separate LeaderWorkerSet. */
  replicaIndex: "fusioninfer.io/replica-index",
  /** Hash of the pod templates. Only on objects: in a pod template it would restart every GPU pod at any edit. */
  revision: "fusioninfer.io/revision",
  /** Selector of the endpoint picker's Deployment. */
  app: "app",
  /** Pool that an object belongs to, if it was not created by an InferenceService. */
  pool: "pulumi-inference/pool",
  /**
   * On pods whose plugins run in the cluster. `Fail`: the pod is not created without them. `Ignore`: the pod is
   * created without them. `Ready`: only hooks for ready pods run.
   */
  podPlugins: "pulumi-inference/pod-plugins",
  /** On a route to an imported pool and on its backends: name of the agent that writes them. */
  parentsAgent: "pulumi-inference/parents-agent",
  /** On CustomResourceDefinitions and controllers that this project installs. */
  managedBy: "app.kubernetes.io/managed-by",
} as const;

/** Value of `label.managedBy`. */
export const manager = "pulumi-inference";

/** Labels that the LeaderWorkerSet controller sets on pods (leaderworkerset_types.go). */
export const lwsLabel = {
  /** Name of the LeaderWorkerSet. */
  set: "leaderworkerset.sigs.k8s.io/name",
  groupIndex: "leaderworkerset.sigs.k8s.io/group-index",
  /** "0" on the leader. */
  workerIndex: "leaderworkerset.sigs.k8s.io/worker-index",
  /** Hash of namespace and leader pod: the same for all pods of one group, and unique to the group. */
  groupKey: "leaderworkerset.sigs.k8s.io/group-key",
  /** Hash of the template from which the pod was created. */
  revision: "leaderworkerset.sigs.k8s.io/template-revision-hash",
} as const;

/** Labels that Kubernetes recommends for the objects of an application. */
export const standardLabel = {
  name: "app.kubernetes.io/name",
  component: "app.kubernetes.io/component",
  partOf: "app.kubernetes.io/part-of",
} as const;

/** Label of a ReplicaSet and its pods: the hash of the Deployment's pod template. */
export const templateHashLabel = "pod-template-hash";

/** Prefix of the labels of Kthena's ModelServing. */
export const kthenaPrefix = "modelserving.volcano.sh/";

/** Labels that Kthena sets on the pods of a ModelServing, and that its router selects. */
export const kthenaLabel = {
  name: "modelserving.volcano.sh/name",
  groupName: "modelserving.volcano.sh/group-name",
  role: "modelserving.volcano.sh/role",
  roleID: "modelserving.volcano.sh/role-id",
  entry: "modelserving.volcano.sh/entry",
} as const;

export const annotation = {
  /** PodGroup of a pod, in the pod's namespace (Volcano, scheduling/v1beta1). */
  groupName: "scheduling.k8s.io/group-name",
  /** Task of a pod within its PodGroup (Volcano, batch/v1alpha1). */
  taskSpec: "volcano.sh/task-spec",
  /** Queue of a pod outside a gang, for the PodGroup that Volcano creates for it. */
  queueName: "scheduling.volcano.sh/queue-name",
  /** On a workload outside a gang: minimum of the PodGroup that Volcano creates for its pods. */
  groupMinMember: "scheduling.volcano.sh/group-min-member",
  /** Digest of the endpoint picker's configuration: a changed configuration restarts the picker. */
  configChecksum: "pulumi-inference/config-checksum",
  /** On an InferencePool: `required` if each model must be registered by an LLMService; otherwise absent. */
  registration: "pulumi-inference/registration",
  /** On an InferencePool: namespaces in addition to its own whose LLMServices may use it, separated by commas. */
  allowedNamespaces: "pulumi-inference/allowed-namespaces",
  /** On an InferencePool: names that LLMServices of these namespaces may register, by namespace, as JSON. */
  allowedModels: "pulumi-inference/allowed-models",
  /** On an InferencePool: names that only LLMServices of its own namespace may register, as JSON. */
  reservedModels: "pulumi-inference/reserved-models",
  /** On an InferencePool with a shared picker: its EndpointPickerConfig, as YAML. */
  pickerConfig: "pulumi-inference/picker-config",
  /** On an InferencePool with a shared picker: the header that contains the tenant of a request. */
  tenantHeader: "pulumi-inference/tenant-header",
  /** On an InferencePool with a shared picker: policy for bodies that it cannot read, `reject` or `allow`. */
  unparsedBodies: "pulumi-inference/unparsed-bodies",
  /** On an InferencePool: `ClusterSet` exports it to every cluster of the set (Multi-Cluster Inference proposal). */
  export: "inference.networking.x-k8s.io/export",
  /** On an exported InferencePool: EndpointMode or ParentMode. */
  exportMode: "inference.networking.x-k8s.io/export-mode",
  /** On an exported InferencePool: label selector of the members of the cluster set that import it; absent for all. */
  exportTo: "pulumi-inference/export-to",
  /** On an InferencePoolImport: data on how its clusters are reached that its status has no fields for, as JSON. */
  importDetail: "pulumi-inference/import-detail",
  /** On an InferencePool: `True` exports it to the GKE fleet (GKE multi-cluster Inference Gateway). */
  gkeExport: "networking.gke.io/export",
  /** On a pod: names of the plugins that changed it, in order, separated by commas. */
  plugins: "pulumi-inference/plugins",
  /** On a pod: digest of these plugins' configuration, so that a changed config creates new pods. */
  pluginsHash: "pulumi-inference/plugins-hash",
  /** On a pod that run-time plugins have changed: the pod and the configuration that they ran with. */
  pluginsApplied: "pulumi-inference/plugins-applied",
  /**
   * On an object that creates pods: resources that are accelerators in addition to the known ones, as JSON
   * (`accelerators`).
   */
  accelerators: "pulumi-inference/accelerators",
  /** On a LeaderWorkerSet: the plugins of its pods that run in the cluster, as JSON (`PluginsFile`). */
  runtimePlugins: "pulumi-inference/runtime-plugins",
  /** On a pod: the transition to ready whose hooks have run, as RFC 3339. */
  readyHooks: "pulumi-inference/ready-hooks",
  /** On the Lease of a cluster set's controller: identity of the cluster of each member, as JSON of uids. */
  memberIdentities: "pulumi-inference/member-identities",
  /** On an object of another operator's kind: fields of the spec that its schema does not have, as JSON. */
  extensions: "pulumi-inference/extensions",
} as const;

/** Prefix of the labels and annotations of the LeaderWorkerSet controller. */
export const lwsPrefix = "leaderworkerset.sigs.k8s.io/";

/** Prefix of this project's labels and annotations. */
export const ownPrefix = "pulumi-inference/";

/** Prefixes of label keys that are reserved for the plan and the LeaderWorkerSet controller. */
export const reservedLabelPrefixes = ["fusioninfer.io/", lwsPrefix] as const;

/** Annotations that are reserved for the plan of a gang. */
export const gangAnnotations = [annotation.groupName, annotation.taskSpec] as const;

/** Annotations with which Volcano places a pod. No plugin may change them. */
export const podPluginProtectedAnnotations = [...gangAnnotations, annotation.queueName] as const;

/** Returns the name of a role's LeaderWorkerSet: `{service}-{role}`. */
export const roleWorkloadName = (service: string, role: string) => `${service}-${role}`;

/** Returns the name of a replica's LeaderWorkerSet: `{service}-{role}-{replica}`. */
export const replicaWorkloadName = (service: string, role: string, replica: number) =>
  `${service}-${role}-${replica}`;

/** Returns the key in minTaskMember, which is also the value of the task-spec annotation: `{role}-{replica}`. */
export const taskName = (role: string, replica: number) => `${role}-${replica}`;

/** Returns the id of a replica for pod plugins: `{role}-{replica}`. */
export const roleId = (role: string, replica: number) => `${role}-${replica}`;

/** Returns the name of a serving group for pod plugins: `{workload}-{index}`. */
export const servingGroupName = (workload: string, index: number) => `${workload}-${index}`;

/** Returns the name of the LeaderWorkerSet of a role in a serving group: `{ms}-{group}-{role}`. */
export const servingRoleWorkloadName = (modelServing: string, group: number, role: string) =>
  `${servingGroupName(modelServing, group)}-${role}`;

/** Returns the name of a service's PodGroup, which equals the service's name. */
export const podGroupName = (service: string) => service;

/** Returns the name of the endpoint picker's ServiceAccount, Role, RoleBinding, Deployment and Service. */
export const endpointPickerName = (service: string) => `${service}-epp`;

/** Returns the name that a picker of this project was derived from; undefined for any other picker. */
export const pickerOwner = (picker: string): string | undefined =>
  picker.endsWith(endpointPickerName(""))
    ? picker.slice(0, -endpointPickerName("").length)
    : undefined;

/**
 * Returns the name of the ClusterRole and ClusterRoleBinding of the picker's metrics authentication. They have no
 * namespace, so the name contains the service's namespace.
 */
export const metricsAuthName = (namespace: string, service: string) =>
  `${namespace}-${service}-epp-metrics-auth`;

/**
 * Name of the ClusterRole and ClusterRoleBindings of ServiceAccounts that may read the metrics of this project's
 * programs.
 */
export const metricsReaderName = "pulumi-inference-metrics-reader";

/**
 * Name of the ClusterRole and ClusterRoleBinding of ServiceAccounts that may read the debug pages of this project's
 * programs.
 */
export const debugReaderName = "pulumi-inference-debug-reader";

/**
 * Audience of tokens that are valid only for the pages of this project's programs. They cannot be used at the API
 * server.
 */
export const pageAudience = "pages.pulumi-inference";

/** Header that contains such a token on requests through an API server, which does not forward `Authorization`. */
export const pageTokenHeader = "x-pulumi-inference-authorization";

/** Returns the name of the ServiceAccount, Role and RoleBinding of a service's decode sidecars. */
export const decodeSidecarName = (service: string) => `${service}-pd-sidecar`;

/**
 * Returns the name of a model router's ServiceAccount, Deployment and Service, and of the object that connects the
 * gateway to it.
 */
export const modelRouterName = (router: string) => `${router}-model-router`;

/** Returns the name of a model router's ClusterRole and ClusterRoleBinding, which contains the namespace. */
export const modelRouterRoleName = (namespace: string, router: string) =>
  `${namespace}-${modelRouterName(router)}`;

/** Returns the host name of a Service in the cluster's DNS. */
export const serviceHost = (service: string, namespace: string) => `${service}.${namespace}.svc`;

export const inferencePoolName = (service: string) => `${service}-pool`;
export const httpRouteName = (service: string) => `${service}-httproute`;
export const gatewayName = (service: string) => `${service}-gateway`;
/** Name of the policies that restrict the clients of a service. */
export const accessPolicyName = (service: string) => `${service}-access`;
/** Returns the name of the policy for `access` of an InferenceRoute. */
export const routeAccessPolicyName = (route: string) => `${route}-route-access`;

/** Returns the name of a pool's InferencePool, which equals the pool's name. */
export const poolObjectName = (pool: string) => pool;

/**
 * Returns the name of the Role and RoleBinding in a namespace that a pool admits, with which its picker reads
 * LLMServices there.
 */
export const serviceReaderName = (namespace: string, pool: string) => `${namespace}-${pool}-epp`;

/** Returns the name of the NetworkPolicy of a service's engines. */
export const enginePolicyName = (service: string) => `${service}-engines`;

/** Returns the name of the NetworkPolicy of an exported pool's picker. */
export const exportPolicyName = (pool: string) => `${endpointPickerName(pool)}-export`;

/** Returns the name of the serving Certificate of an exported pool's picker, and of its Secret. */
export const servingCertificateName = (pool: string) => `${endpointPickerName(pool)}-serving`;

/** Returns the name of the client Certificate of an import's picker, and of its Secret. */
export const clientCertificateName = (pool: string) => `${endpointPickerName(pool)}-client`;

/**
 * Returns the name of a pool's InferencePoolImport, which equals the pool's name in all clusters (Multi-Cluster
 * Inference proposal).
 */
export const importName = (pool: string) => pool;

/**
 * Returns the name that the names of an import's picker derive from. It differs from the pool's name, because the
 * cluster may contain a pool of the same name.
 */
export const importPickerOwner = (pool: string) => `${pool}-import`;

/** Returns the name of the HTTPRoute to an imported pool. */
export const importedRouteName = (pool: string) => `${pool}-import`;

/** Returns the name of the program that writes the route to an imported pool, and of its configuration. */
export const parentsAgentName = (pool: string) => `${pool}-parents-agent`;

/** Returns the name of the ReferenceGrant for a route outside the namespace of the pool. */
export const importGrantName = (pool: string) => `${pool}-import`;

/**
 * Returns the name of the ReferenceGrant for a route's pools in another namespace. It contains the route's namespace,
 * because routes of several namespaces may refer to the same pools.
 */
export const routeGrantName = (namespace: string, route: string) => `${namespace}-${route}`;

/** Returns the name of the BackendTLSPolicy of an import. */
export const importTlsPolicyName = (pool: string) => `${pool}-import-tls`;

/** Returns the name of the backend for the gateway of a cluster that exports the pool. */
export const parentBackendName = (pool: string, cluster: string) => `${pool}-${cluster}`;

/** Returns the name of the LLMService that registers the models of an InferenceService. */
export const ownLlmServiceName = (service: string) => service;

/** Returns the name of the InferenceModelRewrite of an InferenceService's rewrites. */
export const ownRewriteName = (service: string) => `${service}-rewrites`;

/** Returns the name of the PrometheusRule of service objectives, which equals their name. */
export const objectivesRuleName = (objectives: string) => objectives;

/** Returns the name of the ServiceMonitor of the picker whose metrics objectives read. */
export const pickerMonitorName = (objectives: string) => `${objectives}-picker`;

/** Returns the name of the PodMonitor of the engines of a service with objectives. */
export const engineMonitorName = (objectives: string) => `${objectives}-engines`;

/** Returns the name of the ConfigMap with the dashboards of a service with objectives. */
export const dashboardsName = (objectives: string) => `${objectives}-dashboards`;

/** Name of the picker's port for metrics. */
export const metricsPortName = "http-metrics";

/** Name of the status controller's ServiceAccount, Deployment, Service, Lease and roles. */
export const statusControllerName = "inference-status-controller";

/** Name of the ServiceAccount, Deployment, Service, Lease and roles of the webhook for pod plugins. */
export const podPluginWebhookName = "inference-pod-plugin-webhook";

/** Name of the Secret with that webhook's certificates, which its leader creates and renews. */
export const podPluginSecretName = `${podPluginWebhookName}-tls`;

/**
 * Name of the MutatingWebhookConfiguration. API servers call webhooks in the order of these names: after
 * LeaderWorkerSet's webhook, which labels pods with their index.
 */
export const podPluginConfigurationName = "pulumi-inference-pod-plugins";

/**
 * Returns the name of a ValidatingAdmissionPolicy, and its binding, that restricts a program's writes to a kind.
 */
export const guardName = (program: string, what: string) => `${program}-${what}`;

/**
 * Name of the ServiceAccount, Deployment, Service and roles of the multi-cluster controller, and of its identity in
 * members.
 */
export const multiClusterControllerName = "inference-multi-cluster-controller";

/** Name of that controller's ClusterRole and ClusterRoleBinding in the hub, which may also be a member. */
export const multiClusterHubName = `${multiClusterControllerName}-hub`;

/** Name of the ConfigMap of the members that the multi-cluster controller serves. */
export const clusterSetMembersName = `${multiClusterControllerName}-members`;

/** Name of the Secret with a token of the controller's identity in a member. */
export const clusterSetTokenName = `${multiClusterControllerName}-token`;
