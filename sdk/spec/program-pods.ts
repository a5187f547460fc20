import { z } from "zod";
import { isDeferred } from "../../kubernetes/values/deferred.ts";
import { named, output, typed, words } from "./argument.ts";
import { resources, text } from "./resources.ts";

/**
 * What may be said of the pods of a program that this project deploys: endpoint pickers, controllers, the webhook. The
 * fields are those of a PodSpec and of a PodDisruptionBudget, by Kubernetes' names, and mean what they mean there.
 */

/** Whether a value is a whole number, or a share such as `50%`. */
export const isCountOrShare = (value: unknown): boolean =>
  typeof value === "number"
    ? Number.isInteger(value) && value >= 0
    : typeof value === "string" && /^[0-9]+%$/.test(value);

const countOrShare = output(
  z
    .unknown()
    .refine((value) => value === undefined || isDeferred(value) || isCountOrShare(value), {
      error: "a whole number, or a share such as 50%",
    })
    .meta({ "x-kubernetes-int-or-string": true }),
  "pulumi.Inputs[string]",
);

const UnhealthyPodEvictionPolicy = words(
  "UnhealthyPodEvictionPolicy",
  "Whether a budget keeps pods that do not work.",
  {
    IfHealthyBudget: ["IfHealthyBudget", "It keeps them while too few pods work."],
    AlwaysAllow: ["AlwaysAllow", "They may always be evicted."],
  },
);

/** policy/v1 PodDisruptionBudgetSpec, without the selector, which is the program's. */
const DisruptionBudget = named(
  "DisruptionBudget",
  z
    .strictObject({
      minAvailable: countOrShare
        .optional()
        .describe("Pods that stay, as a number or a share such as 50%. Not beside maxUnavailable."),
      maxUnavailable: countOrShare
        .optional()
        .describe("Pods that may go, as a number or a share such as 50%. Default 1."),
      unhealthyPodEvictionPolicy: UnhealthyPodEvictionPolicy.optional().describe(
        "Whether pods that do not work may always go. Default AlwaysAllow.",
      ),
    })
    .refine(
      ({ minAvailable, maxUnavailable }) =>
        !(minAvailable !== undefined && maxUnavailable !== undefined),
      {
        error: "either minAvailable or maxUnavailable",
      },
    ),
).describe(
  'A policy/v1 PodDisruptionBudgetSpec without its selector. `{ maxUnavailable: "100%" }` protects nothing.',
);

const k8s = (type: string) => `types.input.core.v1.${type}`;

export const programPodFields = {
  resources: resources
    .optional()
    .describe(
      "Resources of the program's container; what is given takes the place of the default as a whole. Default: requests of 250m CPU and 256Mi of memory, and a limit of 1Gi of memory.",
    ),
  image: text
    .optional()
    .describe(
      "The program's image. Default: stack configuration pulumi-inference:image, else this project's image of this version.",
    ),
  imagePullSecrets: z
    .array(output(typed(k8s("LocalObjectReference"), z.looseObject({ name: text }))))
    .optional()
    .describe(
      'Secrets in the program\'s namespace by which the image is pulled, as `[{ name: "registry" }]`. Default: none.',
    ),
  nodeSelector: z
    .record(z.string(), text)
    .optional()
    .describe("Labels of the nodes that the pods may run on. Default: any node."),
  tolerations: z
    .array(output(typed(k8s("Toleration"), z.looseObject({}))))
    .optional()
    .describe("Taints of nodes that the pods may run on (core/v1 Toleration). Default: none."),
  affinity: output(typed(k8s("Affinity"), z.looseObject({})))
    .optional()
    .describe("Rules for the nodes that the pods may run on (core/v1 Affinity). Default: none."),
  topologySpreadConstraints: z
    .array(output(typed(k8s("TopologySpreadConstraint"), z.looseObject({}))))
    .optional()
    .describe(
      "How the pods are spread (core/v1 TopologySpreadConstraint). Default: over nodes, where that is possible.",
    ),
  priorityClassName: text
    .optional()
    .describe(
      "PriorityClass of the pods. Default: that of a service's schedulingStrategy for its picker, else the cluster's.",
    ),
  podDisruptionBudget: DisruptionBudget.optional().describe(
    "How many of the pods may be evicted at once. Default: one, where there are several pods.",
  ),
};

const { image: _image, ...placement } = programPodFields;

export const ProgramPods = named("ProgramPods", z.strictObject(placement)).describe(
  "What may be said of the pods of a program that this project deploys: an endpoint picker, a controller, the webhook. The fields are Kubernetes' own.",
);

/** Everything optional: what is left out has the defaults of `sdk/plan/program-pods.ts`. */
export type ProgramPods = z.infer<z.ZodObject<typeof programPodFields>>;

const names = Object.keys(programPodFields) as ReadonlyArray<keyof ProgramPods>;

/** The fields of a program's pods among those of what deploys it. */
export const programPodsOf = (fields: ProgramPods): ProgramPods =>
  Object.fromEntries(
    names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
  );
