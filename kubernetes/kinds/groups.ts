/**
 * API groups of the kinds that this project creates, reads or queries. The groups of kinds that only one gateway has
 * are in that gateway's file.
 */
export const groups = {
  core: "",
  admission: "admission.k8s.io",
  admissionRegistration: "admissionregistration.k8s.io",
  apiExtensions: "apiextensions.k8s.io",
  apps: "apps",
  authentication: "authentication.k8s.io",
  authorization: "authorization.k8s.io",
  autoscaling: "autoscaling",
  batch: "batch",
  certManager: "cert-manager.io",
  coordination: "coordination.k8s.io",
  discovery: "discovery.k8s.io",
  fusioninfer: "fusioninfer.io",
  gateway: "gateway.networking.k8s.io",
  /** InferencePool. */
  inference: "inference.networking.k8s.io",
  /** InferencePoolImport, and the older group of rewrites and objectives. */
  inferenceExperimental: "inference.networking.x-k8s.io",
  karpenter: "karpenter.sh",
  keda: "keda.sh",
  kthena: "workload.kthena.io",
  leaderWorkerSet: "leaderworkerset.x-k8s.io",
  llmD: "llm-d.ai",
  /** LLMService and LLMServerPool (LLM Instance Gateway proposal). */
  llmInstanceGateway: "inference.x-k8s.io",
  networking: "networking.k8s.io",
  policy: "policy",
  prometheusOperator: "monitoring.coreos.com",
  rbac: "rbac.authorization.k8s.io",
  storage: "storage.k8s.io",
  volcano: "scheduling.volcano.sh",
  volcanoServing: "workload.serving.volcano.sh",
} as const;
