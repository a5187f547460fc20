import * as pulumi from "@pulumi/pulumi";
import { formatPluginReports } from "../sdk/plan/workloads/plugin-report.ts";
import type { PluginReport } from "../sdk/plan/workloads/pod-plugins.ts";
import type { PodPlugin } from "../sdk/plugins/pod-plugin.ts";
import { type PodPluginSupport, podPluginRegistry } from "../sdk/plugins/registry.ts";
import { stackSetting } from "./arguments/read-args.ts";
import { readable } from "./base/namespace.ts";

/**
 * Returns the plugins that a component may use: the built-in ones, the program's, and Webhooks whose URLs are listed,
 * separated by commas, in stack configuration `pulumi-inference:podPluginUrls`.
 */
export function podPluginSupport(own: readonly PodPlugin[] = []): PodPluginSupport {
  const urls = stackSetting("podPluginUrls");
  return {
    registry: podPluginRegistry(own),
    webhookUrls: urls
      ?.split(",")
      .map((url) => url.trim())
      .filter((url) => url !== ""),
  };
}

/** Logs, in previews only, the changes that each plugin makes to pod templates. */
export function logPluginReports(
  component: pulumi.Resource,
  reports: readonly PluginReport[],
): void {
  if (!pulumi.runtime.isDryRun()) return;
  for (const text of formatPluginReports(reports)) void pulumi.log.info(readable(text), component);
}
