import type { RefusedObject } from "./refused-object.fixture.ts";
import {
  clusterSetMemberSpecKind,
  clusterSetSpecKind,
  controllersSpecKind,
  importedPoolSpecKind,
} from "./spec-kinds.ts";

/** Kinds that span several clusters, and the controllers. */
export const clusterKinds = {
  ClusterSet: clusterSetSpecKind,
  ClusterSetMember: clusterSetMemberSpecKind,
  InferenceControllers: controllersSpecKind,
  ImportedInferencePool: importedPoolSpecKind,
} as const;

const member = { name: "east", kubeconfigSecret: "east" };

/** A valid spec of each kind. */
export const validClusters = {
  ClusterSet: { members: [member, { name: "west", kubeconfigSecret: "west" }] },
  ClusterSetMember: { token: true },
  InferenceControllers: { podPlugins: { webhookUrls: ["https://plugins.example/"] } },
  ImportedInferencePool: { parentRefs: [{ name: "gw" }] },
} as const;

const set = (fields: object) => ({ ClusterSet: { ...validClusters.ClusterSet, ...fields } });
const members = (...each: object[]) =>
  set({ members: each.map((fields) => ({ ...member, ...fields })) });
const webhook = (fields: object) => ({ InferenceControllers: { podPlugins: fields } });
const imported = (fields: object) => ({
  ImportedInferencePool: { ...validClusters.ImportedInferencePool, ...fields },
});
const east = { cluster: "east", host: "gw.east.example", port: 443 };
const parents = (type: string, fields: object, ...each: object[]) =>
  imported({
    gateway: { type },
    parents: (each.length === 0 ? [{}] : each).map((parent) => ({ ...east, ...parent })),
    ...fields,
  });
const tls = { hostname: "gw.east.example" };

export const refusedClusters: readonly RefusedObject[] = [
  [
    "a picker of an import with less memory than attacks on it take",
    "picker.resources.limits.memory",
    imported({ picker: { resources: { limits: { memory: "64Mi" } } } }),
  ],
  ["no members", "members", set({ members: [] })],
  ["a member twice", "members[1].name", members({}, {})],
  ["a member's name that is none", "members[0].name", members({ name: "East 1" })],
  [
    "a member without a kubeconfig",
    "members[0].kubeconfigSecret",
    set({ members: [{ name: "a" }] }),
  ],
  [
    "exports that end with no star",
    "members[0].exports[0].namespace",
    members({ exports: [{ namespace: "ml-*-x" }] }),
  ],
  ["a network that is none", "members[0].networks[0]", members({ networks: ["everywhere"] })],
  ["a controller without a domain", "controllerName", set({ controllerName: "mine" })],
  ["a time without a unit", "staleAfter", set({ staleAfter: "10" })],
  [
    "a size without a number",
    "memberLimits.responseSize",
    set({ memberLimits: { responseSize: "big" } }),
  ],
  ["a limit of nothing", "memberLimits.pools", set({ memberLimits: { pools: 0 } })],
  ["a member with a kubeconfig", "kubeconfig", { ClusterSetMember: { kubeconfig: "x" } }],
  ["fewer pods than none", "replicas", { InferenceControllers: { replicas: -1 } }],
  [
    "a reader of metrics without a namespace",
    "metricsReaders[0].namespace",
    { InferenceControllers: { metricsReaders: [{ name: "prometheus" }] } },
  ],
  [
    "plain text to plugins",
    "podPlugins.webhookUrls[0]",
    webhook({ webhookUrls: ["http://a.example/"] }),
  ],
  ["an empty list of plugins' URLs", "podPlugins.webhookUrls", webhook({ webhookUrls: [] })],
  ["creators of pods with a comma", "podPlugins.podCreators[0]", webhook({ podCreators: ["a,b"] })],
  ["an image of the webhook alone", "podPlugins.image", webhook({ image: "mine:1" })],
  ["no Gateway", "parentRefs", imported({ parentRefs: [] })],
  ["an unknown gateway", "gateway.type", imported({ gateway: { type: "haproxy" } })],
  [
    "a gateway type that is known later",
    "gateway.type",
    imported({ gateway: { type: { __pulumiOutput: true } } }),
  ],
  ["a pool with an import that the gateway may reject", "local", imported({ local: {} })],
  ["a pool with GKE's import", "local", imported({ gateway: { type: "gke" }, local: {} })],
  ["an import for agentgateway", "parents", imported({ gateway: { type: "agentgateway" } })],
  ["parents of a gateway without a kind for them", "parents", parents("generic", {})],
  ["a pool with parents of NGINX", "local", parents("ngf", { local: {} })],
  ["a parent verified by nothing", "parents[0].tls", parents("istio", {}, { tls })],
  [
    "a parent with a CA in an unread field",
    "parents[0].tls",
    parents("istio", {}, { tls: { ...tls, caConfigMap: "ca" } }),
  ],
  ["an address for NGINX", "parents[0].host", parents("ngf", {}, { host: "10.0.0.1" })],
  [
    "what is known of a gateway anyway",
    "gateway.acceptsImports",
    imported({ gateway: { type: "gke", acceptsImports: true } }),
  ],
  [
    "TLS of an import that the route has not",
    "tls",
    parents("istio", { tls: { caConfigMap: "ca", hostname: "a.example" } }),
  ],
  ["a picker that no gateway asks", "picker", imported({ gateway: { type: "gke" }, picker: {} })],
  ["llm-d's picker for another gateway", "globalPicker", imported({ globalPicker: {} })],
  [
    "certificates in plain text",
    "picker.plaintext",
    imported({ picker: { plaintext: true, tls: {} } }),
  ],
  ["an order without effect", "picker.order", imported({ picker: { order: ["east"] } })],
  [
    "a share of the import that would stay",
    "picker.preference",
    imported({ local: {}, picker: { preference: "PreferLocal" } }),
  ],
  [
    "a queue threshold without effect",
    "picker.spilloverQueueThreshold",
    imported({ picker: { preference: "Any", spilloverQueueThreshold: 3 } }),
  ],
  [
    "a locality without effect",
    "picker.locality",
    imported({ picker: { locality: { region: "eu" } } }),
  ],
  [
    "the nearest of no place",
    "picker.locality",
    imported({ picker: { preference: "PreferNearest" } }),
  ],
  [
    "weights without effect",
    "picker.weights",
    imported({ picker: { selection: "active-passive", weights: { east: 2 } } }),
  ],
  [
    "a request without a path",
    "picker.parentProbe.path",
    imported({ picker: { parentProbe: { path: "v1/models" } } }),
  ],
  [
    "an agent for a gateway without a kind for parents",
    "parentsAgent",
    imported({ parentsAgent: {} }),
  ],
  [
    "an agent with a picker",
    "picker",
    imported({ gateway: { type: "ngf" }, picker: {}, parentsAgent: {} }),
  ],
  [
    "an agent that writes elsewhere",
    "routeNamespace",
    imported({ gateway: { type: "istio" }, parentsAgent: {}, routeNamespace: "routes" }),
  ],
  [
    "a request by a CA that the agent does not read",
    "parentsAgent.probe",
    imported({
      gateway: { type: "istio" },
      parentsAgent: { tls: { caSecret: "ca", hostname: "gw.example" }, probe: {} },
    }),
  ],
  [
    "an agent with a CA in an unread field",
    "parentsAgent.tls",
    imported({
      gateway: { type: "istio" },
      parentsAgent: { tls: { caConfigMap: "ca", hostname: "gw.example" } },
    }),
  ],
  ["a route to nowhere", "weight", imported({ weight: 0 })],
  ["a cluster twice", "parents[1].cluster", parents("istio", {}, {}, {})],
  [
    "a prefix that no match names",
    "matches",
    imported({
      filters: [
        {
          type: "URLRewrite",
          urlRewrite: { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/v1" } },
        },
      ],
    }),
  ],
];
