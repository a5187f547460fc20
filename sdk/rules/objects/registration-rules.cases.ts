import { annotation } from "../../names.ts";
import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { decode, leaderEngine, pool, prefill, serve } from "./places.fixture.ts";

const asOwnKind = (kind: string, metadata: object, spec: object): Edit => [
  "ConfigMap/settings",
  "",
  { apiVersion: "inference.x-k8s.io/v1alpha1", kind, metadata, spec },
];
const openPool = { allowUnregisteredModels: true, allowedNamespaces: ["games"] };
const asServerPool = (spec: object): Edit =>
  asOwnKind("LLMServerPool", { name: "svc", namespace: "ml" }, spec);
const asLLMService = (
  namespace: string,
  model: string | object,
  poolRef: object = { name: "svc", namespace: "ml" },
): Edit =>
  asOwnKind(
    "LLMService",
    { name: "team", namespace },
    { models: [typeof model === "string" ? { name: model } : model], poolRef: [poolRef] },
  );
const withAdapters = (...adapters: readonly string[]): Edit[] =>
  [prefill, decode].map((set) => [
    set,
    `${leaderEngine} args`,
    serve(`--enable-lora --lora-modules ${adapters.join(" ")}`),
  ]);
const unserved = (name: string, served: string) =>
  `LLMService ml/team: spec.models: send requests for ${name} to pool ml/svc, whose engines do not serve this name; allowed: ${served}. Correct the name, or load the adapter in the engines of the pool.`;
const [admitted, granted, reserved, required] = [
  annotation.allowedNamespaces,
  annotation.allowedModels,
  annotation.reservedModels,
  annotation.registration,
].map((key) => `metadata annotations ${key}`) as [string, string, string, string];

export const registrationCases: readonly RuleCases[] = [
  {
    rule: "open-pool-reserves-its-models",
    allows: {
      "a pool that serves only registered models": [asServerPool({ allowedNamespaces: ["games"] })],
      "a pool without other namespaces": [asServerPool({ allowUnregisteredModels: true })],
      "a pool that explicitly reserves no model": [
        asServerPool({ ...openPool, reservedModels: [] }),
      ],
      "a pool whose other namespaces have separate models": [
        asServerPool({
          ...openPool,
          allowedNamespaces: [{ namespace: "games", models: ["games-*"] }],
        }),
      ],
    },
    refuses: {
      "a pool that sets only other namespaces": {
        edits: [asServerPool(openPool)],
        finds: [
          'LLMServerPool ml/svc: spec.allowedNamespaces[0]: may register any name, and allowUnregisteredModels is true; allowed: models in the entry, or reservedModels on the pool. Set reservedModels, such as ["meta-llama/Llama-3-8B"], or [] if any name may be registered.',
        ],
      },
      "a pool that names a namespace without models": {
        edits: [asServerPool({ ...openPool, allowedNamespaces: [{ namespace: "games" }] })],
        finds: [
          'LLMServerPool ml/svc: spec.allowedNamespaces[0]: may register any name, and allowUnregisteredModels is true; allowed: models in the entry, or reservedModels on the pool. Set reservedModels, such as ["meta-llama/Llama-3-8B"], or [] if any name may be registered.',
        ],
      },
      "a pool with one namespace without models": {
        edits: [
          asServerPool({
            ...openPool,
            allowedNamespaces: [{ namespace: "chat", models: ["chat"] }, "games"],
          }),
        ],
        finds: [
          'LLMServerPool ml/svc: spec.allowedNamespaces[1]: may register any name, and allowUnregisteredModels is true; allowed: models in the entry, or reservedModels on the pool. Set reservedModels, such as ["meta-llama/Llama-3-8B"], or [] if any name may be registered.',
        ],
      },
    },
  },
  {
    rule: "registered-models-are-allowed",
    allows: {
      "a service in the pool's namespace": [asLLMService("ml", "any")],
      "a service of an admitted namespace": [
        [pool, admitted, "games"],
        [pool, required, "required"],
        asLLMService("games", "any"),
      ],
      "a model that is granted to the namespace": [
        [pool, admitted, "games"],
        [pool, granted, '{"games":["games-*"]}'],
        asLLMService("games", "games-npc"),
      ],
      "a pool that is not in the stack": [
        asLLMService("games", "any", { name: "svc", namespace: "elsewhere" }),
      ],
    },
    refuses: {
      "a service of a namespace that is not admitted": {
        edits: [asLLMService("games", "any")],
        finds: [
          "LLMService games/team: spec.models: is in namespace games, but pool ml/svc does not admit it; allowed: names that the pool's owner grants. Add the namespace to allowedNamespaces of the LLMServerPool.",
        ],
      },
      "a model that is not granted to the namespace": {
        edits: [
          [pool, admitted, "games"],
          [pool, granted, '{"games":["games-*"]}'],
          asLLMService("games", "any"),
        ],
        finds: [
          "LLMService games/team: spec.models: contains \"any\", which on pool ml/svc is not among the names that the pool's owner grants this namespace (models in allowedNamespaces of the LLMServerPool); allowed: names that the pool's owner grants. Use a name that the pool's owner grants, or ask the owner to grant this name.",
        ],
      },
      "a model that the pool reserves": {
        edits: [
          [pool, admitted, "games"],
          [pool, reserved, '["meta-llama/*"]'],
          asLLMService("games", "meta-llama/Llama-3-8B"),
        ],
        finds: [
          "LLMService games/team: spec.models: contains \"meta-llama/Llama-3-8B\", which on pool ml/svc is reserved for the pool's namespace (reservedModels of the LLMServerPool); allowed: names that the pool's owner grants. Use a name that the pool's owner grants, or ask the owner to grant this name.",
        ],
      },
      "any model on a pool that serves unregistered ones": {
        edits: [[pool, admitted, "games"], asLLMService("games", "any")],
        finds: [
          "LLMService games/team: spec.models: contains \"any\", which on pool ml/svc may be a model of the pool itself, because the pool serves unregistered models (to allow it, set reservedModels or models of allowedNamespaces in the LLMServerPool); allowed: names that the pool's owner grants. Use a name that the pool's owner grants, or ask the owner to grant this name.",
        ],
      },
    },
  },
  {
    rule: "registered-models-are-served",
    allows: {
      "the model of the engines": [asLLMService("ml", "m")],
      "an adapter of the engines": [...withAdapters("a=org/a", "b=org/b"), asLLMService("ml", "b")],
      "a name whose target is an adapter": [
        ...withAdapters("a=org/a"),
        asLLMService("ml", { name: "chat", targetModels: [{ name: "a", weight: 1 }] }),
      ],
      "a target without requests": [
        asLLMService("ml", {
          name: "chat",
          targetModels: [
            { name: "m", weight: 1 },
            { name: "a", weight: 0 },
          ],
        }),
      ],
      "engines that load adapters at run time": [
        asLLMService("ml", "a"),
        [decode, `${leaderEngine} env 1`, { name: "VLLM_ALLOW_RUNTIME_LORA_UPDATING", value: "1" }],
      ],
      "a pool that is not in the stack": [asLLMService("ml", "a", { name: "other" })],
      "a rewrite that may change the name": [
        asLLMService("ml", "a"),
        [
          "HorizontalPodAutoscaler/decode",
          "",
          {
            apiVersion: "inference.networking.x-k8s.io/v1alpha2",
            kind: "InferenceModelRewrite",
            metadata: { name: "a", namespace: "ml" },
            spec: {},
          },
        ],
      ],
    },
    refuses: {
      "an adapter that no engine lists": {
        edits: [asLLMService("ml", "a")],
        finds: [unserved("a", "m")],
      },
      "another adapter than the engines list": {
        edits: [...withAdapters("a=org/a"), asLLMService("ml", "b")],
        finds: [unserved("b", "m or a")],
      },
      "a target that no engine serves": {
        edits: [
          ...withAdapters("a=org/a"),
          asLLMService("ml", {
            name: "m",
            targetModels: [
              { name: "a", weight: 1 },
              { name: "A", weight: 1 },
            ],
          }),
        ],
        finds: [unserved("A", "m or a")],
      },
    },
  },
];
