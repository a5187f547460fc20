import { z } from "zod";
import { groups } from "../../../kubernetes/kinds/groups.ts";
import type { KubernetesObject } from "../../../kubernetes/values/object.ts";
import { isMap } from "../../../kubernetes/values/records.ts";
import { annotation, label } from "../../../sdk/names.ts";
import type { HookPod } from "../../../sdk/plugins/hook-request.ts";
import { changesBetween, jsonPatchOf } from "../../../sdk/plugins/pod-changes.ts";
import { createPod, type HookFailure, type HookRunner, pluginsFor, runMark } from "./pod-chain.ts";
import { type PodIdentity, podIdentity } from "./pod-identity.ts";
import type { ReportedPlugins } from "./workloads.ts";

const apiVersion = `${groups.admission}/v1`;

/**
 * Maps and lists are checked up to the first invalid value: an error for each of a million values takes gigabytes of
 * memory and blocks the webhook for 17 seconds.
 */
const Texts = z.custom<Readonly<Record<string, string>>>(
  (value) => isMap(value) && Object.values(value).every((text) => typeof text === "string"),
  "not a map of strings",
);
const Containers = z.custom<ReadonlyArray<{ readonly name: string }>>(
  (value) =>
    Array.isArray(value) && value.every((item) => isMap(item) && typeof item.name === "string"),
  "not a list of containers with names",
);

/** The fields of admission.k8s.io/v1 that the webhook reads. */
const AdmissionReview = z.object({
  apiVersion: z.literal(apiVersion),
  kind: z.literal("AdmissionReview"),
  request: z
    .object({
      uid: z.string(),
      operation: z.literal("CREATE"),
      resource: z.object({ group: z.literal(""), resource: z.literal("pods") }),
      namespace: z.string(),
      name: z.string().optional(),
      dryRun: z.boolean().optional(),
      userInfo: z.object({ username: z.string() }),
      object: z.looseObject({
        metadata: z.looseObject({
          namespace: z.string(),
          labels: Texts.optional(),
          annotations: Texts.optional(),
        }),
        spec: z.looseObject({ containers: Containers }),
      }),
    })
    .refine(({ namespace, object }) => object.metadata.namespace === namespace, {
      error: "the pod is in another namespace than the request",
    }),
});

export type AdmissionRequest = z.infer<typeof AdmissionReview>["request"];

export interface AdmissionOptions extends HookRunner {
  /** Users that create the pods of LeaderWorkerSets. */
  readonly podCreators: readonly string[];
  /** Returns the plugins for the pods of a LeaderWorkerSet. */
  readonly pluginsOf: (namespace: string, name: string) => Promise<ReportedPlugins>;
  /** Receives each failure of a plugin, except in a dry run. */
  readonly onFailure: (namespace: string, identity: PodIdentity, failure: HookFailure) => void;
}

export interface Verdict {
  readonly allowed: boolean;
  readonly message?: string;
  readonly patch?: ReturnType<typeof jsonPatchOf>;
}

/** @throws z.ZodError if the body is not a review of a new pod */
export const readReview = (body: unknown): AdmissionRequest => AdmissionReview.parse(body).request;

/** Returns the response for the API server. */
export const reviewAnswer = (uid: string, { allowed, message, patch }: Verdict) => ({
  apiVersion,
  kind: "AdmissionReview",
  response: {
    uid,
    allowed,
    ...(message === undefined ? {} : { status: { code: 403, message } }),
    ...(patch === undefined || patch.length === 0
      ? {}
      : {
          patchType: "JSONPatch",
          patch: Buffer.from(JSON.stringify(patch)).toString("base64"),
        }),
  },
});

/** Runs the plugins of a pod that is being created. A second call for the same pod changes nothing. */
export async function admit(
  options: AdmissionOptions,
  { namespace, object, dryRun, userInfo: { username } }: AdmissionRequest,
): Promise<Verdict> {
  const { metadata } = object;
  const mustRun = metadata.labels?.[label.podPlugins] === "Fail";
  const give = (message: string): Verdict => ({ allowed: !mustRun, message });
  if (!options.podCreators.includes(username)) {
    return give(
      `pod plugins: ${username} does not create pods of LeaderWorkerSets (--pod-creators); allowed: ${options.podCreators.join(", ")}`,
    );
  }
  const identity = podIdentity(object as unknown as KubernetesObject);
  if (identity === undefined) {
    return give(
      "pod plugins: the pod has no owner in its labels; are the webhooks of LeaderWorkerSet installed?",
    );
  }
  const { file, problem } = await options.pluginsOf(namespace, identity.leaderWorkerSet);
  if (file === undefined) return give(`pod plugins: ${problem}`);
  const podName = `${namespace}/${String(metadata.name ?? metadata.generateName ?? "")}`;
  const mark = runMark(podName, pluginsFor(file, "OnPodCreate", identity));
  if (metadata.annotations?.[annotation.pluginsApplied] === mark) return { allowed: true };

  const before = hookPodOf(object);
  const { pod, failures } = await createPod(options, file, identity, before, mark);
  if (dryRun !== true)
    for (const failure of failures) options.onFailure(namespace, identity, failure);
  const refusal = failures.find(({ refuses }) => refuses);
  if (refusal !== undefined) {
    return { allowed: false, message: `pod plugin ${refusal.plugin}: ${refusal.message}` };
  }
  return { allowed: true, patch: jsonPatchOf(changesBetween(writtenOf(object), writtenOf(pod))) };
}

/** Returns the pod that hooks receive. */
export const hookPodOf = (object: AdmissionRequest["object"]): HookPod =>
  ({
    metadata: {
      ...object.metadata,
      labels: { ...object.metadata.labels },
      annotations: { ...object.metadata.annotations },
    },
    spec: object.spec,
  }) as unknown as HookPod;

/** The parts of a pod that a plugin may change. */
const writtenOf = ({ metadata, spec }: { metadata: object; spec: unknown }) => {
  const { labels, annotations } = metadata as { labels?: object; annotations?: object };
  return {
    metadata: { labels: filled(labels), annotations: filled(annotations) },
    spec,
  };
};

const filled = (map: object | undefined) =>
  map === undefined || Object.keys(map).length === 0 ? undefined : map;
