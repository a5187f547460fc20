import { z } from "zod";
import { nonEmptyText, positiveInteger } from "../../../kubernetes/kinds/field-types.ts";
import { named, typed, words } from "../../schemas/argument.ts";
import { LastingVolume } from "../../schemas/lasting-volume.ts";
import { text } from "../../schemas/resources.ts";

export const ModelSource = words("ModelSource", "Source of a model's files.", {
  HuggingFace: ["huggingFace", "The engine downloads the files from Hugging Face."],
  Oci: [
    "oci",
    "Image that contains the files, mounted as an image volume (Kubernetes 1.33 or later).",
  ],
  Pvc: ["pvc", "PersistentVolumeClaim that contains the files."],
  S3: ["s3", "S3 bucket from which the engine streams the files to the accelerators."],
  Gcs: [
    "gcs",
    "Google Cloud Storage bucket from which the engine streams the files to the accelerators.",
  ],
});

const SecretKey = named(
  "SecretKey",
  z.strictObject({
    secret: text.describe("Name of a Secret in the service's namespace."),
    key: nonEmptyText.default("token").describe("Key in the Secret."),
  }),
).describe("Value of a Secret.");

export const Model = named(
  "ServiceModel",
  z.strictObject({
    name: nonEmptyText.describe(
      "Name of the model on Hugging Face, such as `Qwen/Qwen3-32B`. Memory and parallel sizes are calculated from its known properties. Clients request the model by this name.",
    ),
    source: ModelSource.default("huggingFace").describe("Source of the files."),
    location: text
      .optional()
      .describe(
        "Location of the files: the image for source oci, the claim for pvc, or the URL for s3 and gcs, such as `s3://bucket/folder`. Not allowed for huggingFace.",
      ),
    path: z
      .string()
      .optional()
      .describe(
        "Directory of the model in the image or on the claim. Default: the root directory.",
      ),
    revision: nonEmptyText
      .optional()
      .describe("Branch, tag or commit on Hugging Face. Default: main."),
    token: SecretKey.optional().describe(
      "Hugging Face token, required for gated models. Default: no token.",
    ),
    cache: LastingVolume.optional().describe(
      "Volume for files downloaded from Hugging Face. Default: the files are lost when the pod is deleted.",
    ),
    mebibytesPerSecond: positiveInteger
      .optional()
      .describe(
        "Rate at which the source delivers the weights, in MiB/s. The startup probe is calculated from it. Default: 100 for Hugging Face, 200 for images and claims, 500 for buckets.",
      ),
    config: typed("Record<string, unknown>", z.record(z.string(), z.unknown()), "pulumi.Inputs")
      .optional()
      .describe(
        "Contents of the model's config.json, for a model that is not in docs/models-and-accelerators.md, or that differs from its entry.",
      ),
  }),
).describe("Model, and the source of its files.");

export type Model = z.infer<typeof Model>;
export type ModelSource = z.infer<typeof ModelSource>;
