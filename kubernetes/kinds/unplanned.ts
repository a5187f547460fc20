import { groups } from "./groups.ts";
import { address } from "./kind.ts";

/** Kinds that programs read or query, but that no plan creates. */
export const unplanned = {
  Pod: address({
    group: groups.core,
    version: "v1",
    kind: "Pod",
    plural: "pods",
    scope: "Namespaced",
  }),
  ReplicaSet: address({
    group: groups.apps,
    version: "v1",
    kind: "ReplicaSet",
    plural: "replicasets",
    scope: "Namespaced",
  }),
  StatefulSet: address({
    group: groups.apps,
    version: "v1",
    kind: "StatefulSet",
    plural: "statefulsets",
    scope: "Namespaced",
  }),
  Node: address({
    group: groups.core,
    version: "v1",
    kind: "Node",
    plural: "nodes",
    scope: "Cluster",
  }),
  /** Node pool of Karpenter. */
  NodePool: address({
    group: groups.karpenter,
    version: "v1",
    kind: "NodePool",
    plural: "nodepools",
    scope: "Cluster",
  }),
  PersistentVolumeClaim: address({
    group: groups.core,
    version: "v1",
    kind: "PersistentVolumeClaim",
    plural: "persistentvolumeclaims",
    scope: "Namespaced",
  }),
  Event: address({
    group: groups.core,
    version: "v1",
    kind: "Event",
    plural: "events",
    scope: "Namespaced",
  }),
  EndpointSlice: address({
    group: groups.discovery,
    version: "v1",
    kind: "EndpointSlice",
    plural: "endpointslices",
    scope: "Namespaced",
  }),
  Lease: address({
    group: groups.coordination,
    version: "v1",
    kind: "Lease",
    plural: "leases",
    scope: "Namespaced",
  }),
  CustomResourceDefinition: address({
    group: groups.apiExtensions,
    version: "v1",
    kind: "CustomResourceDefinition",
    plural: "customresourcedefinitions",
    scope: "Cluster",
  }),
  GatewayClass: address({
    group: groups.gateway,
    version: "v1",
    kind: "GatewayClass",
    plural: "gatewayclasses",
    scope: "Cluster",
  }),
  StorageClass: address({
    group: groups.storage,
    version: "v1",
    kind: "StorageClass",
    plural: "storageclasses",
    scope: "Cluster",
  }),
  ValidatingWebhookConfiguration: address({
    group: groups.admissionRegistration,
    version: "v1",
    kind: "ValidatingWebhookConfiguration",
    plural: "validatingwebhookconfigurations",
    scope: "Cluster",
  }),
  TokenReview: address({
    group: groups.authentication,
    version: "v1",
    kind: "TokenReview",
    plural: "tokenreviews",
    scope: "Cluster",
  }),
  SubjectAccessReview: address({
    group: groups.authorization,
    version: "v1",
    kind: "SubjectAccessReview",
    plural: "subjectaccessreviews",
    scope: "Cluster",
  }),
  SelfSubjectAccessReview: address({
    group: groups.authorization,
    version: "v1",
    kind: "SelfSubjectAccessReview",
    plural: "selfsubjectaccessreviews",
    scope: "Cluster",
  }),
  /** Kthena's kind. In the plugin framework's proposal it is in Volcano's group. */
  ModelServing: address({
    group: groups.kthena,
    version: "v1alpha1",
    kind: "ModelServing",
    plural: "modelservings",
    scope: "Namespaced",
  }),
} as const;
