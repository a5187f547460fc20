import { z } from "zod";
import { named, plainBecause, typed, words } from "./argument.ts";

/**
 * Entries of `plugins[]`, in the words of the ModelServing plugin framework: name, type, config, scope. What it
 * leaves open, where a Webhook is reached and what happens while it does not answer, stands in `webhook`.
 */

const PodPluginType = words("PodPluginType", "The place of a pod plugin's code.", {
  BuiltIn: ["BuiltIn", "The code is in this project or in the program."],
  Webhook: ["Webhook", "The code is behind an HTTPS address."],
});

const PodPluginTarget = words("PodPluginTarget", "Which pods of a replica a plugin sees.", {
  Entry: ["Entry", "The leader, or the only pod."],
  Worker: ["Worker", "The other pods."],
  All: ["All", "All pods."],
});

/** Hooks of the interface, version v1alpha1. */
const PodHook = words("PodHook", "When a pod plugin is called.", {
  OnPodCreate: [
    "OnPodCreate",
    "Before a pod exists; what the plugin changes is in the pod from the start.",
  ],
  OnPodReady: ["OnPodReady", "Each time a pod becomes ready."],
});
export const podHooks = PodHook.options;

const PodPluginFailurePolicy = words(
  "PodPluginFailurePolicy",
  "How a pod is handled if a Webhook does not respond.",
  {
    Fail: ["Fail", "The pod is not created, and its controller tries again."],
    Ignore: ["Ignore", "The pod is created without the plugin."],
  },
);

export type PodPluginTarget = z.infer<typeof PodPluginTarget>;
export type PodHook = z.infer<typeof PodHook>;

const Scope = named(
  "PodPluginScope",
  z.strictObject({
    roles: z
      .array(z.string())
      .min(1)
      .optional()
      .describe(
        "Names of the roles whose pods the plugin sees; the list of a role has none. Default: all that run an engine.",
      ),
    target: PodPluginTarget.default("All").describe(
      "Whether the plugin sees leaders and single pods, the other pods of replicas, or both.",
    ),
  }),
).describe("The pods that a plugin sees.");

const Webhook = named(
  "PodPluginWebhook",
  z.strictObject({
    url: z
      .string()
      .min(1)
      .describe(
        "The HTTPS address that takes hook requests; stack configuration pulumi-inference:podPluginUrls lists the allowed ones.",
      ),
    hooks: z
      .array(PodHook)
      .min(1)
      .default(["OnPodCreate"])
      .describe("When the endpoint is called."),
    failurePolicy: PodPluginFailurePolicy.default("Fail").describe(
      "What becomes of a pod when the call fails.",
    ),
    timeoutSeconds: z
      .int()
      .min(1)
      .max(10)
      .default(3)
      .describe("Seconds that one call may take, 1 to 10."),
    caBundle: z
      .string()
      .min(1)
      .optional()
      .describe("PEM certificates that sign the endpoint's. Default: those of the system."),
  }),
).describe("An endpoint that is called as pods are created or become ready.");

export const PodPluginEntry = named(
  "PodPlugin",
  z.strictObject({
    name: z
      .string()
      .min(1)
      .describe(
        "The name of a built-in plugin or of one of the program's own; that of a Webhook is any DNS label.",
      ),
    type: PodPluginType.default("BuiltIn").describe(
      "Whether the plugin is code of this project or of the program, or an HTTPS endpoint where that is enabled.",
    ),
    config: typed("pulumi.Inputs", z.record(z.string(), z.unknown()))
      .optional()
      .describe("Settings by the plugin's own schema; a Webhook is sent them as they are."),
    scope: Scope.prefault({}).describe(
      "The pods that the plugin sees. Default: all that run an engine.",
    ),
    webhook: Webhook.optional().describe(
      "A plugin of type Webhook: the address that is asked, and what becomes of pods while it does not answer.",
    ),
  }),
).describe("A plugin that customises pods.");

export const PodPlugins = plainBecause(
  "plugins run while the pods are planned",
  z.array(PodPluginEntry),
);

/** An entry as parsed: defaults are filled in. */
export type PodPluginEntry = z.infer<typeof PodPluginEntry>;
export type WebhookSettings = z.infer<typeof Webhook>;
