import { podPluginWebhookPort } from "../../../sdk/plan/pod-plugin-webhook-port.ts";
import { podPluginWebhookName } from "../../../sdk/topology/names.ts";
import { type FlagTable, parseCommandLine } from "../../manager/flags/command-line.ts";
import { duration } from "../../manager/flags/duration.ts";
import { boolean, listOf, port, textOf } from "../../manager/flags/flag-type.ts";
import { flagHelp } from "../../manager/flags/help.ts";
import { kubeconfigFlag, operationsFlags } from "../../manager/flags/operations.ts";
import type { NothingToRun } from "../../manager/program.ts";

/** Kubernetes' controller of StatefulSets, by its own account or that of all controllers together. */
const defaultPodCreators: readonly string[] = [
  "system:serviceaccount:kube-system:statefulset-controller",
  "system:kube-controller-manager",
];

const flagTable = {
  namespaces: {
    name: "namespaces",
    group: "Cluster",
    summary: "Namespaces whose pods have plugins. Without the flag those of all namespaces.",
    type: listOf(textOf("NAMESPACE")),
    default: undefined,
  },
  kubeconfig: kubeconfigFlag,
  namespace: {
    name: "namespace",
    group: "Cluster",
    summary:
      "Namespace of the Secret and the Lease; without the flag that of the environment variable NAMESPACE, else default.",
    type: textOf("NAMESPACE"),
    default: undefined,
  },
  enableWebhooks: {
    name: "enable-webhook-plugins",
    group: "Plugins",
    summary: "Whether plugins of type Webhook run. Needs --webhook-plugin-urls.",
    type: boolean,
    default: false,
  },
  urls: {
    name: "webhook-plugin-urls",
    group: "Plugins",
    summary: "HTTPS URLs that those plugins may call; one that ends in / stands for all below it.",
    type: listOf(textOf("URL")),
    default: undefined,
  },
  modules: {
    name: "plugin-modules",
    group: "Plugins",
    summary: "JavaScript modules whose default export is a list of plugins.",
    type: listOf(textOf("FILE")),
    default: undefined,
  },
  clientCaFile: {
    name: "client-ca-file",
    group: "Who asks",
    summary:
      "Certificates of the CAs that API servers must have a certificate of, to be asked by nobody else. Without the flag whoever reaches the port is answered.",
    type: textOf("FILE"),
    default: undefined,
  },
  podCreators: {
    name: "pod-creators",
    group: "Who asks",
    summary: "Users that make the pods of LeaderWorkerSets; no plugin runs for pods of others.",
    type: listOf(textOf("USER")),
    default: defaultPodCreators,
  },
  port: {
    name: "port",
    group: "Operations",
    summary: "Port of the webhook.",
    type: port,
    default: podPluginWebhookPort,
  },
  hostname: {
    name: "certificate-hostname",
    group: "Operations",
    summary: `Name in the certificate. Without the flag ${podPluginWebhookName}.NAMESPACE.svc.`,
    type: textOf("NAME"),
    default: undefined,
  },
  lifetime: {
    name: "certificate-lifetime",
    group: "Operations",
    summary: "Life of a certificate; it is renewed when a third of it is left.",
    type: duration,
    default: 90 * 24 * 3_600_000,
  },
  certificateInterval: {
    name: "certificate-interval",
    group: "Operations",
    summary: "How often the certificate is looked at.",
    type: duration,
    default: 10_000,
  },
  ...operationsFlags("/metrics"),
} satisfies FlagTable;

/** What the flags ask for. Durations in milliseconds. */
export interface WebhookFlags {
  /** Undefined for all. */
  readonly namespaces: readonly string[] | undefined;
  readonly kubeconfig: string | undefined;
  readonly namespace: string;
  /** URLs that plugins of type Webhook may call; undefined where the type is off. */
  readonly webhookUrls: readonly string[] | undefined;
  readonly modules: readonly string[];
  /** File of the CAs of API servers; undefined where anybody may ask. */
  readonly clientCaFile: string | undefined;
  readonly podCreators: readonly string[];
  readonly port: number;
  readonly hostname: string;
  readonly lifetime: number;
  readonly certificateInterval: number;
  readonly metricsPort: number;
  readonly metricsAuth: boolean;
  readonly healthPort: number;
  readonly verbosity: number;
}

/** What a command line turns out to be. */
export type Invocation = { readonly kind: "run"; readonly flags: WebhookFlags } | NothingToRun;

/** Reads the command line of `pod-plugin-webhook`. */
export function readFlags(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Invocation {
  const { values, help, problems } = parseCommandLine(flagTable, args);
  if (help) return { kind: "help", text: helpText() };
  const { enableWebhooks, urls, modules = [], namespace, hostname, ...flags } = values;
  const wrong = [
    ...problems,
    ...(enableWebhooks && urls === undefined
      ? ["--enable-webhook-plugins: give --webhook-plugin-urls, the URLs that may be called"]
      : []),
    ...(!enableWebhooks && urls !== undefined
      ? ["--webhook-plugin-urls: give --enable-webhook-plugins too, or leave it out"]
      : []),
    ...(urls ?? []).flatMap((url) =>
      URL.canParse(url) && new URL(url).protocol === "https:"
        ? []
        : [`--webhook-plugin-urls: ${JSON.stringify(url)} was given; give https URLs`],
    ),
  ];
  if (wrong.length > 0) return { kind: "wrong", problems: wrong };
  const own = namespace ?? (env.NAMESPACE || "default");
  return {
    kind: "run",
    flags: {
      ...flags,
      modules,
      namespace: own,
      hostname: hostname ?? `${podPluginWebhookName}.${own}.svc`,
      webhookUrls: enableWebhooks ? urls : undefined,
    },
  };
}

const helpText = () => `Runs pod plugins in the cluster: as a mutating webhook on pods that are
created, and as a controller when they become ready.

Usage: pod-plugin-webhook [flags]

${flagHelp(flagTable)}`;
