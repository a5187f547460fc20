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
 * InferencePool, inference.networking.k8s.io/v1: model server pods behind one endpoint picker. Fields, defaults and
 * limits equal the upstream CRD's (gateway-api-inference-extension, api/v1).
 */
export const inferencePool = defineKind({
  group: groups.inference,
  version: "v1",
  kind: "InferencePool",
  plural: "inferencepools",
  scope: "Namespaced",
  readiness: {
    // A parent has accepted it; each parent has separate conditions.
    waitFor:
      'jsonpath={.status.parents[?@.conditions[?@.type == "Accepted" && @.status == "True"]]}',
  },
});

const port = z.strictObject({ number: portNumber });

export const EndpointPickerRef = z
  .strictObject({
    group: apiGroup.default("").describe("API group of the picker. Default: the core group."),
    kind: kindName.default("Service").describe("Kind of the picker."),
    name: objectName,
    port: port.optional().describe("Port of the picker. Required for a Service."),
    failureMode: z
      .enum(["FailClose", "FailOpen"])
      .default("FailClose")
      .describe(
        "Whether requests are rejected or sent to any pod while the picker does not respond.",
      ),
  })
  .meta({
    "x-kubernetes-validations": [
      {
        rule: "self.kind != 'Service' || has(self.port)",
        message: "an endpoint picker of kind Service needs a port",
      },
    ],
  });

export const AppProtocol = z.enum(["http", "kubernetes.io/h2c"]);

/** Protocol of a pool's model servers. gRPC needs `kubernetes.io/h2c`, HTTP/2 without TLS. */
export type AppProtocol = z.infer<typeof AppProtocol>;

export const InferencePoolSpec = z.strictObject({
  selector: z
    .strictObject({
      matchLabels: z.record(z.string(), labelValue).meta({ minProperties: 1, maxProperties: 64 }),
    })
    .describe("Labels that select the pods of the pool."),
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
  appProtocol: AppProtocol.default("http").describe("Protocol of the model servers."),
  endpointPickerRef: EndpointPickerRef.optional().describe(
    "Service of the endpoint picker, which selects the pod of each request.",
  ),
});

/**
 * Spec as programs and rules read it. Fields of newer schemas are ignored, and fields that no reader needs may be
 * absent.
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

/** Returns the reference to the picker of an InferencePool; undefined if it has none. */
export const pickerOfPool = (pool: unknown) =>
  readablePoolSpec.safeParse((pool as { spec?: unknown } | undefined)?.spec).data
    ?.endpointPickerRef;

/** Name of a controller, as `domain/path`. */
export const controllerName = z
  .string()
  .min(1)
  .max(253)
  .regex(
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/,
  );

/** Status that a parent, such as a Gateway, reports for a pool or an import. */
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
