import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { endpointPickerName, inferencePoolName, label, roleWorkloadName } from "../../names.ts";
import type { InferenceServiceSpec } from "../../spec/inference-service.ts";
import { runtimePorts } from "../../topology/runtime-ports.ts";
import { replicasIn, scaleUnitsIn } from "../../topology/scale-units.ts";
import { objectMeta, type PlanContext } from "../object-meta.ts";

/**
 * Time between two readings of the picker, in seconds. A request that arrives while there is no replica can wait this
 * long before the first replica is requested.
 */
const pollingSeconds = 5;

/** Time for which a new service keeps its first replicas without a request, in seconds: they load their model. */
const firstStartSeconds = 1_800;

/** Units that may start within one period. A HorizontalPodAutoscaler has the same default for pods. */
const scaleUp = { units: 4, periodSeconds: 15 };

/**
 * Returns an autoscaler for each role. All roles read numbers that the picker computes together, so they have whole
 * units. Each number is the number of replicas itself, with a target of 1.
 */
export function planAutoscalers(context: PlanContext, spec: InferenceServiceSpec): Manifest[] {
  const units = scaleUnitsIn(spec);
  if (spec.autoscaling === undefined || units === undefined) return [];
  const { scaleDownSeconds, scaler } = spec.autoscaling;
  return [...units.unit].map(([role, replicas]) => {
    const target = scaleTarget(roleWorkloadName(context.metadata.name, role));
    const metadata = objectMeta(context, target.name, { [label.roleName]: role });
    const behavior = behaviorOf(replicas, scaleDownSeconds);
    const { least, most } = replicasIn(units, role);
    return scaler === "hpa"
      ? {
          apiVersion: kinds.HorizontalPodAutoscaler.apiVersion,
          kind: "HorizontalPodAutoscaler",
          metadata,
          spec: {
            scaleTargetRef: target,
            minReplicas: least,
            maxReplicas: most,
            metrics: [externalMetric(context.metadata.name, role)],
            behavior,
          },
        }
      : {
          apiVersion: kinds.ScaledObject.apiVersion,
          kind: "ScaledObject",
          metadata,
          spec: {
            scaleTargetRef: target,
            minReplicaCount: least,
            maxReplicaCount: most,
            pollingInterval: pollingSeconds,
            // Delay before the last unit stops. For the other units, the behavior sets the delay.
            cooldownPeriod: scaleDownSeconds,
            // Without it, KEDA stops the first replica of a new service before it is ready.
            initialCooldownPeriod: Math.max(scaleDownSeconds, firstStartSeconds),
            advanced: { horizontalPodAutoscalerConfig: { behavior } },
            triggers: [pickerTrigger(context.metadata, role)],
          },
        };
  });
}

/** Returns the flags with which the picker computes the numbers. Empty without autoscaling. */
export function scalingArgs(spec: InferenceServiceSpec): string[] {
  const units = scaleUnitsIn(spec);
  if (spec.autoscaling === undefined || units === undefined) return [];
  return [
    `--scale-unit=${[...units.unit].map(([role, replicas]) => `${role}=${replicas}`).join(",")}`,
    `--scale-target-utilization=${spec.autoscaling.targetUtilization}`,
  ];
}

/** Returns the names of the LeaderWorkerSets whose replicas an autoscaler of the same plan changes. */
export const autoscaledSets = (manifests: readonly Manifest[]): ReadonlySet<string> =>
  new Set(
    manifests
      .filter(({ kind }) => kind === "ScaledObject" || kind === "HorizontalPodAutoscaler")
      .map(({ spec }) => (spec as { scaleTargetRef: { name: string } }).scaleTargetRef.name),
  );

/** Returns the manifests without replicas that an autoscaler changes, for tools that would set them again. */
export function withoutScaledReplicas(manifests: readonly Manifest[]): Manifest[] {
  const scaled = autoscaledSets(manifests);
  return manifests.map((manifest) => {
    if (manifest.kind !== "LeaderWorkerSet" || !scaled.has(manifest.metadata.name)) return manifest;
    const { replicas: _replicas, ...spec } = manifest.spec as Record<string, unknown>;
    return { ...manifest, spec };
  });
}

const scaleTarget = (name: string) => ({
  apiVersion: kinds.LeaderWorkerSet.apiVersion,
  kind: "LeaderWorkerSet",
  name,
});

/** All roles scale up by the same number of units at a time. */
const behaviorOf = (replicas: number, scaleDownSeconds: number) => ({
  scaleUp: {
    selectPolicy: "Max",
    policies: [
      { type: "Pods", value: scaleUp.units * replicas, periodSeconds: scaleUp.periodSeconds },
      { type: "Percent", value: 100, periodSeconds: scaleUp.periodSeconds },
    ],
  },
  scaleDown: { stabilizationWindowSeconds: scaleDownSeconds },
});

/** KEDA reads every picker, because each one knows only the queue of its own requests. */
const pickerTrigger = ({ name, namespace }: PlanContext["metadata"], role: string) => ({
  type: "metrics-api",
  metricType: "AverageValue",
  metadata: {
    url: `http://${endpointPickerName(name)}.${namespace}:${runtimePorts.metrics}/scaling`,
    valueLocation: `roles.${role}`,
    targetValue: "1",
    aggregateFromKubeServiceEndpoints: "true",
    aggregationType: "max",
  },
});

const externalMetric = (service: string, role: string) => ({
  type: "External",
  external: {
    metric: {
      name: "inference_desired_replicas",
      selector: { matchLabels: { inference_pool: inferencePoolName(service), role } },
    },
    target: { type: "AverageValue", averageValue: "1" },
  },
});
