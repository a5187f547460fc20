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
  /** Roles whose pods the plugin sees. Default: all that run an engine. */
  roles: z.array(z.string()).min(1).optional(),
  /** Entry: the leader of a replica, or its only pod. Worker: the others. */
  target: z.enum(podPluginTargets).default("All"),
});

const Webhook = z.strictObject({
  /** HTTPS address that takes hook requests; must be on the list of allowed ones. */
  url: z.string().min(1),
  hooks: z.array(z.enum(podHooks)).min(1).default(["OnPodCreate"]),
  /** What becomes of a pod when the plugin fails. Fail: it is not made. Ignore: it is made without the plugin. */
  failurePolicy: z.enum(podPluginFailurePolicies).default("Fail"),
  /** Seconds that one call may take. */
  timeoutSeconds: z.int().min(1).max(10).default(3),
  /** PEM certificates that sign the endpoint's. Default: those of the system. */
  caBundle: z.string().min(1).optional(),
});

export const PodPluginEntry = z.strictObject({
  /** Of a built-in plugin or one of the program's own; of a Webhook any DNS label. */
  name: z.string().min(1),
  /** BuiltIn: code of this project or of the program. Webhook: an HTTPS endpoint, where it is enabled. */
  type: z.enum(podPluginTypes).default("BuiltIn"),
  /** What the plugin's own schema says; of a Webhook anything, which it is sent. */
  config: z.record(z.string(), z.unknown()).optional(),
  scope: Scope.prefault({}),
  webhook: Webhook.optional(),
});

export const PodPlugins = z.array(PodPluginEntry);

/** An entry as parsed: defaults are filled in. */
export type PodPluginEntry = z.infer<typeof PodPluginEntry>;
export type WebhookSettings = z.infer<typeof Webhook>;
