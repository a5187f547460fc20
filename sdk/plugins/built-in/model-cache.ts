import { z } from "zod";
import { nonEmptyText } from "../../../kubernetes/kinds/field-types.ts";
import { parseQuantity } from "../../../kubernetes/values/quantity.ts";
import { engineIndexOf } from "../../engines/containers/engine-container.ts";
import { PluginRefusal } from "../plugin-refusal.ts";
import { definePodPlugin } from "../pod-plugin.ts";
import { addMount, addVolume, mountAt, type Volume } from "../volumes.ts";

const name = "model-cache";

const mountPath = z
  .string()
  .startsWith("/", { error: "an absolute path" })
  .default("/models")
  .describe("Path of the model in the engine container.");

const Oci = z.strictObject({
  from: z.literal("oci").describe("Image that contains the model, mounted as a volume."),
  reference: nonEmptyText.describe("Name of the image."),
  pullPolicy: z.enum(["Always", "IfNotPresent", "Never"]).optional(),
  mountPath,
});

const Download = z.strictObject({
  from: z.literal("download").describe("Init container that downloads the model to a volume."),
  image: nonEmptyText.describe("Image of the init container."),
  command: z.array(z.string()).optional(),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).default({}),
  claimName: nonEmptyText
    .optional()
    .describe(
      "PersistentVolumeClaim that stores the model. Default: an emptyDir volume, which is filled for each pod.",
    ),
  sizeLimit: z
    .string()
    .refine((size) => parseQuantity(size) !== undefined, { error: "a quantity, as 200Gi" })
    .optional()
    .describe("Maximum size of the emptyDir volume."),
  mountPath,
});

/** Downloads the model's files to a volume before the engine starts. */
export const modelCache = definePodPlugin({
  name,
  config: z.discriminatedUnion("from", [Oci, Download]),
  onPodCreate({ pod }, config) {
    const at = engineIndexOf(pod.spec);
    const engine = pod.spec.containers[at];
    if (engine === undefined) return;
    const taken = mountAt(engine, config.mountPath);
    if (taken !== undefined && taken.name !== name) {
      throw new PluginRefusal({
        path: ["spec", "containers", at, "volumeMounts"],
        given: `contains ${JSON.stringify(taken.name)} at ${config.mountPath}`,
        allowed: "no other mount there, because the plugin mounts the model there",
        fix: "Set the plugin's mountPath to another path.",
      });
    }
    addVolume(pod, volumeOf(config));
    addMount(engine, {
      name,
      mountPath: config.mountPath,
      ...(config.from === "oci" ? { readOnly: true } : {}),
    });
    if (config.from !== "download") return;
    const others = (pod.spec.initContainers ?? []).filter((container) => container.name !== name);
    pod.spec.initContainers = [downloader(config), ...others];
  },
});

function volumeOf(config: z.infer<typeof Oci> | z.infer<typeof Download>): Volume {
  if (config.from === "oci") {
    const { reference, pullPolicy } = config;
    return { name, image: { reference, ...(pullPolicy === undefined ? {} : { pullPolicy }) } };
  }
  const { claimName, sizeLimit } = config;
  if (claimName !== undefined) return { name, persistentVolumeClaim: { claimName } };
  return { name, emptyDir: sizeLimit === undefined ? {} : { sizeLimit } };
}

function downloader({ image, command, args, env, mountPath: path }: z.infer<typeof Download>) {
  return {
    name,
    image,
    ...(command === undefined ? {} : { command }),
    ...(args === undefined ? {} : { args }),
    ...(Object.keys(env).length === 0
      ? {}
      : { env: Object.entries(env).map(([variable, value]) => ({ name: variable, value })) }),
    volumeMounts: [{ name, mountPath: path }],
  };
}
