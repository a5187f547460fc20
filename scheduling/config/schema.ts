import { z } from "zod";
import { endpointPickerConfigVersions } from "../../kubernetes/kinds/endpoint-picker-config.ts";

/**
 * EndpointPickerConfig, llm-d.ai/v1alpha1 (llm-d-router, apix/config/v1alpha1) and v1, which has the same fields.
 * Unknown fields are refused, as upstream does: a misspelt field would otherwise silently have its default.
 */

const pluginRef = z.strictObject({ pluginRef: z.string().min(1) });
const duration = z.string();
const quantity = z.union([z.string(), z.number()]);

const band = z.strictObject({
  maxBytes: quantity.optional(),
  maxRequests: quantity.optional(),
  fairnessPolicyRef: z.string().optional(),
  orderingPolicyRef: z.string().optional(),
  defaultRequestTTL: duration.optional(),
  // Only this picker has this field.
  weight: z.number().positive().optional(),
});

const dataLayer = z.strictObject({
  injectDefaults: z.boolean().optional(),
  sources: z
    .array(
      z.strictObject({
        pluginRef: z.string().min(1),
        extractors: z.array(pluginRef).optional(),
      }),
    )
    .optional(),
  discovery: z.union([pluginRef, z.strictObject({ endpoints: pluginRef.optional() })]).optional(),
  peerDiscovery: z.unknown().optional(),
  crossReplicaSyncerPluginRef: z.string().optional(),
  crossReplicaSyncInterval: duration.optional(),
});

export const EndpointPickerConfig = z.strictObject({
  apiVersion: z.enum(endpointPickerConfigVersions),
  kind: z.literal("EndpointPickerConfig"),
  featureGates: z.array(z.string()).default([]),
  plugins: z
    .array(
      z.strictObject({
        name: z.string().optional(),
        type: z.string().min(1),
        parameters: z.record(z.string(), z.unknown()).nullish(),
      }),
    )
    .default([]),
  schedulingProfiles: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        plugins: z
          .array(
            z.strictObject({ pluginRef: z.string().min(1), weight: z.number().min(0).optional() }),
          )
          .default([]),
      }),
    )
    .default([]),
  saturationDetector: z.strictObject({ pluginRef: z.string().optional() }).optional(),
  parser: pluginRef.optional(),
  requestHandler: z.strictObject({ parsers: z.array(pluginRef).default([]) }).optional(),
  dataLayer: dataLayer.optional(),
  // Older name of dataLayer.
  data: dataLayer.optional(),
  flowControl: z
    .strictObject({
      saturationDetector: z.strictObject({ pluginRef: z.string().optional() }).optional(),
      maxBytes: quantity.optional(),
      maxRequests: quantity.optional(),
      defaultRequestTTL: duration.optional(),
      noEndpointRequestTTL: duration.optional(),
      defaultPriorityBand: band.optional(),
      defaultNegativePriorityBand: band.optional(),
      priorityBands: z.array(band.extend({ priority: z.number().int() })).optional(),
      usageLimitPolicyPluginRef: z.string().optional(),
      enableEviction: z.boolean().optional(),
      // Only this picker has this field.
      bandPolicy: z.enum(["strict", "weighted"]).optional(),
    })
    .optional(),
});

export type EndpointPickerConfig = z.infer<typeof EndpointPickerConfig>;
