import { groups } from "./groups.ts";
import { addressesIn } from "./kind.ts";

/** Kinds that programs read or query, but that no plan creates. */
export const unplanned = addressesIn({
  Pod: [groups.core, "v1", "pods", "Namespaced"],
  ReplicaSet: [groups.apps, "v1", "replicasets", "Namespaced"],
  StatefulSet: [groups.apps, "v1", "statefulsets", "Namespaced"],
  Node: [groups.core, "v1", "nodes", "Cluster"],
  /** Node pool of Karpenter. */
  NodePool: [groups.karpenter, "v1", "nodepools", "Cluster"],
  PersistentVolumeClaim: [groups.core, "v1", "persistentvolumeclaims", "Namespaced"],
  Event: [groups.core, "v1", "events", "Namespaced"],
  EndpointSlice: [groups.discovery, "v1", "endpointslices", "Namespaced"],
  Lease: [groups.coordination, "v1", "leases", "Namespaced"],
  CustomResourceDefinition: [groups.apiExtensions, "v1", "customresourcedefinitions", "Cluster"],
  GatewayClass: [groups.gateway, "v1", "gatewayclasses", "Cluster"],
  StorageClass: [groups.storage, "v1", "storageclasses", "Cluster"],
  ValidatingWebhookConfiguration: [
    groups.admissionRegistration,
    "v1",
    "validatingwebhookconfigurations",
    "Cluster",
  ],
  TokenReview: [groups.authentication, "v1", "tokenreviews", "Cluster"],
  SubjectAccessReview: [groups.authorization, "v1", "subjectaccessreviews", "Cluster"],
  SelfSubjectAccessReview: [groups.authorization, "v1", "selfsubjectaccessreviews", "Cluster"],
  /** Kthena's kind. In the plugin framework's proposal it is in Volcano's group. */
  ModelServing: [groups.kthena, "v1alpha1", "modelservings", "Namespaced"],
});
