import { z } from "zod";
import { nonEmptyText, positiveInteger } from "../../kubernetes/kinds/field-types.ts";
import { typed } from "./argument.ts";
import { leaf, templateResources } from "./resources.ts";

export const port = positiveInteger.max(65_535);

const containerPort = z.looseObject({
  name: z.string().optional(),
  containerPort: port,
  protocol: z.enum(["TCP", "UDP", "SCTP"]).optional(),
});

const container = z.looseObject({
  name: nonEmptyText,
  ports: z.array(containerPort).optional(),
  resources: templateResources.optional(),
});

/**
 * Pod template. Its metadata is kept, and its spec is sent to the API server as written. The fields listed here are
 * read and are plain unless marked otherwise; all other fields may be Outputs.
 */
export const PodTemplate = typed(
  "PodTemplateArgs",
  z.strictObject({
    metadata: z
      .looseObject({
        labels: z.record(z.string(), leaf).optional(),
        annotations: z.record(z.string(), leaf).optional(),
      })
      .optional(),
    spec: z.looseObject({
      containers: z.array(container).min(1),
      initContainers: z.array(container).optional(),
      schedulerName: z.unknown().optional(),
      priorityClassName: z.unknown().optional(),
      affinity: z.looseObject({}).optional(),
    }),
  }),
);

export type PodTemplate = z.infer<typeof PodTemplate>;
export type PodSpec = PodTemplate["spec"];
export type Container = PodSpec["containers"][number];
export type ContainerPort = z.infer<typeof containerPort>;
