import { z } from "zod";

/**
 * Entries of `plugins[]`, in the words of the ModelServing plugin framework: name, type, config, scope. What it
 * leaves open, where a Webhook is reached and what happens while it does not answer, stands in `webhook`.
 */

export const podPluginTypes = ["BuiltIn", "Webhook"] as const;
export const podPluginTargets = ["Entry", "Worker", "All"] as const;
/** Hooks of the interface, version v1alpha1. */
export const podHooks = ["OnPodCreate", "OnPodReady"] as const;
export const podPluginFailurePolicies = ["Fail", "Ignore"] as const;

export type PodPluginType = (typeof podPluginTypes)[number];
export type PodPluginTarget = (typeof podPluginTargets)[number];
export type PodHook = (typeof podHooks)[number];
export type PodPluginFailurePolicy = (typeof podPluginFailurePolicies)[number];

const Scope = z.strictObject({
  roles: z
    .array(z.string())
    .min(1)
    .optional()
    .describe("Roles whose pods the plugin sees. Default: all that run an engine."),
  /** Entry: the leader of a replica, or its only pod. Worker: the others. */
  target: z
    .enum(podPluginTargets)
    .default("All")
    .describe("Leaders, the others, or both. Default All."),
});

const Webhook = z.strictObject({
  /** Must be on the list of allowed ones. */
  url: z.string().min(1).describe("HTTPS address that takes hook requests."),
  hooks: z.array(z.enum(podHooks)).min(1).default(["OnPodCreate"]).describe("Default OnPodCreate."),
  /** What becomes of a pod when the plugin fails. Fail: it is not made. Ignore: it is made without the plugin. */
  failurePolicy: z.enum(podPluginFailurePolicies).default("Fail").describe("Default Fail."),
  timeoutSeconds: z.int().min(1).max(10).default(3).describe("Of a call. Default 3."),
  /** Default: those of the system. */
  caBundle: z.string().min(1).optional().describe("PEM certificates that sign the endpoint's."),
});

export const PodPluginEntry = z.strictObject({
  /** Of a Webhook any DNS label. */
  name: z.string().min(1).describe("Of a built-in plugin or of a program's own."),
  /** BuiltIn: code of this project or of the program. Webhook: an HTTPS endpoint, where it is enabled. */
  type: z.enum(podPluginTypes).default("BuiltIn").describe("Default BuiltIn."),
  /** Of a Webhook anything, which it is sent. */
  config: z.record(z.string(), z.unknown()).optional().describe("By the plugin's own schema."),
  scope: Scope.prefault({}),
  webhook: Webhook.optional().describe("Only for type Webhook."),
});

export const PodPlugins = z.array(PodPluginEntry);

/** An entry as parsed: defaults are filled in. */
export type PodPluginEntry = z.infer<typeof PodPluginEntry>;
export type WebhookSettings = z.infer<typeof Webhook>;
