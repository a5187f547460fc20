import { builtInSupport } from "../plugins/registry.ts";
import { modelServingSpecKind } from "./model-serving.ts";
import type { RefusedObject } from "./refused-object.fixture.ts";

/** Prefix of the URLs of allowed webhooks. */
const allowed = "https://plugins.example/";

export const modelServingKinds = {
  ModelServing: modelServingSpecKind({ ...builtInSupport, webhookUrls: [allowed] }),
} as const;

const template = (fields: object = {}) => ({
  spec: { containers: [{ name: "vllm", image: "vllm/vllm-openai:v0.11.0" }], ...fields },
});
const decode = { name: "decode", entryTemplate: template() };

/** A valid spec. */
export const validModelServing = { ModelServing: { template: { roles: [decode] } } } as const;

const serving = (fields: object) => ({
  ModelServing: { ...validModelServing.ModelServing, ...fields },
});
const roles = (...each: object[]) =>
  serving({ template: { roles: each.map((fields) => ({ ...decode, ...fields })) } });
const plugins = (...entries: object[]) => serving({ plugins: entries });
const shm = { name: "shm" };
const webhook = { name: "mine", type: "Webhook", webhook: { url: `${allowed}mine` } };

export const refusedModelServings: readonly RefusedObject[] = [
  ["a name that is none", "metadata.name", { ...serving({}), metadata: { name: "8b" } }],
  [
    "a name without room for others",
    "template.roles[0].name",
    { ...serving({}), metadata: { name: "a".repeat(60) } },
  ],
  ["no roles", "template.roles", roles()],
  ["a long name of a role", "template.roles[0].name", roles({ name: "decode-workers" })],
  ["a role twice", "template.roles[1].name", roles({}, {})],
  ["workers without a template", "template.roles[0].workerTemplate", roles({ workerReplicas: 1 })],
  [
    "a template without workers",
    "template.roles[0].workerTemplate",
    roles({ workerTemplate: template() }),
  ],
  [
    "a minimum of a role that is not there",
    "template.gangPolicy.minRoleReplicas.prefill",
    serving({ template: { roles: [decode], gangPolicy: { minRoleReplicas: { prefill: 1 } } } }),
  ],
  [
    "a minimum above the replicas",
    "template.gangPolicy.minRoleReplicas.decode",
    serving({ template: { roles: [decode], gangPolicy: { minRoleReplicas: { decode: 2 } } } }),
  ],
  [
    "a label of the plan",
    'template.roles[0].entryTemplate.metadata.labels["leaderworkerset.sigs.k8s.io/name"]',
    roles({
      entryTemplate: {
        ...template(),
        metadata: { labels: { "leaderworkerset.sigs.k8s.io/name": "mine" } },
      },
    }),
  ],
  [
    "another scheduler for a role",
    "template.roles[0].entryTemplate.spec.schedulerName",
    roles({ entryTemplate: template({ schedulerName: "kueue" }) }),
  ],
  [
    "network topology without Volcano",
    "template.networkTopology",
    serving({
      schedulerName: "default-scheduler",
      template: { roles: [decode], networkTopology: { rolePolicy: { mode: "hard" } } },
    }),
  ],
  [
    "limits of groups in a rollout by role",
    "rolloutStrategy.rollingUpdateConfiguration",
    serving({
      rolloutStrategy: { type: "RoleRollingUpdate", rollingUpdateConfiguration: { partition: 1 } },
    }),
  ],
  [
    "limits of a role in a rollout by group",
    "template.roles[0].partition",
    roles({ partition: 1 }),
  ],
  ["an unknown policy", "recoveryPolicy", serving({ recoveryPolicy: "Never" })],
  ["an unknown plugin", "plugins[0].name", plugins({ name: "gpu" })],
  [
    "a Webhook with the name of another plugin",
    "plugins[0].name",
    plugins({ ...webhook, name: "shm" }),
  ],
  [
    "a plugin for no role",
    "plugins[0].scope.roles[0]",
    plugins({ ...shm, scope: { roles: ["x"] } }),
  ],
  [
    "a plugin for no pod",
    "plugins[0].scope.target",
    plugins({ ...shm, scope: { target: "Worker" } }),
  ],
  ["a plugin twice", "plugins[1].name", plugins(shm, shm)],
  [
    "built-in code with a URL",
    "plugins[0].webhook",
    plugins({ ...webhook, name: "shm", type: "BuiltIn" }),
  ],
  ["a Webhook without a URL", "plugins[0].webhook", plugins({ name: "mine", type: "Webhook" })],
  [
    "a Webhook elsewhere",
    "plugins[0].webhook.url",
    plugins({ ...webhook, webhook: { url: "https://elsewhere.example/" } }),
  ],
  ["a plugin of templates after one of pods", "plugins[1]", plugins(webhook, shm)],
  [
    "more configuration than an annotation holds",
    "plugins",
    plugins({ ...webhook, config: { table: "x".repeat(300_000) } }),
  ],
  [
    "a field that a plugin does not have",
    "plugins[0].config.size",
    plugins({ ...shm, config: { size: "4Gi" } }),
  ],
];
