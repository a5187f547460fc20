import { z } from "zod";
import { named, typed, words } from "./argument.ts";
import { LastingVolume } from "./lasting-volume.ts";
import { text } from "./resources.ts";

export const ModelSource = words("ModelSource", "Source of a model's files.", {
  HuggingFace: ["huggingFace", "The engine downloads them from Hugging Face."],
  Oci: ["oci", "An image that holds them, mounted as an image volume (Kubernetes 1.33 or later)."],
  Pvc: ["pvc", "A PersistentVolumeClaim that holds them."],
  S3: ["s3", "A bucket of S3, from which the engine streams them to the accelerators."],
  Gcs: ["gcs", "A bucket of Google Cloud Storage, from which the engine streams them."],
});

const SecretKey = named(
  "SecretKey",
  z.strictObject({
    secret: text.describe("Name of a Secret in the service's namespace."),
    key: z.string().min(1).default("token").describe("Key of the Secret."),
  }),
).describe("One value of a Secret.");

export const Model = named(
  "ServiceModel",
  z.strictObject({
    name: z
      .string()
      .min(1)
      .describe(
        "Name of the model on Hugging Face, as `Qwen/Qwen3-32B`. Its facts decide memory and parallel sizes; requests name it.",
      ),
    source: ModelSource.default("huggingFace").describe("Source of the files."),
    location: text
      .optional()
      .describe(
        "The image of source oci, the claim of pvc, or the URL of s3 and gcs, as `s3://bucket/folder`. Not for huggingFace.",
      ),
    path: z
      .string()
      .optional()
      .describe("Directory of the model in the image or on the claim. Default: its root."),
    revision: z
      .string()
      .min(1)
      .optional()
      .describe("Branch, tag or commit on Hugging Face. Default: main."),
    token: SecretKey.optional().describe(
      "Hugging Face token, which gated models need. Default: no token.",
    ),
    cache: LastingVolume.optional().describe(
      "Volume that keeps downloads from Hugging Face. Default: they are lost with the pod.",
    ),
    mebibytesPerSecond: z
      .int()
      .min(1)
      .optional()
      .describe(
        "Rate at which the source delivers the weights, in MiB/s. It sets the startup probe. Default: as measured for the source.",
      ),
    config: typed("Record<string, unknown>", z.record(z.string(), z.unknown()), "pulumi.Inputs")
      .optional()
      .describe(
        "Contents of the model's config.json, for a model that is not in docs/models-and-accelerators.md, or whose numbers differ.",
      ),
  }),
).describe("A model: what it is, and where its files come from.");

export type Model = z.infer<typeof Model>;
export type ModelSource = z.infer<typeof ModelSource>;
