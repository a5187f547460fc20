import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { backend } from "./good-stack.fixture.ts";
import { backends, gkeImport, localPool, pool, route } from "./places.fixture.ts";

const exportKey = "metadata annotations inference.networking.x-k8s.io/export";
const modeKey = `${exportKey}-mode`;
const modeName = "inference.networking.x-k8s.io/export-mode";
const exported = { "inference.networking.x-k8s.io/export": "ClusterSet" };
const anImport = backend("InferencePoolImport", "inference.networking.x-k8s.io");

function importOf(name: string) {
  return {
    apiVersion: "inference.networking.x-k8s.io/v1alpha1",
    kind: "InferencePoolImport",
    metadata: { name, namespace: "ml" },
  };
}

/** Turns an object that nothing depends on into a route to the pool in another cluster. */
const routeElsewhere = (spec: object) => ({
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "HTTPRoute",
  metadata: { name: "svc-import", namespace: "ml" },
  spec: { parentRefs: [{ name: "gateway" }], ...spec },
});
const ofParents = [{ group: "agentgateway.dev", kind: "AgentgatewayBackend", name: "svc-east" }];
const elsewhere = (spec: object, rule: object = {}): Edit => [
  "ConfigMap/settings",
  "",
  routeElsewhere({ ...spec, rules: [{ ...rule, backendRefs: ofParents }] }),
];
const inParentMode: Edit = [
  pool,
  "metadata annotations",
  { ...exported, [modeName]: "ParentMode" },
];
const hosts = (...names: string[]): Edit => [route, "spec hostnames", names];
const onPath = (value: string, type = "PathPrefix") => ({ matches: [{ path: { type, value } }] });

export const multiClusterCases: readonly RuleCases[] = [
  {
    rule: "import-has-a-known-gateway",
    parameters: { gateways: { "ml/platform": "gke" } },
    allows: {
      "an import behind a gateway of the stack": [[route, backends, [gkeImport]]],
      "an import behind a gateway that the configuration names": [
        [route, "spec parentRefs 0 name", "platform"],
        [route, backends, [gkeImport]],
      ],
      "an import of weight 0": [
        [route, "spec parentRefs 0 name", "elsewhere"],
        [route, backends, [localPool, { ...anImport, weight: 0 }]],
      ],
      "a pool without an import": [[route, "spec parentRefs 0 name", "elsewhere"]],
    },
    refuses: {
      "half of the requests for an import behind a gateway that is not in the stack": {
        edits: [
          [route, "spec parentRefs 0 name", "elsewhere"],
          [
            route,
            backends,
            [
              { ...localPool, weight: 50 },
              { ...anImport, weight: 50 },
            ],
          ],
        ],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].backendRefs[1]: is InferencePoolImport, but Gateway ml/elsewhere is not in the stack; allowed: an import behind a gateway that is known to support it. Add the Gateway to the stack, or name its implementation in this rule's gateways.",
        ],
      },
      "an import behind a gateway of unknown class": {
        edits: [
          [route, backends, [anImport]],
          ["Gateway/gateway", "spec gatewayClassName", "homemade"],
        ],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].backendRefs[0]: is InferencePoolImport, but GatewayClass homemade is unknown; allowed: an import behind a gateway that is known to support it. Add the Gateway to the stack, or name its implementation in this rule's gateways.",
        ],
      },
      "an import on a route without a gateway": {
        edits: [
          [route, backends, [anImport]],
          [route, "spec parentRefs", undefined],
        ],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].backendRefs[0]: is InferencePoolImport, but the route has no Gateway; allowed: an import behind a gateway that is known to support it. Add the Gateway to the stack, or name its implementation in this rule's gateways.",
        ],
      },
    },
  },
  {
    rule: "import-is-served-by-its-gateway",
    parameters: { gateways: { "ml/elsewhere": "istio" } },
    allows: {
      "an import of GKE behind a gateway of GKE": [[route, backends, [gkeImport]]],
      "an import of GKE with a pool of weight 0": [
        [route, backends, [{ ...localPool, weight: 0 }, gkeImport]],
      ],
      "an InferencePoolImport with a pool behind a gateway of unknown class": [
        ["Gateway/gateway", "spec gatewayClassName", "homemade"],
        [route, backends, [localPool, anImport]],
      ],
    },
    refuses: {
      "an import of GKE with a pool": {
        edits: [[route, backends, [localPool, gkeImport]]],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].backendRefs[1]: is GCPInferencePoolImport in a rule with an InferencePool, but the gateway's type is gke; allowed: GCPInferencePoolImport of networking.gke.io, in a separate rule; GKE routes to one import that holds the pools of every cluster of the fleet. Change the backends of the rule, or the gateway.",
        ],
      },
      "an InferencePoolImport behind a gateway of GKE": {
        edits: [[route, backends, [anImport]]],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].backendRefs[0]: is of kind InferencePoolImport, but the gateway's type is gke; allowed: GCPInferencePoolImport of networking.gke.io, in a separate rule; GKE routes to one import that holds the pools of every cluster of the fleet. Change the backends of the rule, or the gateway.",
        ],
      },
      "an InferencePoolImport behind agentgateway": {
        edits: [
          ["Gateway/gateway", "spec gatewayClassName", "homemade"],
          [route, backends, [localPool, anImport]],
          ["Gateway/gateway", "spec gatewayClassName", "agentgateway"],
        ],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].backendRefs[1]: is of kind InferencePoolImport, but the gateway's type is agentgateway; allowed: gateways of other clusters; agentgateway refuses an InferencePoolImport as a backend (InvalidKind). Change the backends of the rule, or the gateway.",
        ],
      },
      "an import of GKE behind a gateway that is configured as Istio": {
        edits: [
          [route, backends, [gkeImport]],
          [route, "spec parentRefs 0 name", "elsewhere"],
        ],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].backendRefs[0]: is of kind GCPInferencePoolImport, but the gateway's type is istio; allowed: gateways of other clusters; Istio refuses an InferencePoolImport as a backend (InvalidDestinationKind). Change the backends of the rule, or the gateway.",
        ],
      },
    },
  },
  {
    rule: "export-mode-has-an-export",
    allows: {
      "an export without a mode": [[pool, "metadata annotations", exported]],
      "an export with a mode": [
        [pool, "metadata annotations", { ...exported, [modeName]: "ParentMode" }],
      ],
      "a mode on an object that is not a pool": [
        ["Service/frontend", "metadata annotations", { [modeName]: "ParentMode" }],
      ],
    },
    refuses: {
      "an endpoint mode without an export": {
        edits: [[pool, "metadata annotations", { [modeName]: "EndpointMode" }]],
        finds: [
          'InferencePool ml/svc: metadata.annotations["inference.networking.x-k8s.io/export-mode"]: is EndpointMode without inference.networking.x-k8s.io/export; allowed: both annotations, or neither. Add the export annotation, or remove the mode.',
        ],
      },
      "a parent mode without an export": {
        edits: [[pool, modeKey, "ParentMode"]],
        finds: [
          'InferencePool ml/svc: metadata.annotations["inference.networking.x-k8s.io/export-mode"]: is ParentMode without inference.networking.x-k8s.io/export; allowed: both annotations, or neither. Add the export annotation, or remove the mode.',
        ],
      },
      "a mode whose export was removed": {
        edits: [
          [pool, "metadata annotations", { ...exported, [modeName]: "ParentMode" }],
          [pool, exportKey, undefined],
        ],
        finds: [
          'InferencePool ml/svc: metadata.annotations["inference.networking.x-k8s.io/export-mode"]: is ParentMode without inference.networking.x-k8s.io/export; allowed: both annotations, or neither. Add the export annotation, or remove the mode.',
        ],
      },
    },
  },
  {
    rule: "export-annotations-are-known",
    allows: {
      "an export to the cluster set": [[pool, "metadata annotations", exported]],
      "an export in endpoint mode": [
        [pool, "metadata annotations", { ...exported, [modeName]: "EndpointMode" }],
      ],
      "annotations about something else": [[pool, "metadata annotations", { team: "ml" }]],
    },
    refuses: {
      'an export to "true"': {
        edits: [[pool, exportKey, "true"]],
        finds: [
          'InferencePool ml/svc: metadata.annotations["inference.networking.x-k8s.io/export"]: is "true"; allowed: ClusterSet. Set the annotation to an allowed value.',
        ],
      },
      "an unknown mode": {
        edits: [
          [pool, "metadata annotations", exported],
          [pool, modeKey, "Parent"],
        ],
        finds: [
          'InferencePool ml/svc: metadata.annotations["inference.networking.x-k8s.io/export-mode"]: is "Parent"; allowed: EndpointMode, ParentMode. Set the annotation to an allowed value.',
        ],
      },
      "an export to the set in lower case": {
        edits: [[pool, exportKey, "clusterset"]],
        finds: [
          'InferencePool ml/svc: metadata.annotations["inference.networking.x-k8s.io/export"]: is "clusterset"; allowed: ClusterSet. Set the annotation to an allowed value.',
        ],
      },
    },
  },
  {
    rule: "imports-are-left-to-the-controller",
    allows: {
      "a route to an import": [[route, backends, [anImport]]],
      "an import of another group": [
        ["ConfigMap/settings", "", { ...importOf("a"), apiVersion: "example.com/v1" }],
      ],
      "an object of a similar kind": [
        ["ConfigMap/settings", "", { ...importOf("a"), kind: "InferencePoolImports" }],
      ],
    },
    refuses: {
      "an import of a pool elsewhere": {
        edits: [["ConfigMap/settings", "", importOf("a")]],
        finds: [
          "InferencePoolImport ml/a: metadata.name: is a, an import that the stack creates; allowed: only imports that the controller creates. Remove the import from the stack.",
        ],
      },
      "an import of a pool of the stack": {
        edits: [["ConfigMap/settings", "", importOf("svc")]],
        finds: [
          "InferencePoolImport ml/svc: metadata.name: is svc, an import that the stack creates; allowed: only imports that the controller creates. Remove the import from the stack.",
        ],
      },
      "an import whose group was corrected": {
        edits: [
          ["ConfigMap/settings", "", { ...importOf("a"), apiVersion: "example.com/v1" }],
          ["InferencePoolImport/a", "apiVersion", "inference.networking.x-k8s.io/v1alpha1"],
        ],
        finds: [
          "InferencePoolImport ml/a: metadata.name: is a, an import that the stack creates; allowed: only imports that the controller creates. Remove the import from the stack.",
        ],
      },
    },
  },
  {
    rule: "exports-are-restricted",
    allows: {
      "a load balancer that does not belong to a picker": [
        ["Service/frontend", "spec type", "LoadBalancer"],
      ],
      "a load balancer with source ranges": [
        ["Service/svc-epp", "spec type", "LoadBalancer"],
        ["Service/svc-epp", "spec loadBalancerSourceRanges", ["10.0.0.0/8"]],
      ],
      "a picker within the cluster": [["Service/svc-epp", "spec type", "ClusterIP"]],
    },
    refuses: {
      "a load balancer with annotations and no source ranges": {
        edits: [
          ["Service/svc-epp", "metadata annotations", { "cloud/internal": "true" }],
          ["Service/svc-epp", "spec type", "LoadBalancer"],
        ],
        finds: [
          "Service ml/svc-epp: spec.type: is LoadBalancer; allowed: LoadBalancer with loadBalancerSourceRanges, or with a picker that requires client certificates. Set loadBalancerSourceRanges, or the picker's --client-ca-file.",
        ],
      },
      "a load balancer without source ranges": {
        edits: [["Service/svc-epp", "spec type", "LoadBalancer"]],
        finds: [
          "Service ml/svc-epp: spec.type: is LoadBalancer; allowed: LoadBalancer with loadBalancerSourceRanges, or with a picker that requires client certificates. Set loadBalancerSourceRanges, or the picker's --client-ca-file.",
        ],
      },
      "a load balancer with an empty list of source ranges": {
        edits: [
          ["Service/svc-epp", "spec loadBalancerSourceRanges", []],
          ["Service/svc-epp", "spec type", "LoadBalancer"],
        ],
        finds: [
          "Service ml/svc-epp: spec.type: is LoadBalancer; allowed: LoadBalancer with loadBalancerSourceRanges, or with a picker that requires client certificates. Set loadBalancerSourceRanges, or the picker's --client-ca-file.",
        ],
      },
    },
  },
  {
    rule: "remote-route-matches-requests",
    allows: {
      "the same hostname": [
        inParentMode,
        hosts("a.example"),
        elsewhere({ hostnames: ["a.example"] }),
      ],
      "a hostname within a wildcard": [
        inParentMode,
        hosts("*.example"),
        elsewhere({ hostnames: ["a.example"] }),
      ],
      "a remote route that takes any hostname": [
        inParentMode,
        elsewhere({ hostnames: ["a.example"] }),
      ],
      "a hostname that is rewritten": [
        inParentMode,
        hosts("b.example"),
        elsewhere(
          { hostnames: ["a.example"] },
          { filters: [{ type: "URLRewrite", urlRewrite: { hostname: "b.example" } }] },
        ),
      ],
      "a path within a prefix": [inParentMode, elsewhere({}, onPath("/v1/chat", "Exact"))],
      "another hostname in EndpointMode": [
        [pool, "metadata annotations", exported],
        hosts("b.example"),
        elsewhere({ hostnames: ["a.example"] }),
      ],
    },
    refuses: {
      "another hostname": {
        edits: [inParentMode, hosts("b.example"), elsewhere({ hostnames: ["a.example"] })],
        finds: [
          "HTTPRoute ml/svc-import: spec.hostnames: contains a.example, which no remote route to the pool matches; allowed: b.example. Change one of the two routes so that they match.",
        ],
      },
      "no hostname if the remote route has one": {
        edits: [inParentMode, elsewhere({}), hosts("b.example")],
        finds: [
          "HTTPRoute ml/svc-import: spec.hostnames: is missing, so requests for any host are sent there; allowed: b.example. Change one of the two routes so that they match.",
        ],
      },
      "a path that only starts like the remote prefix": {
        edits: [
          inParentMode,
          elsewhere({}, onPath("/v10")),
          [route, "spec rules 0 matches", onPath("/v1").matches],
        ],
        finds: [
          "HTTPRoute ml/svc-import: spec.rules[0].matches: contains /v10, which no remote route to the pool matches; allowed: /v1. Change one of the two routes so that they match.",
        ],
      },
    },
  },
];
