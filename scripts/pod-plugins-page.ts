import { stringify } from "yaml";
import { z } from "zod";
import { planInferenceService } from "../sdk/index.ts";
import { engineImages } from "../sdk/models/engine-images.ts";
import { builtInPodPlugins } from "../sdk/plugins/built-in/index.ts";
import type { PodPlugin } from "../sdk/plugins/pod-plugin.ts";

/** What each built-in plugin does, on one pod: its config, and the template before and after. */
const samples: Record<string, { does: string; config?: object; container?: object }> = {
  "nvidia-gpu-defaults": {
    does: "NVIDIA GPUs for the engine container of pods whose template asks for no accelerator. Pods that ask for another make are refused.",
    config: { runtimeClassName: "nvidia", gpuCount: 2 },
  },
  "huawei-ascend-defaults": {
    does: "Ascend NPUs of Huawei for the engine container of pods whose template asks for no accelerator. Pods that ask for another make are refused.",
    config: { npuCount: 8 },
    container: { image: engineImages.vllmOnAscend, args: ["vllm", "serve", "Qwen/Qwen3-8B"] },
  },
  "rdma-defaults": {
    does: "RDMA devices for the engine container, and what NCCL is told of them. A plugin raises no privileges, so that the capability `IPC_LOCK` stands in the template.",
    config: { resourceName: "rdma/hca_shared_devices", ncclDevices: "mlx5", gidIndex: 3 },
    container: { securityContext: { capabilities: { add: ["IPC_LOCK"] } } },
  },
  shm: {
    does: "Shared memory for the engine container: container runtimes give 64 MiB, which collectives of several GPUs exceed. A template that mounts `/dev/shm` keeps its own.",
    config: { sizeLimit: "16Gi" },
  },
  "model-cache": {
    does: "The model's files on a volume that is there before the engine starts: an image that holds them (`oci`, Kubernetes 1.33 or later), or an init container that downloads them into a claim or the pod's own space (`download`).",
    config: { from: "oci", reference: "registry.example/models/qwen3-8b:1" },
  },
  "lws-standard-labels": {
    does: "Labels by which tools find the pods of LeaderWorkerSets: Kubernetes' recommended ones, and those of a ModelServing, which Kthena's router selects by. Serving group and role index are labelled where each replica has a LeaderWorkerSet of its own. LeaderWorkerSet's own labels are its own.",
    config: { partOf: "chat" },
  },
  "topology-spread": {
    does: "Spreads the replicas of a role over zones. Only entry pods are spread: the workers of a replica belong close to their leader. A template with a constraint on the same key keeps it.",
  },
};

/** The reference page of the built-in pod plugins, from the plugins themselves. */
export function podPluginsPage(): string {
  return [
    "# Built-in pod plugins",
    "",
    "Made from the plugins themselves by `npm run generate`. [Pod plugins](pod-plugins.md) tells how to use them.",
    "",
    "Each sample is what a plugin makes of this template:",
    "",
    ...yaml(roleOf({}).template.spec),
    ...builtInPodPlugins.flatMap(section),
  ].join("\n");
}

function section(plugin: PodPlugin): string[] {
  const sample = samples[plugin.name];
  if (sample === undefined) throw new Error(`${plugin.name}: no sample; add one to this page.`);
  const { does, config, container } = sample;
  return [
    `## ${plugin.name}`,
    "",
    does,
    "",
    ...configTable(plugin.config as z.ZodType),
    "",
    ...yaml({ plugins: [{ name: plugin.name, ...(config && { config }) }] }),
    ...(container ? ["The container has these fields:", "", ...yaml(container)] : []),
    "After:",
    "",
    ...yaml(podAfter(plugin.name, config, container)),
  ];
}

const roleOf = (container: object) => ({
  name: "inference",
  componentType: "worker" as const,
  template: {
    spec: { containers: [{ name: "vllm", image: engineImages.vllm, ...container }] },
  },
});

function podAfter(name: string, config: object | undefined, container: object = {}): unknown {
  const [workload] = planInferenceService({
    metadata: { name: "qwen" },
    spec: {
      roles: [roleOf(container)],
      plugins: [{ name, ...(config && { config: { ...config } }) }],
    },
  });
  const spec = workload?.spec as { leaderWorkerTemplate: { workerTemplate: unknown } } | undefined;
  return spec?.leaderWorkerTemplate.workerTemplate;
}

const yaml = (value: unknown) => [
  "```yaml",
  ...stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 }).trimEnd().split("\n"),
  "```",
  "",
];

interface FieldSchema {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  description?: string;
}

function configTable(config: z.ZodType): string[] {
  const { properties = {}, oneOf = [] } = z.toJSONSchema(config, { io: "input" }) as {
    properties?: Record<string, FieldSchema>;
    oneOf?: Array<{ properties: Record<string, FieldSchema> }>;
  };
  if (oneOf.length > 0) {
    return oneOf.flatMap(({ properties: fields }) => [...fieldTable(fields), ""]).slice(0, -1);
  }
  return fieldTable(properties);
}

const fieldTable = (fields: Readonly<Record<string, FieldSchema>>): string[] => [
  "| Config | Type | Default | |",
  "|---|---|---|---|",
  ...Object.entries(fields).map(([name, field]) => {
    const type = field.const ?? field.enum?.join(", ") ?? field.type ?? "";
    const value = field.default === undefined ? "" : `\`${JSON.stringify(field.default)}\``;
    return `| \`${name}\` | ${String(type)} | ${value} | ${field.description ?? ""} |`;
  }),
];
