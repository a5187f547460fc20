import { podPluginWebhookName } from "../../../sdk/names.ts";
import { podPluginWebhookPort } from "../../../sdk/topology/runtime-ports.ts";
import type { FlagTable, FlagValues } from "../../manager/flags/command-line.ts";
import { duration } from "../../manager/flags/duration.ts";
import { listOf, offByDefault, port, textOf } from "../../manager/flags/flag-type.ts";
import { kubeconfigFlag, operationsFlags } from "../../manager/flags/operations.ts";

/** Kubernetes' StatefulSet controller, with its own account or the shared account of all controllers. */
const defaultPodCreators: readonly string[] = [
  "system:serviceaccount:kube-system:statefulset-controller",
  "system:kube-controller-manager",
];

export const flags = {
  cluster: {
    title: "Cluster",
    flags: {
      namespaces: {
        name: "namespaces",
        summary: "Namespaces whose pods get plugins. Without the flag, all namespaces.",
        type: listOf(textOf("NAMESPACE")),
      },
      kubeconfig: kubeconfigFlag,
      namespace: {
        name: "namespace",
        summary:
          "Namespace of the Secret and the Lease. Without the flag: $NAMESPACE, otherwise default.",
        type: textOf("NAMESPACE"),
      },
    },
  },
  plugins: {
    title: "Plugins",
    flags: {
      enableWebhooks: offByDefault(
        "enable-webhook-plugins",
        "Whether plugins of type Webhook run. Needs --webhook-plugin-urls.",
      ),
      urls: {
        name: "webhook-plugin-urls",
        summary:
          "HTTPS URLs that those plugins may call. A URL that ends in / includes every URL below it.",
        type: listOf(textOf("URL")),
      },
      modules: {
        name: "plugin-modules",
        summary: "JavaScript modules whose default export is a list of plugins.",
        type: listOf(textOf("FILE")),
      },
    },
  },
  callers: {
    title: "Who asks",
    flags: {
      clientCaFile: {
        name: "client-ca-file",
        summary:
          "CA certificates. Callers (API servers) must present a certificate that one of these CAs signed. Without the flag, every caller is served.",
        type: textOf("FILE"),
      },
      podCreators: {
        name: "pod-creators",
        summary:
          "Users that create the pods of LeaderWorkerSets. Plugins do not run for pods of other users.",
        type: listOf(textOf("USER")),
        default: defaultPodCreators,
      },
    },
  },
  serving: {
    title: "Serving",
    flags: {
      port: {
        name: "port",
        summary: "Port of the webhook.",
        type: port,
        default: podPluginWebhookPort,
      },
      hostname: {
        name: "certificate-hostname",
        summary: `Name in the certificate. Without the flag: ${podPluginWebhookName}.NAMESPACE.svc.`,
        type: textOf("NAME"),
      },
      lifetimeMs: {
        name: "certificate-lifetime",
        summary: "Lifetime of a certificate. It is renewed when a third of it is left.",
        type: duration,
        default: 90 * 24 * 3_600_000,
      },
      certificateCheckIntervalMs: {
        name: "certificate-check-interval",
        summary: "Interval for checking the certificate.",
        type: duration,
        default: 10_000,
      },
    },
  },
  operations: operationsFlags("/metrics"),
} satisfies FlagTable;

export type Values = FlagValues<typeof flags>;
