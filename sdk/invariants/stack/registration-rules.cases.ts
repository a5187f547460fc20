import { annotation } from "../../topology/names.ts";
import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { pool } from "./places.fixture.ts";

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
  model: string,
  poolRef: object = { name: "svc", namespace: "ml" },
): Edit =>
  asOwnKind(
    "LLMService",
    { name: "team", namespace },
    { models: [{ name: model }], poolRef: [poolRef] },
  );
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
          "LLMService games/team: spec.models: contains \"any\", which on pool ml/svc may be a model of the pool itself, because the pool serves unregistered models (to allow it, set reservedModels, or models in allowedNamespaces, of the LLMServerPool); allowed: names that the pool's owner grants. Use a name that the pool's owner grants, or ask the owner to grant this name.",
        ],
      },
    },
  },
];
