import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { backend } from "./good-stack.fixture.ts";
import { backends, localPool, pool, route } from "./places.fixture.ts";

const stable = "inference.networking.k8s.io";
const experimental = "inference.networking.x-k8s.io";
const asked = (...refs: object[]): Edit => [route, backends, refs];

/** Turns the good stack's ConfigMap into a pool. */
const anotherPool = (apiVersion: string, name: string, spec: object = {}): Edit => [
  "ConfigMap/settings",
  "",
  {
    apiVersion,
    kind: "InferencePool",
    metadata: { name, namespace: "ml" },
    spec: {
      targetPorts: [{ number: 8000 }],
      selector: { matchLabels: { app: "canary" } },
      endpointPickerRef: { name: "canary-epp", port: { number: 9002 } },
      ...spec,
    },
  },
];
const canary: Edit = anotherPool(`${stable}/v1`, "canary");
const canaryPool = { ...localPool, name: "canary" };
const classed = (name: string): Edit => ["Gateway/gateway", "spec gatewayClassName", name];

const several = (type: string, problem: string) =>
  `HTTPRoute ml/svc: spec.rules[0].backendRefs: contain 2 InferencePools, but ${type} ${problem}; allowed: one pool, or pools that share one picker. Use one pool, or one rule per pool. If your gateway has the fix, list it in this rule's \`fixed\`.`;
const ofIstio = "calls one pool's picker for all requests, before the fix of istio/istio#61594";

const timed = (timeouts: object): Edit => [route, "spec rules 0 timeouts", timeouts];

export const routeBackendCases: readonly RuleCases[] = [
  {
    rule: "route-timeout-covers-responses",
    parameters: { gateways: { "ml/elsewhere": "envoy-gateway" } },
    allows: {
      "a route without a limit": [timed({ request: "0s" }), classed("eg")],
      "an explicit limit": [timed({ request: "600s" }), classed("eg")],
      "a gateway without a default limit": [classed("istio")],
      "a route to a Service": [asked({ kind: "Service", name: "web", port: 80 }), classed("eg")],
    },
    refuses: {
      "the default of Envoy Gateway": {
        edits: [classed("eg")],
        finds: [
          'HTTPRoute ml/svc: spec.rules[0].timeouts: is missing, so envoy-gateway cuts off responses after 15 s; allowed: "0s", which disables the timeout, or the duration of the longest response. Set timeouts.request to "0s".',
        ],
      },
      "the default of Envoy AI Gateway": {
        edits: [classed("envoy-ai-gateway")],
        finds: [
          'HTTPRoute ml/svc: spec.rules[0].timeouts: is missing, so envoy-gateway cuts off responses after 15 s; allowed: "0s", which disables the timeout, or the duration of the longest response. Set timeouts.request to "0s".',
        ],
      },
      "the default of a gateway whose type the configuration sets": {
        edits: [[route, "spec parentRefs 0 name", "elsewhere"]],
        finds: [
          'HTTPRoute ml/svc: spec.rules[0].timeouts: is missing, so envoy-gateway cuts off responses after 15 s; allowed: "0s", which disables the timeout, or the duration of the longest response. Set timeouts.request to "0s".',
        ],
      },
    },
  },
  {
    rule: "gateway-takes-route-timeouts",
    parameters: { gateways: { "ml/elsewhere": "gke" } },
    allows: {
      "a route of GKE without timeouts": [classed("gke-l7-rilb")],
      "timeouts behind Envoy Gateway": [classed("eg"), timed({ request: "0s" })],
      "timeouts behind a gateway of unknown type": [classed("homemade"), timed({ request: "0s" })],
    },
    refuses: {
      "a limit of zero behind GKE": {
        edits: [timed({ request: "0s" })],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].timeouts: is set, but gke rejects routes with timeouts; allowed: no timeouts. Remove timeouts, and set timeoutSec in a GCPBackendPolicy.",
        ],
      },
      "a limit behind another class of GKE": {
        edits: [classed("gke-l7-rilb"), timed({ backendRequest: "60s" })],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].timeouts: is set, but gke rejects routes with timeouts; allowed: no timeouts. Remove timeouts, and set timeoutSec in a GCPBackendPolicy.",
        ],
      },
      "a limit behind a gateway that is configured as GKE": {
        edits: [[route, "spec parentRefs 0 name", "elsewhere"], timed({ request: "60s" })],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].timeouts: is set, but gke rejects routes with timeouts; allowed: no timeouts. Remove timeouts, and set timeoutSec in a GCPBackendPolicy.",
        ],
      },
    },
  },
  {
    rule: "route-names-the-group-of-its-pool",
    allows: {
      "a pool that is not in the stack": [
        asked({ ...backend("InferencePool", experimental), name: "elsewhere" }),
      ],
      "a pool of the older group, named with that group": [
        anotherPool(`${experimental}/v1alpha2`, "old"),
        asked({ ...backend("InferencePool", experimental), name: "old" }),
      ],
      "a Service with the pool's name": [asked({ kind: "Service", name: "svc", port: 80 })],
    },
    refuses: {
      "the older group for a pool of the newer": {
        edits: [asked(backend("InferencePool", experimental))],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].backendRefs[0].group: is inference.networking.x-k8s.io, but InferencePool svc is in another API group; allowed: inference.networking.k8s.io. Set group: inference.networking.k8s.io.",
        ],
      },
      "the newer group for a pool of the older": {
        edits: [
          anotherPool(`${experimental}/v1alpha2`, "old"),
          asked({ ...localPool, name: "old" }),
        ],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].backendRefs[0].group: is inference.networking.k8s.io, but InferencePool old is in another API group; allowed: inference.networking.x-k8s.io. Set group: inference.networking.x-k8s.io.",
        ],
      },
      "a pool without a group": {
        edits: [asked({ kind: "InferencePool", name: "svc" })],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].backendRefs[0].group: is missing, but InferencePool svc is in another API group; allowed: inference.networking.k8s.io. Set group: inference.networking.k8s.io.",
        ],
      },
    },
  },
  {
    rule: "route-names-a-pool-of-the-stack",
    allows: {
      "a pool of the stack with another group, which another rule refuses": [
        asked(backend("InferencePool", experimental)),
      ],
      "a pool of the stack, named with its namespace": [asked({ ...localPool, namespace: "ml" })],
      "a Service that is not in the stack": [asked({ kind: "Service", name: "other", port: 80 })],
    },
    refuses: {
      "a pool of another name": {
        edits: [asked({ ...localPool, name: "svc-pool" })],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].backendRefs[0].name: is svc-pool, but the stack has no InferencePool ml/svc-pool; allowed: ml/svc. Correct the name, or ignore this finding if another stack creates the pool.",
        ],
      },
      "a pool of another namespace": {
        edits: [asked({ ...localPool, namespace: "models" })],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].backendRefs[0].name: is svc, but the stack has no InferencePool models/svc; allowed: ml/svc. Correct the name, or ignore this finding if another stack creates the pool.",
        ],
      },
      "a pool that was removed": {
        edits: [[pool, "", undefined]],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].backendRefs[0].name: is svc, but the stack has no InferencePool ml/svc; allowed: a pool that another stack creates. Correct the name, or ignore this finding if another stack creates the pool.",
        ],
      },
    },
  },
  {
    rule: "pools-of-a-rule-keep-their-pickers",
    parameters: { gateways: { "ml/elsewhere": "istio" }, fixed: ["envoy-gateway"] },
    allows: {
      "two pools behind a gateway that calls each picker": [canary, asked(localPool, canaryPool)],
      "two pools behind a gateway that is listed as fixed": [
        canary,
        asked(localPool, canaryPool),
        classed("eg"),
      ],
      "a pool of weight 0": [
        canary,
        classed("istio"),
        asked(localPool, { ...canaryPool, weight: 0 }),
      ],
      "two pools of one picker": [
        anotherPool(`${stable}/v1`, "canary", {
          endpointPickerRef: { name: "svc-epp", port: { number: 9002 } },
        }),
        classed("istio"),
        asked(localPool, canaryPool),
      ],
      "two pools in separate rules": [
        canary,
        classed("istio"),
        [route, "spec rules", [{ backendRefs: [localPool] }, { backendRefs: [canaryPool] }]],
      ],
    },
    refuses: {
      "two pools with weights behind Istio": {
        edits: [
          canary,
          classed("istio"),
          asked({ ...localPool, weight: 90 }, { ...canaryPool, weight: 10 }),
        ],
        finds: [several("istio", ofIstio)],
      },
      "two pools behind a gateway that is configured as Istio": {
        edits: [
          canary,
          asked(localPool, canaryPool),
          [route, "spec parentRefs 0 name", "elsewhere"],
        ],
        finds: [several("istio", ofIstio)],
      },
      "two pools, one of them not in the stack": {
        edits: [asked(localPool, canaryPool), classed("istio")],
        finds: [several("istio", ofIstio)],
      },
    },
  },
];
