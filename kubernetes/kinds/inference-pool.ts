import { z } from "zod";
import {
  apiGroup,
  conditions,
  kindName,
  labelValue,
  namespaceName,
  objectName,
  portNumber,
} from "./field-types.ts";
import { groups } from "./groups.ts";
import { defineKind } from "./kind.ts";

/**
 * InferencePool, inference.networking.k8s.io/v1: model server pods behind one endpoint picker.
 * Fields, defaults and bounds are those of the upstream CRD (gateway-api-inference-extension, api/v1).
 */
export const inferencePool = defineKind({
  group: groups.inference,
  version: "v1",
  kind: "InferencePool",
  plural: "inferencepools",
  scope: "Namespaced",
  readiness: {
    // Some parent has accepted it; the conditions stand per parent.
    waitFor:
      'jsonpath={.status.parents[?@.conditions[?@.type == "Accepted" && @.status == "True"]]}',
  },
});

const port = z.strictObject({ number: portNumber });

export const EndpointPickerRef = z
  .strictObject({
    group: apiGroup.default("").describe("Default: the core group."),
    kind: kindName.default("Service").describe("Kind of the picker."),
    name: objectName,
    port: port.optional().describe("Needed where the picker is a Service."),
    failureMode: z
      .enum(["FailClose", "FailOpen"])
      .default("FailClose")
      .describe("Whether requests are refused or go to any pod while the picker does not answer."),
  })
  .meta({
    "x-kubernetes-validations": [
      {
        rule: "self.kind != 'Service' || has(self.port)",
        message: "an endpoint picker of kind Service needs a port",
      },
    ],
  });

export const InferencePoolSpec = z.strictObject({
  selector: z
    .strictObject({
      matchLabels: z.record(z.string(), labelValue).meta({ minProperties: 1, maxProperties: 64 }),
    })
    .describe("Pods of the pool."),
  targetPorts: z
    .array(port)
    .min(1)
    .max(8)
    .meta({
      "x-kubernetes-list-type": "atomic",
      "x-kubernetes-validations": [
        {
          rule: "self.all(p, self.exists_one(q, q.number == p.number))",
          message: "port numbers are unique",
        },
      ],
    })
    .describe("Ports that the model servers listen on."),
  appProtocol: z
    .enum(["http", "kubernetes.io/h2c"])
    .default("http")
    .describe("Protocol of the model servers."),
  endpointPickerRef: EndpointPickerRef.optional().describe(
    "Service that picks the pod of a request.",
  ),
});

/**
 * The spec as programs and rules read it: fields that only a newer schema knows are passed over, and those that a reader
 * does not need may be absent.
 */
export const readablePoolSpec = z.looseObject({
  selector: z.looseObject({ matchLabels: z.record(z.string(), z.string()).optional() }).optional(),
  targetPorts: z.array(z.looseObject({ number: portNumber })).optional(),
  appProtocol: z.string().max(63).optional(),
  endpointPickerRef: z
    .looseObject({
      name: z.string().max(253),
      kind: z.string().optional(),
      group: z.string().optional(),
      port: z.looseObject({ number: portNumber.optional() }).optional(),
    })
    .optional(),
});

/** The picker that an InferencePool names; undefined where there is none to read. */
export const pickerOfPool = (pool: unknown) =>
  readablePoolSpec.safeParse((pool as { spec?: unknown } | undefined)?.spec).data
    ?.endpointPickerRef;

/** `domain/path` of a controller. */
export const controllerName = z
  .string()
  .min(1)
  .max(253)
  .regex(
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/,
  );

/** What a parent, a Gateway for example, says of a pool or of an import. */
export const parentStatus = z.strictObject({
  parentRef: z.strictObject({
    group: apiGroup.default(groups.gateway),
    kind: kindName.default("Gateway"),
    name: objectName,
    namespace: namespaceName.optional(),
  }),
  controllerName: controllerName.optional(),
  conditions: conditions.max(8).optional(),
});

export const InferencePoolParentStatus = parentStatus.extend({
  conditions: parentStatus.shape.conditions.describe("Accepted, ResolvedRefs."),
});

export const InferencePoolStatus = z.strictObject({
  parents: z
    .array(InferencePoolParentStatus)
    .max(32)
    .meta({ "x-kubernetes-list-type": "atomic" })
    .optional(),
});
