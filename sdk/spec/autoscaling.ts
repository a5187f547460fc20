import { z } from "zod";
import { positiveInteger } from "../../kubernetes/kinds/field-types.ts";
import { named, words } from "../schemas/argument.ts";

/** Longest stabilization window that a HorizontalPodAutoscaler accepts, in seconds. */
const maxScaleDownSeconds = 3_600;

const Scaler = words("Scaler", "Controller that changes the number of replicas.", {
  Keda: [
    "keda",
    "KEDA 2.20 or later, which reads the number from the endpoint pickers. It needs no Prometheus.",
  ],
  Hpa: [
    "hpa",
    "A HorizontalPodAutoscaler with external metric `inference_desired_replicas`, which an adapter of the cluster provides. It cannot scale to zero.",
  ],
});

const units = z.int32().max(1_000_000);

export const Autoscaling = named(
  "Autoscaling",
  z.strictObject({
    minUnits: units
      .min(0)
      .default(1)
      .describe(
        "Minimum number of units. With 0, the last unit stops when there are no requests, and a request waits in the picker until a unit is ready.",
      ),
    maxUnits: units
      .min(1)
      .optional()
      .describe("Maximum number of units. Required unless maxAccelerators is set."),
    maxAccelerators: units
      .min(1)
      .optional()
      .describe("Maximum number of accelerators of all units together, instead of maxUnits."),
    targetUtilization: positiveInteger
      .max(100)
      .default(80)
      .describe(
        "Share of the slots that requests may use, in percent. The rest is for requests that arrive while a unit starts.",
      ),
    scaleDownSeconds: z
      .int()
      .min(0)
      .max(maxScaleDownSeconds)
      .default(300)
      .describe(
        "Time in seconds for which a lower number of units must be sufficient before units stop.",
      ),
    scaler: Scaler.default("keda").describe("Controller that changes the number of replicas."),
  }),
).describe(
  "Limits within which an autoscaler changes the number of replicas. A unit is one replica of a worker role, or the smallest group of prefillers and decoders in the ratio of their `replicas`.",
);

export type Autoscaling = z.infer<typeof Autoscaling>;
