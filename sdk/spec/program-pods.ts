import { z } from "zod";
import { leaf, resources } from "./resources.ts";

/**
 * What may be said of the pods of a program that this project deploys: endpoint pickers, controllers, the webhook. The
 * fields are those of a PodSpec and of a PodDisruptionBudget, by Kubernetes' names, and mean what they mean there.
 */

const text = leaf.meta({ type: "string" });

const isCountOrShare = (value: unknown): boolean =>
  typeof value === "number"
    ? Number.isInteger(value) && value >= 0
    : typeof value === "string" && /^[0-9]+%$/.test(value);

const countOrShare = z
  .unknown()
  .refine((value) => value === undefined || isCountOrShare(value), {
    error: "a whole number, or a share such as 50%",
  })
  .meta({ "x-kubernetes-int-or-string": true });

/** policy/v1 PodDisruptionBudgetSpec, without the selector, which is the program's. */
const DisruptionBudget = z
  .strictObject({
    minAvailable: countOrShare.optional(),
    maxUnavailable: countOrShare.optional(),
    unhealthyPodEvictionPolicy: z.enum(["IfHealthyBudget", "AlwaysAllow"]).optional(),
  })
  .refine(
    ({ minAvailable, maxUnavailable }) =>
      !(minAvailable !== undefined && maxUnavailable !== undefined),
    {
      error: "minAvailable or maxUnavailable, since Kubernetes takes one of them",
    },
  );

export const programPodFields = {
  resources: resources
    .optional()
    .describe("Of its container. Default: requests, and a limit of memory."),
  image: text.optional().describe("Default: this project's, of this version."),
  imagePullSecrets: z
    .array(z.looseObject({ name: text }))
    .optional()
    .describe("Secrets in its namespace by which the image is pulled."),
  nodeSelector: z.record(z.string(), text).optional().describe("Labels of its nodes."),
  tolerations: z.array(z.looseObject({})).optional().describe("Taints that it takes."),
  affinity: z.looseObject({}).optional().describe("Rules for its nodes."),
  topologySpreadConstraints: z
    .array(z.looseObject({}))
    .optional()
    .describe("How its pods are spread. Default: over nodes, where that is possible."),
  priorityClassName: text.optional().describe("PriorityClass of its pods."),
  podDisruptionBudget: DisruptionBudget.optional().describe(
    "How many pods may be evicted at once. Default 1 where there are several pods.",
  ),
};

const ProgramPods = z.strictObject(programPodFields);

/** Everything optional: what is left out has the defaults of `sdk/plan/programs/program-pods.ts`. */
export type ProgramPods = z.infer<typeof ProgramPods>;

const names = Object.keys(programPodFields) as ReadonlyArray<keyof ProgramPods>;

/** The fields of a program's pods among those of what deploys it. */
export const programPodsOf = (fields: ProgramPods): ProgramPods =>
  Object.fromEntries(
    names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
  );
