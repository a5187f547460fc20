import { stringify } from "yaml";
import { z } from "zod";
import { engineImages } from "../../sdk/engines/models/engine-images.ts";
import { planInferenceService } from "../../sdk/index.ts";
import { builtInPodPlugins } from "../../sdk/plugins/built-in/index.ts";
import type { PodPlugin } from "../../sdk/plugins/pod-plugin.ts";
import { code, table } from "./table.ts";

/** The samples of the page: for each built-in plugin its effect, its config, and fields of the container. */
const samples: Record<string, { does: string; config?: object; container?: object }> = {
  "nvidia-gpu-defaults": {
    does: "Requests NVIDIA GPUs for the engine container if the template requests no accelerator. Refuses pods that request a device of another vendor.",
    config: { runtimeClassName: "nvidia", gpuCount: 2 },
  },
  "huawei-ascend-defaults": {
    does: "Requests Huawei Ascend NPUs for the engine container if the template requests no accelerator. Refuses pods that request a device of another vendor.",
    config: { npuCount: 8 },
    container: { image: engineImages.vllmOnAscend, args: ["vllm", "serve", "Qwen/Qwen3-8B"] },
  },
  "rdma-defaults": {
    does: "Requests RDMA devices for the engine container and configures NCCL for them. A plugin cannot add privileges, so set the capability `IPC_LOCK` in the template.",
    config: { resourceName: "rdma/hca_shared_devices", ncclDevices: "mlx5", gidIndex: 3 },
    container: { securityContext: { capabilities: { add: ["IPC_LOCK"] } } },
  },
  shm: {
    does: "Mounts shared memory into the engine container. Container runtimes provide 64 MiB, which collectives of several GPUs exceed. If the template mounts `/dev/shm`, the plugin keeps that mount.",
    config: { sizeLimit: "16Gi" },
  },
  "model-cache": {
    does: "Provides the model's files on a volume before the engine starts. The source is an image that contains them (`oci`, Kubernetes 1.33 or later), or an init container that downloads them into a claim or an `emptyDir` (`download`).",
    config: { from: "oci", reference: "registry.example/models/qwen3-8b:1" },
  },
  "lws-standard-labels": {
    does: "Adds labels for tools that select the pods of LeaderWorkerSets: Kubernetes' recommended labels, and the ModelServing labels that Kthena's router selects. It adds the serving group and role index only if each replica has a separate LeaderWorkerSet. It does not change the labels of LeaderWorkerSet.",
    config: { partOf: "chat" },
  },
  "topology-spread": {
    does: "Spreads the replicas of a role over zones. It spreads only entry pods, because the workers of a replica should run close to their leader. If the template has a constraint on the same key, the plugin keeps that constraint.",
  },
};

/** The pod template that the samples change. */
export const sampleTemplate = (): string[] => yaml(roleOf({}).template.spec);

/** Returns a section for each built-in pod plugin. */
export const podPluginSections = (): string[] => builtInPodPlugins.flatMap(section);

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

const fieldTable = (fields: Readonly<Record<string, FieldSchema>>): string[] =>
  table(
    ["Config", "Type", "Default", ""],
    Object.entries(fields).map(([name, field]) => [
      code(name),
      String(field.const ?? field.enum?.join(", ") ?? field.type ?? ""),
      field.default === undefined ? "" : code(JSON.stringify(field.default)),
      field.description ?? "",
    ]),
  );
