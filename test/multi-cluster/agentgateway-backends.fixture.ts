/** STAND-IN for agentgateway's CRD. */
export const agentgatewayBackends = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "agentgatewaybackends.agentgateway.dev" },
  spec: {
    group: "agentgateway.dev",
    scope: "Namespaced",
    names: { plural: "agentgatewaybackends", kind: "AgentgatewayBackend" },
    versions: [
      {
        name: "v1alpha1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        },
      },
    ],
  },
};
