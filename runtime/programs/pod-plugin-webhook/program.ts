import { podPluginWebhookName } from "../../../sdk/names.ts";
import type { Environment, Program } from "../../manager/program.ts";
import { flags, type Values } from "./flags.ts";

/** Settings from flags and the environment. */
export type WebhookOptions = ReturnType<typeof options>;

function options({ cluster, plugins, callers, serving, operations }: Values, env: Environment) {
  const namespace = cluster.namespace ?? (env.NAMESPACE || "default");
  return {
    ...cluster,
    namespace,
    ...callers,
    modules: plugins.modules ?? [],
    /** URLs that plugins of type Webhook may call; undefined if the type is disabled. */
    webhookUrls: plugins.enableWebhooks ? plugins.urls : undefined,
    ...serving,
    hostname: serving.hostname ?? `${podPluginWebhookName}.${namespace}.svc`,
    operations,
    verbosity: operations.verbosity,
  };
}

export const program: Program<typeof flags, WebhookOptions> = {
  name: "pod-plugin-webhook",
  title: "the webhook",
  summary: `Runs pod plugins in the cluster: as a mutating webhook on pods that are
created, and as a controller when they become ready.`,
  flags,
  problems: ({ plugins: { enableWebhooks, urls } }) => [
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
  ],
  options,
  start: async (options, log) => (await import("./start.ts")).startPodPluginWebhook(options, log),
};
