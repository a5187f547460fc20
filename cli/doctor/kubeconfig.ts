import type { KubeConfig } from "@kubernetes/client-node";
import { newKubeConfig } from "../../kubernetes/api/client-library.ts";
import { readKubeconfig } from "../../kubernetes/api/kubeconfig.ts";
import { messageOf } from "../../kubernetes/values/records.ts";
import { UsageError } from "../exit-code.ts";
import type { ClusterOptions } from "../options.ts";

/**
 * The kubeconfig that the options name, its current context set to the one they name.
 *
 * @throws UsageError where there is none, and where the client library cannot run on this Node.js
 */
export function loadKubeconfig({ kubeconfig, context }: ClusterOptions): KubeConfig {
  const advice = "name another with --kubeconfig or KUBECONFIG";
  try {
    return readKubeconfig(newKubeConfig(), { kubeconfig, context, advice });
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/** The namespace that the options name, else that of the context. */
export function namespaceOf(config: KubeConfig, { namespace }: ClusterOptions): string {
  return namespace ?? config.getContextObject(config.getCurrentContext())?.namespace ?? "default";
}
