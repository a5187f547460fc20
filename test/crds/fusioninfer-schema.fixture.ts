import type { StructuralSchema } from "../../sdk/crds/structural-schema.ts";

/**
 * Schema of FusionInfer's InferenceService, fusioninfer.io/v1alpha1: its fields, types and bounds, without
 * descriptions. It is a copy because no Go module that a test can read contains the project.
 */

const object = (
  properties: Record<string, StructuralSchema>,
  required: string[] = [],
): StructuralSchema => ({ type: "object", properties, required });
const array = (items: StructuralSchema, bounds: object = {}): StructuralSchema => ({
  type: "array",
  items,
  ...bounds,
});
const text = (bounds: object = {}): StructuralSchema => ({ type: "string", ...bounds });
const word = (...words: string[]) => text({ enum: words });
const int32 = (bounds: object = {}): StructuralSchema => ({
  type: "integer",
  format: "int32",
  ...bounds,
});
const int64 = (bounds: object = {}) => int32({ format: "int64", ...bounds });
const time = text({ format: "date-time" });
const anything: StructuralSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

const role = object(
  {
    componentType: word("router", "prefiller", "decoder", "worker"),
    endpointPickerConfig: text(),
    gateway: anything,
    httproute: anything,
    multinode: object({ nodeCount: int32({ minimum: 1 }) }, ["nodeCount"]),
    name: text(),
    replicas: int32(),
    strategy: word(
      "prefix-cache",
      "kv-cache-utilization",
      "queue-size",
      "lora-affinity",
      "pd-disaggregation",
    ),
    template: anything,
  },
  ["componentType", "name"],
);

const component = object(
  {
    desiredReplicas: int32(),
    lastUpdateTime: time,
    nodesPerReplica: int32(),
    phase: word("Pending", "Deploying", "Running", "Failed", "Unknown"),
    readyPods: int32(),
    readyReplicas: int32(),
    totalPods: int32(),
  },
  ["desiredReplicas", "nodesPerReplica", "phase", "readyPods", "readyReplicas", "totalPods"],
);

/** The same as in apimachinery's metav1.Condition. */
const condition = object(
  {
    lastTransitionTime: time,
    message: text({ maxLength: 32768 }),
    observedGeneration: int64({ minimum: 0 }),
    reason: text({
      maxLength: 1024,
      minLength: 1,
      pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
    }),
    status: word("True", "False", "Unknown"),
    type: text({
      maxLength: 316,
      pattern:
        "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
    }),
  },
  ["lastTransitionTime", "message", "reason", "status", "type"],
);

export const fusioninferSchema = object(
  {
    apiVersion: text(),
    kind: text(),
    metadata: { type: "object" },
    spec: object(
      {
        roles: array(role, { minItems: 1 }),
        schedulingStrategy: object({ schedulerName: text() }),
      },
      ["roles"],
    ),
    status: object({
      components: { type: "object", additionalProperties: component },
      conditions: array(condition, {
        "x-kubernetes-list-map-keys": ["type"],
        "x-kubernetes-list-type": "map",
      }),
      observedGeneration: int64(),
    }),
  },
  ["spec"],
);

export const fusioninferKind = {
  group: "fusioninfer.io",
  version: "v1alpha1",
  kind: "InferenceService",
  plural: "inferenceservices",
  scope: "Namespaced",
};
