import { z } from "zod";
import { isDeferred } from "../../kubernetes/values/deferred.ts";
import { named, output, typed, words } from "../schemas/argument.ts";
import { coreObject } from "../schemas/kubernetes-object.ts";
import { resources, text } from "../schemas/resources.ts";

/**
 * Settings for the pods of programs that this project deploys: endpoint pickers, controllers, the webhook. The fields
 * have the names and meanings of the fields of a PodSpec and a PodDisruptionBudget.
 */
/** Reports whether a value is a whole number or a percentage such as `50%`. */
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
  "Whether a disruption budget protects pods that are not ready.",
  {
    IfHealthyBudget: [
      "IfHealthyBudget",
      "Pods that are not ready are protected while too few pods are ready.",
    ],
    AlwaysAllow: ["AlwaysAllow", "Pods that are not ready may always be evicted."],
  },
);

/** policy/v1 PodDisruptionBudgetSpec, without the selector, which the program sets. */
const DisruptionBudget = named(
  "DisruptionBudget",
  z
    .strictObject({
      minAvailable: countOrShare
        .optional()
        .describe(
          "Pods that must remain available, as a number or a percentage such as 50%. Not allowed with maxUnavailable.",
        ),
      maxUnavailable: countOrShare
        .optional()
        .describe(
          "Pods that may be unavailable, as a number or a percentage such as 50%. Default 1.",
        ),
      unhealthyPodEvictionPolicy: UnhealthyPodEvictionPolicy.optional().describe(
        "Whether pods that are not ready may always be evicted. Default AlwaysAllow.",
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
  'PodDisruptionBudgetSpec (policy/v1) without its selector. `{ maxUnavailable: "100%" }` protects no pods.',
);

const k8s = (type: string) => `types.input.core.v1.${type}`;

export const programPodFields = {
  resources: resources
    .optional()
    .describe(
      "Resources of the program's container. They replace the default as a whole. Default: requests of 250m CPU and 256Mi of memory, and a limit of 1Gi of memory.",
    ),
  image: text
    .optional()
    .describe(
      "Image of the program. Default: stack configuration pulumi-inference:image, else this project's image of this version.",
    ),
  imagePullSecrets: z
    .array(
      output(
        typed(
          k8s("LocalObjectReference"),
          coreObject("LocalObjectReference", z.looseObject({ name: text })),
        ),
      ),
    )
    .optional()
    .describe(
      'Secrets in the program\'s namespace for pulling the image, such as `[{ name: "registry" }]`. Default: none.',
    ),
  nodeSelector: z
    .record(z.string(), text)
    .optional()
    .describe("Labels of the nodes that the pods may run on. Default: any node."),
  tolerations: z
    .array(output(typed(k8s("Toleration"), coreObject("Toleration", z.looseObject({})))))
    .optional()
    .describe("Tolerations for taints of nodes (core/v1 Toleration). Default: none."),
  affinity: output(typed(k8s("Affinity"), coreObject("Affinity", z.looseObject({}))))
    .optional()
    .describe("Affinity rules of the pods (core/v1 Affinity). Default: none."),
  topologySpreadConstraints: z
    .array(
      output(
        typed(
          k8s("TopologySpreadConstraint"),
          coreObject("TopologySpreadConstraint", z.looseObject({})),
        ),
      ),
    )
    .optional()
    .describe(
      "How the pods are spread (core/v1 TopologySpreadConstraint). Default: over nodes, if possible.",
    ),
  priorityClassName: text
    .optional()
    .describe(
      "PriorityClass of the pods. Default: for a service's picker, the class in the service's schedulingStrategy; else the cluster's default class.",
    ),
  podDisruptionBudget: DisruptionBudget.optional().describe(
    "Number of pods that may be evicted concurrently. Default: one, if there are two or more pods.",
  ),
};

const { image: _image, ...placement } = programPodFields;

export const ProgramPods = named("ProgramPods", z.strictObject(placement)).describe(
  "Pod settings of a program that this project deploys: an endpoint picker, a controller or the webhook. The fields are defined by Kubernetes.",
);

/** Optional pod settings of a program. Defaults are in `sdk/plan/program-pods.ts`. */
export type ProgramPods = z.infer<z.ZodObject<typeof programPodFields>>;

const names = Object.keys(programPodFields) as ReadonlyArray<keyof ProgramPods>;

/** Returns the pod settings from the arguments of a program. */
export const programPodsOf = (fields: ProgramPods): ProgramPods =>
  Object.fromEntries(
    names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
  );
