import { z } from "zod";
import { nonEmptyText, positiveInteger } from "../../kubernetes/kinds/field-types.ts";
import { named, plainBecause, typed, words } from "../schemas/argument.ts";

/**
 * Entries of `plugins[]`, with the fields of the ModelServing plugin framework: name, type, config, scope. `webhook`
 * contains what the framework does not define: the URL of a Webhook, and the behaviour if it does not respond.
 */
const PodPluginType = words("PodPluginType", "Location of a pod plugin's code.", {
  BuiltIn: ["BuiltIn", "The code is part of this project or of the program."],
  Webhook: ["Webhook", "The code runs behind an HTTPS endpoint."],
});

const PodPluginTarget = words("PodPluginTarget", "Which pods of a replica a plugin customises.", {
  Entry: ["Entry", "The leader, or the only pod."],
  Worker: ["Worker", "The other pods."],
  All: ["All", "All pods."],
});

/** Hooks of the interface, version v1alpha1. */
const PodHook = words("PodHook", "When a pod plugin is called.", {
  OnPodCreate: [
    "OnPodCreate",
    "Before a pod is created, so that the pod starts with the plugin's changes.",
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
        "Names of the roles whose pods the plugin customises. Not allowed in the plugins of a role. Default: all roles that run an engine.",
      ),
    target: PodPluginTarget.default("All").describe(
      "Whether the plugin customises leaders and single pods, the other pods of replicas, or both.",
    ),
  }),
).describe("Pods that a plugin customises.");

const Webhook = named(
  "PodPluginWebhook",
  z.strictObject({
    url: nonEmptyText.describe(
      "HTTPS address that receives hook requests. Stack configuration pulumi-inference:podPluginUrls lists the allowed addresses.",
    ),
    hooks: z
      .array(PodHook)
      .min(1)
      .default(["OnPodCreate"])
      .describe("When the endpoint is called."),
    failurePolicy: PodPluginFailurePolicy.default("Fail").describe(
      "How a pod is handled if the call fails.",
    ),
    timeoutSeconds: positiveInteger
      .max(10)
      .default(3)
      .describe("Time limit of one call in seconds, 1 to 10."),
    caBundle: nonEmptyText
      .optional()
      .describe(
        "PEM certificates of the CAs that signed the endpoint's certificate. Default: the system's certificate authorities.",
      ),
  }),
).describe("Endpoint that is called when pods are created or become ready.");

export const PodPluginEntry = named(
  "PodPlugin",
  z.strictObject({
    name: nonEmptyText.describe(
      "Name of a built-in plugin or of one of the program's plugins. For a Webhook, any DNS label.",
    ),
    type: PodPluginType.default("BuiltIn").describe(
      "Whether the plugin is code of this project or the program, or an HTTPS endpoint, which must be allowed.",
    ),
    config: typed("pulumi.Inputs", z.record(z.string(), z.unknown()))
      .optional()
      .describe("Settings that the plugin's schema defines. A Webhook receives them unchanged."),
    scope: Scope.prefault({}).describe(
      "Pods that the plugin customises. Default: all pods that run an engine.",
    ),
    webhook: Webhook.optional().describe(
      "Endpoint of a plugin of type Webhook, and how pods are handled while it does not respond.",
    ),
  }),
).describe("Plugin that customises pods.");

export const PodPlugins = plainBecause(
  "plugins run while the pods are planned",
  z.array(PodPluginEntry),
);

/** Plugin entry, validated and with defaults filled in. */
export type PodPluginEntry = z.infer<typeof PodPluginEntry>;
export type WebhookSettings = z.infer<typeof Webhook>;
