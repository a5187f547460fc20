import type { RuleCases } from "./edited-stack.fixture.ts";
import {
  backends,
  decode,
  gkeImport,
  leader,
  leaderEngine,
  localPool,
  pool,
  prefill,
  route,
  template,
  worker,
} from "./places.fixture.ts";

const allLeaders = {
  "fusioninfer.io/service": "svc",
  "leaderworkerset.sigs.k8s.io/worker-index": "0",
};
const grant = (to: object, from: object = {}) => ({
  apiVersion: "gateway.networking.k8s.io/v1beta1",
  kind: "ReferenceGrant",
  metadata: { name: "grant", namespace: "other" },
  spec: {
    from: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: "ml", ...from }],
    to: [{ group: "inference.networking.k8s.io", ...to }],
  },
});

function aPool(matchLabels: object) {
  return {
    apiVersion: "inference.networking.k8s.io/v1",
    kind: "InferencePool",
    metadata: { name: "b", namespace: "ml" },
    spec: { selector: { matchLabels }, targetPorts: [{ number: 8000 }] },
  };
}

export const routingCases: readonly RuleCases[] = [
  {
    rule: "pool-selects-by-a-label",
    allows: {
      "a selector of one label": [[pool, "spec selector matchLabels", { app: "x" }]],
      "a selector without the worker's index": [
        [pool, "spec selector matchLabels leaderworkerset.sigs.k8s.io/worker-index", undefined],
      ],
      "a stack without a pool": [[pool, "", undefined]],
    },
    refuses: {
      "a selector without labels": {
        edits: [[pool, "spec selector matchLabels", {}]],
        finds: [
          "InferencePool ml/svc: spec.selector.matchLabels: is empty; allowed: at least one label. Add an entry.",
        ],
      },
      "a selector without matchLabels": {
        edits: [[pool, "spec selector matchLabels", undefined]],
        finds: [
          "InferencePool ml/svc: spec.selector.matchLabels: is empty; allowed: at least one label. Add an entry.",
        ],
      },
      "a pool without a selector": {
        edits: [[pool, "spec selector", undefined]],
        finds: [
          "InferencePool ml/svc: spec.selector.matchLabels: is empty; allowed: at least one label. Add an entry.",
        ],
      },
    },
  },
  {
    rule: "pool-port-is-a-container-port",
    allows: {
      "a pool of no pods": [[pool, "spec selector matchLabels", { app: "nobody" }]],
      "pods that declare no ports": [
        [decode, `${leaderEngine} ports`, undefined],
        [prefill, `${leaderEngine} ports`, undefined],
      ],
      "the port of the pods that the pool selects": [
        [pool, "spec selector matchLabels", { app: "embedder" }],
        [pool, "spec targetPorts 0 number", 8080],
      ],
    },
    refuses: {
      "a port that no pod declares": {
        edits: [[pool, "spec targetPorts 0 number", 8080]],
        finds: [
          "InferencePool ml/svc: spec.targetPorts[0].number: is 8080, but pods of svc-prefill listen on 8000; allowed: a containerPort of every pod of the pool. Change the pool's port, or declare the port in the container.",
          "InferencePool ml/svc: spec.targetPorts[0].number: is 8080, but pods of svc-decode listen on 8000; allowed: a containerPort of every pod of the pool. Change the pool's port, or declare the port in the container.",
        ],
      },
      "a port that decoders do not declare": {
        edits: [[decode, `${leaderEngine} ports 0 containerPort`, 9000]],
        finds: [
          "InferencePool ml/svc: spec.targetPorts[0].number: is 8000, but pods of svc-decode listen on 9000; allowed: a containerPort of every pod of the pool. Change the pool's port, or declare the port in the container.",
        ],
      },
      "a second port that no pod declares": {
        edits: [[pool, "spec targetPorts 1", { number: 8001 }]],
        finds: [
          "InferencePool ml/svc: spec.targetPorts[1].number: is 8001, but pods of svc-prefill listen on 8000; allowed: a containerPort of every pod of the pool. Change the pool's port, or declare the port in the container.",
          "InferencePool ml/svc: spec.targetPorts[1].number: is 8001, but pods of svc-decode listen on 8000; allowed: a containerPort of every pod of the pool. Change the pool's port, or declare the port in the container.",
        ],
      },
    },
  },
  {
    rule: "pool-selects-no-workers",
    allows: {
      "groups of one pod": [
        [decode, `${template} size`, 1],
        [prefill, `${template} size`, 1],
        [pool, "spec selector matchLabels leaderworkerset.sigs.k8s.io/worker-index", undefined],
      ],
      "a Deployment's pods": [[pool, "spec selector matchLabels", { app: "embedder" }]],
      "a label that only leaders have": [
        [decode, `${leader} metadata labels serves`, "yes"],
        [prefill, `${leader} metadata labels serves`, "yes"],
        [pool, "spec selector matchLabels", { serves: "yes" }],
      ],
    },
    refuses: {
      "a selector without the worker's index": {
        edits: [
          [pool, "spec selector matchLabels leaderworkerset.sigs.k8s.io/worker-index", undefined],
        ],
        finds: [
          "InferencePool ml/svc: spec.selector.matchLabels: selects workers of LeaderWorkerSet svc-prefill; allowed: leaders, and pods outside of groups. Select by a label that workers do not have.",
          "InferencePool ml/svc: spec.selector.matchLabels: selects workers of LeaderWorkerSet svc-decode; allowed: leaders, and pods outside of groups. Select by a label that workers do not have.",
        ],
      },
      "a selector of a role's label": {
        edits: [[pool, "spec selector matchLabels", { "fusioninfer.io/role-name": "decode" }]],
        finds: [
          "InferencePool ml/svc: spec.selector.matchLabels: selects workers of LeaderWorkerSet svc-decode; allowed: leaders, and pods outside of groups. Select by a label that workers do not have.",
        ],
      },
      "a label that leaders and workers have": {
        edits: [
          [pool, "spec selector matchLabels", { serves: "yes" }],
          [decode, `${leader} metadata labels serves`, "yes"],
          [decode, `${worker} metadata labels serves`, "yes"],
        ],
        finds: [
          "InferencePool ml/svc: spec.selector.matchLabels: selects workers of LeaderWorkerSet svc-decode; allowed: leaders, and pods outside of groups. Select by a label that workers do not have.",
        ],
      },
    },
  },
  {
    rule: "pools-share-no-pods",
    allows: {
      "a pool of other pods": [["ConfigMap/settings", "", aPool({ app: "embedder" })]],
      "a pool of another namespace": [
        ["ConfigMap/settings", "", { ...aPool(allLeaders), metadata: { name: "b" } }],
      ],
      "a pool of no pods": [["ConfigMap/settings", "", aPool({ app: "nobody" })]],
    },
    refuses: {
      "a second pool with the same selector": {
        edits: [["ConfigMap/settings", "", aPool(allLeaders)]],
        finds: [
          "InferencePool ml/svc: spec.selector.matchLabels: selects pods of svc-prefill, and so does InferencePool b; allowed: pods that no other pool selects. Change one of the two selectors.",
          "InferencePool ml/svc: spec.selector.matchLabels: selects pods of svc-decode, and so does InferencePool b; allowed: pods that no other pool selects. Change one of the two selectors.",
        ],
      },
      "a second pool of one role's pods": {
        edits: [["ConfigMap/settings", "", aPool({ "fusioninfer.io/role-name": "decode" })]],
        finds: [
          "InferencePool ml/svc: spec.selector.matchLabels: selects pods of svc-decode, and so does InferencePool b; allowed: pods that no other pool selects. Change one of the two selectors.",
        ],
      },
      "two pools of a Deployment's pods": {
        edits: [
          ["ConfigMap/settings", "", aPool({ app: "embedder" })],
          [pool, "spec selector matchLabels", { app: "embedder" }],
        ],
        finds: [
          "InferencePool ml/svc: spec.selector.matchLabels: selects pods of embedder, and so does InferencePool b; allowed: pods that no other pool selects. Change one of the two selectors.",
        ],
      },
    },
  },
  {
    rule: "pool-has-prefillers-and-decoders",
    allows: {
      "a pool of decoders without prefillers in the stack": [
        [prefill, "", undefined],
        [pool, "spec selector matchLabels fusioninfer.io/component-type", "decoder"],
      ],
      "a pool of a Deployment's pods": [[pool, "spec selector matchLabels", { app: "embedder" }]],
      "a pool of all pods of the service": [
        [pool, "spec selector matchLabels leaderworkerset.sigs.k8s.io/worker-index", undefined],
      ],
    },
    refuses: {
      "a pool with only decoders": {
        edits: [[pool, "spec selector matchLabels fusioninfer.io/component-type", "decoder"]],
        finds: [
          "InferencePool ml/svc: spec.selector.matchLabels: selects decoders of service svc, but none of its prefillers; allowed: both prefillers and decoders of a service. Select both roles.",
        ],
      },
      "a pool with only prefillers": {
        edits: [[pool, "spec selector matchLabels fusioninfer.io/role-name", "prefill"]],
        finds: [
          "InferencePool ml/svc: spec.selector.matchLabels: selects prefillers of service svc, but none of its decoders; allowed: both prefillers and decoders of a service. Select both roles.",
        ],
      },
      "a pool of only the decoder set": {
        edits: [[pool, "spec selector matchLabels leaderworkerset.sigs.k8s.io/name", "svc-decode"]],
        finds: [
          "InferencePool ml/svc: spec.selector.matchLabels: selects decoders of service svc, but none of its prefillers; allowed: both prefillers and decoders of a service. Select both roles.",
        ],
      },
    },
  },
  {
    rule: "picker-answers-on-its-port",
    allows: {
      "a picker without a Service in the stack": [["Service/svc-epp", "", undefined]],
      "another port on both sides": [
        ["Service/svc-epp", "spec ports 0 port", 9003],
        [pool, "spec endpointPickerRef port number", 9003],
      ],
      "a Service that is not in the stack": [[pool, "spec endpointPickerRef name", "another"]],
    },
    refuses: {
      "a Service with another port": {
        edits: [["Service/svc-epp", "spec ports 0 port", 9003]],
        finds: [
          "InferencePool ml/svc: spec.endpointPickerRef.port.number: is 9002; allowed: 9003, the ports of Service svc-epp. Set it to a port of the Service.",
        ],
      },
      "a pool whose picker port differs": {
        edits: [[pool, "spec endpointPickerRef port number", 8000]],
        finds: [
          "InferencePool ml/svc: spec.endpointPickerRef.port.number: is 8000; allowed: 9002, the ports of Service svc-epp. Set it to a port of the Service.",
        ],
      },
      "a port of another picker": {
        edits: [
          [pool, "spec endpointPickerRef name", "frontend"],
          [pool, "spec endpointPickerRef port number", 80],
          [pool, "spec endpointPickerRef port number", 81],
        ],
        finds: [
          "InferencePool ml/svc: spec.endpointPickerRef.port.number: is 81; allowed: 80, the ports of Service frontend. Set it to a port of the Service.",
        ],
      },
    },
  },
  {
    rule: "route-sends-requests",
    allows: {
      "a backend with a weight": [[route, `${backends} 0 weight`, 1]],
      "a route to a Service of weight 0": [
        [route, backends, [{ kind: "Service", name: "frontend", weight: 0 }]],
      ],
      "a pool of weight 0 with an import": [
        [route, backends, [{ ...localPool, weight: 0 }, gkeImport]],
      ],
    },
    refuses: {
      "the only pool with weight 0": {
        edits: [[route, `${backends} 0 weight`, 0]],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].backendRefs: all have weight 0; allowed: at least one weight above 0. Raise at least one weight.",
        ],
      },
      "a pool and an import with weight 0": {
        edits: [
          [route, backends, [{ ...localPool, weight: 0 }, gkeImport]],
          [route, `${backends} 1 weight`, 0],
        ],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].backendRefs: all have weight 0; allowed: at least one weight above 0. Raise at least one weight.",
        ],
      },
      "the only import with weight 0": {
        edits: [[route, backends, [{ ...gkeImport, weight: 0 }]]],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].backendRefs: all have weight 0; allowed: at least one weight above 0. Raise at least one weight.",
        ],
      },
    },
  },
  {
    rule: "route-to-a-pool-has-a-gateway",
    allows: {
      "a gateway that is not in the stack": [[route, "spec parentRefs 0 name", "another"]],
      "a route to a Service without a gateway": [
        [route, backends, [{ name: "frontend" }]],
        [route, "spec parentRefs", undefined],
      ],
      "a route without rules": [
        [route, "spec rules", undefined],
        [route, "spec parentRefs", undefined],
      ],
    },
    refuses: {
      "a route to a pool without parents": {
        edits: [[route, "spec parentRefs", undefined]],
        finds: [
          "HTTPRoute ml/svc: spec.parentRefs: is empty; allowed: at least one Gateway. Add an entry.",
        ],
      },
      "a route to a pool with an empty list of parents": {
        edits: [[route, "spec parentRefs", []]],
        finds: [
          "HTTPRoute ml/svc: spec.parentRefs: is empty; allowed: at least one Gateway. Add an entry.",
        ],
      },
      "a route to an import without parents": {
        edits: [
          [route, backends, [gkeImport]],
          [route, "spec parentRefs", undefined],
        ],
        finds: [
          "HTTPRoute ml/svc: spec.parentRefs: is empty; allowed: at least one Gateway. Add an entry.",
        ],
      },
    },
  },
  {
    rule: "cross-namespace-backend-has-a-grant",
    allows: {
      "the namespace of the route, explicitly": [[route, `${backends} 0 namespace`, "ml"]],
      "a Service of another namespace": [
        [route, backends, [{ name: "frontend", namespace: "other" }]],
      ],
      "a pool of another namespace with a grant for all pools": [
        ["ConfigMap/settings", "", grant({ kind: "InferencePool" })],
        [route, `${backends} 0 namespace`, "other"],
      ],
    },
    refuses: {
      "a pool of another namespace without a grant": {
        edits: [[route, `${backends} 0 namespace`, "other"]],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].backendRefs[0].namespace: refers to InferencePool other/svc, but no ReferenceGrant of the stack allows it; allowed: backends in the route's namespace, or backends with a ReferenceGrant. Add a ReferenceGrant.",
        ],
      },
      "a grant for a pool of another name": {
        edits: [
          ["ConfigMap/settings", "", grant({ kind: "InferencePool", name: "svc" })],
          [route, `${backends} 0 namespace`, "other"],
          [route, `${backends} 0 name`, "another"],
        ],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].backendRefs[0].namespace: refers to InferencePool other/another, but no ReferenceGrant of the stack allows it; allowed: backends in the route's namespace, or backends with a ReferenceGrant. Add a ReferenceGrant.",
        ],
      },
      "a grant outside the namespace of the pool": {
        edits: [
          ["ConfigMap/settings", "", grant({ kind: "InferencePool" })],
          [route, `${backends} 0 namespace`, "third"],
        ],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].backendRefs[0].namespace: refers to InferencePool third/svc, but no ReferenceGrant of the stack allows it; allowed: backends in the route's namespace, or backends with a ReferenceGrant. Add a ReferenceGrant.",
        ],
      },
      "a grant for routes of another namespace": {
        edits: [
          ["ConfigMap/settings", "", grant({ kind: "InferencePool" }, { namespace: "third" })],
          [route, `${backends} 0 namespace`, "other"],
        ],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].backendRefs[0].namespace: refers to InferencePool other/svc, but no ReferenceGrant of the stack allows it; allowed: backends in the route's namespace, or backends with a ReferenceGrant. Add a ReferenceGrant.",
        ],
      },
      "a grant for routes of another kind": {
        edits: [
          ["ConfigMap/settings", "", grant({ kind: "InferencePool" }, { kind: "GRPCRoute" })],
          [route, `${backends} 0 namespace`, "other"],
        ],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].backendRefs[0].namespace: refers to InferencePool other/svc, but no ReferenceGrant of the stack allows it; allowed: backends in the route's namespace, or backends with a ReferenceGrant. Add a ReferenceGrant.",
        ],
      },
      "a grant for routes of another group": {
        edits: [
          ["ConfigMap/settings", "", grant({ kind: "InferencePool" }, { group: "example.com" })],
          [route, `${backends} 0 namespace`, "other"],
        ],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].backendRefs[0].namespace: refers to InferencePool other/svc, but no ReferenceGrant of the stack allows it; allowed: backends in the route's namespace, or backends with a ReferenceGrant. Add a ReferenceGrant.",
        ],
      },
      "a grant for backends of another group": {
        edits: [
          ["ConfigMap/settings", "", grant({ kind: "InferencePool", group: "example.com" })],
          [route, `${backends} 0 namespace`, "other"],
        ],
        finds: [
          "HTTPRoute ml/svc: spec.rules[0].backendRefs[0].namespace: refers to InferencePool other/svc, but no ReferenceGrant of the stack allows it; allowed: backends in the route's namespace, or backends with a ReferenceGrant. Add a ReferenceGrant.",
        ],
      },
    },
  },
];
