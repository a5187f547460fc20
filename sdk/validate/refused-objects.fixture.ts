import { clusterKinds, refusedClusters, validClusters } from "./refused-clusters.fixture.ts";
import {
  modelServingKinds,
  refusedModelServings,
  validModelServing,
} from "./refused-model-servings.fixture.ts";
import type { RefusedObject } from "./refused-object.fixture.ts";
import { parseKind, type SpecKind } from "./spec-kind.ts";
import {
  inferencePoolSpecKind,
  inferenceRouteSpecKind,
  llmServerPoolSpecKind,
  llmServiceSpecKind,
  modelRewriteSpecKind,
  objectiveSpecKind,
  serviceObjectivesSpecKind,
  sharedEndpointPickerSpecKind,
} from "./spec-kinds.ts";

export const kinds = {
  LLMServerPool: llmServerPoolSpecKind,
  InferencePool: inferencePoolSpecKind,
  LLMService: llmServiceSpecKind,
  InferenceModelRewrite: modelRewriteSpecKind,
  InferenceObjective: objectiveSpecKind,
  InferenceRoute: inferenceRouteSpecKind,
  SharedEndpointPicker: sharedEndpointPickerSpecKind,
  ServiceObjectives: serviceObjectivesSpecKind,
  ...clusterKinds,
  ...modelServingKinds,
} as const;

export const output = () => ({ __pulumiOutput: true });

/** A valid spec of each kind. Every refused spec below differs from one of them by one edit. */
export const valid = {
  LLMServerPool: { modelServerSelector: { app: "llama" } },
  InferencePool: { selector: { app: "qwen" } },
  LLMService: {
    models: [
      {
        name: "m",
        targetModels: [
          { name: "a", weight: 1 },
          { name: "b", weight: 0 },
        ],
      },
    ],
    poolRef: [{ name: "p" }, { name: "q" }],
  },
  InferenceModelRewrite: {
    poolRef: { name: "p" },
    rules: [{ matches: [{ model: { value: "m" } }], targets: [{ modelRewrite: "a", weight: 1 }] }],
  },
  InferenceObjective: { poolRef: { name: "p" } },
  SharedEndpointPicker: {},
  ServiceObjectives: { of: { name: "chat" } },
  InferenceRoute: { parentRefs: [{ name: "gw" }], rules: [{ pools: [{ name: "p" }] }] },
  ...validClusters,
  ...validModelServing,
} as const;

const model = (fields: object) => ({
  LLMService: { ...valid.LLMService, models: [{ name: "m", ...fields }] },
});
const targets = (...weights: unknown[]) =>
  model({ targetModels: weights.map((weight, at) => ({ name: `t${at}`, weight })) });
const rule = (fields: object) => ({
  InferenceModelRewrite: {
    ...valid.InferenceModelRewrite,
    rules: [{ targets: [{ modelRewrite: "a" }], ...fields }],
  },
});
const pool = (fields: object) => ({ LLMServerPool: { ...valid.LLMServerPool, ...fields } });
const objectives = (fields: object) => ({
  ServiceObjectives: { ...valid.ServiceObjectives, objectives: fields },
});
const route = (fields: object) => ({
  InferenceRoute: { ...valid.InferenceRoute, rules: [{ pools: [{ name: "p" }], ...fields }] },
});

const restricted = (type: string, access: object) => ({
  InferenceRoute: { ...valid.InferenceRoute, gateway: { type }, access },
});

const refusedPoolsAndModels: readonly RefusedObject[] = [
  ["no labels", "modelServerSelector", { LLMServerPool: { modelServerSelector: {} } }],
  ["no selector", "modelServerSelector", { LLMServerPool: {} }],
  ["no labels of a plain pool", "selector", { InferencePool: { selector: {} } }],
  ["Services instead of labels", "services", pool({ services: ["llama-vllm"] })],
  [
    "an export to everybody",
    "export.serviceType",
    pool({ export: { serviceType: "LoadBalancer" } }),
  ],
  [
    "an export to a selector of nothing",
    "export.exportTo",
    pool({ export: { exportTo: "tier=" } }),
  ],
  ["a port twice", "targetPorts[1]", pool({ targetPorts: [8000, 8000] })],
  ["port 0", "targetPorts[0]", pool({ targetPorts: [0] })],
  [
    "a strategy for roles",
    "endpointPicker.strategy",
    pool({ endpointPicker: { strategy: "pd-disaggregation" } }),
  ],
  [
    "a strategy with a configuration",
    "endpointPicker.strategy",
    pool({
      endpointPicker: {
        strategy: "queue-size",
        endpointPickerConfig: "{apiVersion: llm-d.ai/v1alpha1, kind: EndpointPickerConfig}",
      },
    }),
  ],
  [
    "a picker's configuration that is not YAML",
    "endpointPicker.endpointPickerConfig",
    pool({ endpointPicker: { endpointPickerConfig: "a: [" } }),
  ],
  [
    "a picker of others with an image",
    "endpointPicker.image",
    pool({ endpointPicker: { serviceRef: { name: "epp" }, image: "epp:1" } }),
  ],
  [
    "a shared picker with pods of its own",
    "endpointPicker.replicas",
    pool({ endpointPicker: { shared: { name: "shared", port: 10_000 }, replicas: 2 } }),
  ],
  [
    "an exported pool of a shared picker",
    "export",
    pool({ endpointPicker: { shared: { name: "shared", port: 10_000 } }, export: {} }),
  ],
  [
    "a certificate of two sources",
    "export.certificateIssuer",
    pool({ export: { certificateSecret: "picker", certificateIssuer: { name: "issuer" } } }),
  ],
  [
    "a shared picker without a port",
    "endpointPicker.shared.port",
    pool({ endpointPicker: { shared: { name: "shared" } } }),
  ],
  ["a namespace that is none", "allowedNamespaces[0]", pool({ allowedNamespaces: ["A"] })],
  [
    "a namespace twice",
    "allowedNamespaces[1]",
    pool({ allowedNamespaces: ["games", { namespace: "games", models: ["games-*"] }] }),
  ],
  [
    "names in the midst of which is a star",
    "allowedNamespaces[0].models[0]",
    pool({ allowedNamespaces: [{ namespace: "games", models: ["a*b"] }] }),
  ],
  [
    "an open pool that does not say whose its models are (B5)",
    "allowedNamespaces[1]",
    pool({
      allowUnregisteredModels: true,
      allowedNamespaces: [{ namespace: "chat", models: ["chat-*"] }, "games"],
    }),
  ],
  [
    "flow control with a foreign picker",
    "flowControl",
    pool({ flowControl: { enabled: true }, endpointPicker: { serviceRef: { name: "epp" } } }),
  ],
  [
    "fairness, which nothing enforces",
    "fairness",
    pool({ fairness: {}, flowControl: { enabled: false } }),
  ],
  [
    "a selector known later",
    "modelServerSelector.app",
    pool({ modelServerSelector: { app: output() } }),
  ],
  [
    "an export mode by hand",
    'metadata.annotations["inference.networking.x-k8s.io/export-mode"]',
    {
      ...pool({}),
      metadata: { annotations: { "inference.networking.x-k8s.io/export-mode": "ParentMode" } },
    },
  ],
  ["an export mode that is none", "export.mode", pool({ export: { mode: "Proxy" } })],
  [
    "a network that is none",
    "export.allowedNetworks[0]",
    pool({ export: { allowedNetworks: ["all"] } }),
  ],
  ["no models", "models", { LLMService: { ...valid.LLMService, models: [] } }],
  ["no pool", "poolRef", { LLMService: { ...valid.LLMService, poolRef: [] } }],
  [
    "a model twice",
    "models[1].name",
    { LLMService: { ...valid.LLMService, models: [{ name: "m" }, { name: "m" }] } },
  ],
  ["a model without name", "models[0].name", model({ name: "" })],
  ["a weight for some targets", "models[0].targetModels[1].weight", targets(1, undefined)],
  ["a negative weight", "models[0].targetModels[0].weight", targets(-1)],
  ["a weight over a million", "models[0].targetModels[0].weight", targets(1_000_001)],
  ["a share of a weight", "models[0].targetModels[0].weight", targets(0.5)],
  [
    "an objective that is not a duration",
    "models[0].objective.desiredAveragePerOutputTokenLatencyAtP95OverMultipleRequests",
    model({ objective: { desiredAveragePerOutputTokenLatencyAtP95OverMultipleRequests: "50" } }),
  ],
  [
    "an objective of nothing",
    "models[0].objective.desiredAveragePerOutputTokenLatencyAtP95OverMultipleRequests",
    model({ objective: { desiredAveragePerOutputTokenLatencyAtP95OverMultipleRequests: "0ms" } }),
  ],
  [
    "a pool of another kind",
    "poolRef[0].kind",
    { LLMService: { ...valid.LLMService, poolRef: [{ kind: "Service", name: "p" }] } },
  ],
  [
    "a pool twice under two kinds",
    "poolRef[1]",
    {
      LLMService: {
        ...valid.LLMService,
        poolRef: [{ name: "p" }, { kind: "InferencePool", name: "p" }],
      },
    },
  ],
  ["no rules", "rules", { InferenceModelRewrite: { ...valid.InferenceModelRewrite, rules: [] } }],
  ["a rule without targets", "rules[0].targets", rule({ targets: undefined })],
  ["a rule with no target", "rules[0].targets", rule({ targets: [] })],
  [
    "weight 0 in a rewrite",
    "rules[0].targets[0].weight",
    rule({ targets: [{ modelRewrite: "a", weight: 0 }] }),
  ],
  [
    "a weight for some targets of a rule",
    "rules[0].targets[0].weight",
    rule({ targets: [{ modelRewrite: "a" }, { modelRewrite: "b", weight: 1 }] }),
  ],
  [
    "an empty match value",
    "rules[0].matches[0].model.value",
    rule({ matches: [{ model: { value: "" } }] }),
  ],
  ["a match without model", "rules[0].matches[0].model", rule({ matches: [{}] })],
  [
    "a rewrite on a Service",
    "poolRef.kind",
    {
      InferenceModelRewrite: {
        ...valid.InferenceModelRewrite,
        poolRef: { kind: "Service", name: "p" },
      },
    },
  ],
  [
    "a broken priority",
    "priority",
    { InferenceObjective: { ...valid.InferenceObjective, priority: "high" } },
  ],
  [
    "ports of a shared picker that are none",
    "ports",
    { SharedEndpointPicker: { ports: { first: 65_000, count: 1_000 } } },
  ],
  [
    "ports of a shared picker that every picker has",
    "ports",
    { SharedEndpointPicker: { ports: { first: 9_000 } } },
  ],
  [
    "a shared picker with less memory than its pools take",
    "resources.limits.memory",
    {
      SharedEndpointPicker: { ports: { count: 1_000 }, resources: { limits: { memory: "320Mi" } } },
    },
  ],
  [
    "a pool's picker with less memory than attacks on it take",
    "endpointPicker.resources.limits.memory",
    pool({ endpointPicker: { resources: { limits: { memory: "64Mi" } } } }),
  ],
  ["objectives of no service", "of", { ServiceObjectives: {} }],
  [
    "a time between two bounds of the histogram",
    "objectives.perOutputToken.seconds",
    objectives({ perOutputToken: { seconds: 0.025, share: 0.99 } }),
  ],
  [
    "a share for which no alert can fire",
    "objectives.firstToken.share",
    objectives({ firstToken: { seconds: 0.6, share: 0.9 } }),
  ],
  ["an availability of everything", "objectives.availability", objectives({ availability: 1 })],
  ["no Gateway", "parentRefs", { InferenceRoute: { ...valid.InferenceRoute, parentRefs: [] } }],
  ["a rule without pools", "rules[0].pools", route({ pools: [] })],
  ["an empty model", "rules[0].model", route({ model: "" })],
  [
    "access to a route by two credentials",
    "access",
    restricted("envoy-gateway", {
      apiKeys: { secret: "keys" },
      jwt: { issuers: [{ issuer: "i", audiences: ["llm"], jwksUrl: "https://i/keys" }] },
    }),
  ],
  [
    "access to a route of a gateway without a policy",
    "access.apiKeys",
    restricted("gke", { apiKeys: { secret: "keys" } }),
  ],
  [
    "access to a route of a gateway whose policies cover all routes",
    "access",
    restricted("istio", {
      jwt: { issuers: [{ issuer: "i", audiences: ["llm"], jwksUrl: "https://i/keys" }] },
    }),
  ],
  [
    "a prefix that no match names",
    "rules[0].matches",
    route({
      filters: [
        {
          type: "URLRewrite",
          urlRewrite: { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/v1" } },
        },
      ],
    }),
  ],
  [
    "more matches than a route may have",
    "rules",
    {
      InferenceRoute: {
        ...valid.InferenceRoute,
        rules: Array.from({ length: 11 }, () => ({ pools: [{ name: "p" }] })),
      },
    },
  ],
  ["a weight below 0", "rules[0].pools[0].weight", route({ pools: [{ name: "p", weight: -1 }] })],
];

/** Refused objects by topic. */
export const refusedObjects: Readonly<Record<string, readonly RefusedObject[]>> = {
  pools: refusedPoolsAndModels,
  clusters: refusedClusters,
  "model-servings": refusedModelServings,
};

/** Parses an object that is written as `{ [kind]: spec, metadata? }`. */
export const parseObject = (given: object) => {
  const { metadata, ...written } = given as { metadata?: object };
  const [[kind, spec]] = Object.entries(written) as [[keyof typeof kinds, unknown]];
  return parseKind(kinds[kind] as SpecKind<unknown>, {
    metadata: { name: "obj", ...metadata },
    spec,
  });
};
