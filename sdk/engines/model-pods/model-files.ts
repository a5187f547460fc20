import { dnsSubdomain } from "../../../kubernetes/values/dns-label.ts";
import type { Path } from "../../errors.ts";
import type { Finding } from "../../invariant.ts";
import type { LastingVolume } from "../../schemas/lasting-volume.ts";
import type { EnvVar, ModelFiles } from "../interface/serving-engine.ts";
import type { Model, ModelSource } from "../spec/model.ts";

/** Returns a volume of a pod. */
export const volumeOf = (name: string, { claim, hostPath }: LastingVolume) =>
  claim === undefined
    ? { name, hostPath: { path: hostPath, type: "DirectoryOrCreate" } }
    : { name, persistentVolumeClaim: { claimName: claim } };

/** Whether a known value cannot be the name of an object. */
const isNoName = (value: unknown): boolean =>
  typeof value === "string" && !dnsSubdomain.test(value);

/** Returns whether a volume is not one of its two kinds, or names no claim. */
export function* volumeFaults({ claim, hostPath }: LastingVolume, path: Path): Iterable<Finding> {
  if (isNoName(claim))
    yield {
      path: [...path, "claim"],
      given: `is ${JSON.stringify(claim)}`,
      allowed: "the name of a PersistentVolumeClaim: lower-case letters, digits, dashes and dots",
      fix: "Set claim to the name of a claim.",
    };
  if ((claim === undefined) !== (hostPath === undefined)) return;
  yield {
    path,
    given: claim === undefined ? "has no volume" : "sets both claim and hostPath",
    allowed: "either claim or hostPath",
    fix: "Set one of the two.",
  };
}

const volume = "model";
const directory = "/models";
const cacheDirectory = "/root/.cache/huggingface";

/** One source of model files. */
interface Source {
  /** MiB per second that engines load from it, if the rate is not set. */
  readonly rate: number;
  /** Fields of the model that it reads in addition to the fields that all sources read. */
  readonly fields: ReadonlyArray<keyof Model>;
  readonly location: "required" | "none";
  files(model: Model): Omit<ModelFiles, "bytesPerSecond" | "env"> & { readonly env?: EnvVar[] };
}

const mounted = (model: Model, source: object): ReturnType<Source["files"]> => ({
  path: model.path === undefined ? directory : `${directory}/${model.path.replace(/^\/+/, "")}`,
  isStreamed: false,
  volumes: [{ name: volume, ...source }],
  mounts: [{ name: volume, mountPath: directory, readOnly: true }],
});

const streamed: Source = {
  rate: 500,
  fields: [],
  location: "required",
  files: ({ location }) => ({
    path: location as string,
    isStreamed: true,
    volumes: [],
    mounts: [],
  }),
};

/**
 * The sources. Rates are low on purpose: a startup probe that is too long costs nothing, one that is too short aborts
 * the load. Hugging Face: 100 MiB/s of a shared connection; volumes: the throughput of a network disk.
 */
const sources: Readonly<Record<ModelSource, Source>> = {
  huggingFace: {
    rate: 100,
    fields: ["revision", "token", "cache"],
    location: "none",
    files: ({ name, token, cache }) => ({
      path: name,
      isStreamed: false,
      env:
        token === undefined
          ? []
          : [
              {
                name: "HF_TOKEN",
                valueFrom: { secretKeyRef: { name: token.secret, key: token.key } },
              },
            ],
      ...(cache === undefined
        ? { volumes: [], mounts: [] }
        : {
            volumes: [volumeOf("model-cache", cache)],
            mounts: [{ name: "model-cache", mountPath: cacheDirectory }],
          }),
    }),
  },
  oci: {
    // The kubelet pulls the image before the container starts.
    rate: 200,
    fields: ["path"],
    location: "required",
    files: (model) =>
      mounted(model, { image: { reference: model.location, pullPolicy: "IfNotPresent" } }),
  },
  pvc: {
    rate: 200,
    fields: ["path"],
    location: "required",
    files: (model) =>
      mounted(model, {
        persistentVolumeClaim: { claimName: model.location, readOnly: true },
      }),
  },
  s3: streamed,
  gcs: streamed,
};

/** Returns the files of a model as they are in its engine's container. */
export function modelFiles(model: Model): ModelFiles {
  const source = sources[model.source];
  return {
    env: [],
    ...source.files(model),
    bytesPerSecond: (model.mebibytesPerSecond ?? source.rate) * 2 ** 20,
  };
}

/** Fields that not all sources read. */
const ofSomeSources = ["path", "revision", "token", "cache"] as const;

/** Returns the faults of a model's source; paths start at the model. */
export function* sourceFaults(model: Model): Iterable<Finding> {
  const { source, location, cache, token } = model;
  // The value may be a token, so that the message does not contain it.
  if (isNoName(token?.secret))
    yield {
      path: ["token", "secret"],
      given:
        "is not the name of a Secret; a token in its place is stored in manifests in plain text",
      allowed: "a name of lower-case letters, digits, dashes and dots",
      fix: "Create a Secret with the token, and set the Secret's name.",
    };
  const { fields, location: wanted } = sources[source];
  if (wanted === "required" && location === undefined)
    yield {
      path: ["location"],
      given: `is missing with source ${source}`,
      allowed: locations[source],
      fix: "Set location.",
    };
  if (wanted === "none" && location !== undefined)
    yield {
      path: ["location"],
      given: `is set with source ${source}`,
      allowed: "no location, because the model's name is the repository",
      fix: "Remove location, or set the matching source.",
    };
  const scheme = { s3: "s3://", gcs: "gs://" }[source as string];
  if (scheme !== undefined && typeof location === "string" && !location.startsWith(scheme))
    yield {
      path: ["location"],
      given: `is ${JSON.stringify(location)}`,
      allowed: `a URL that starts with ${scheme}`,
      fix: "Correct the URL.",
    };
  for (const field of ofSomeSources)
    if (model[field] !== undefined && !fields.includes(field))
      yield {
        path: [field],
        given: `is set with source ${source}`,
        allowed: `${field} with source ${Object.keys(sources)
          .filter((name) => sources[name as ModelSource].fields.includes(field))
          .join(" or ")}`,
        fix: `Remove ${field}.`,
      };
  if (cache !== undefined) yield* volumeFaults(cache, ["cache"]);
}

const locations: Readonly<Record<ModelSource, string>> = {
  huggingFace: "",
  oci: "the image, such as registry.example.com/models/qwen3-32b:1",
  pvc: "the name of the claim",
  s3: "the URL, such as s3://bucket/folder",
  gcs: "the URL, such as gs://bucket/folder",
};
