import type { KubeConfig } from "@kubernetes/client-node";
import { newKubeConfig } from "../../kubernetes/api/client-library.ts";
import { readKubeconfig } from "../../kubernetes/api/kubeconfig.ts";
import { messageOf } from "../../kubernetes/values/records.ts";
import { UsageError } from "../exit-code.ts";
import type { ClusterOptions } from "../options.ts";

/**
 * Returns the kubeconfig that the options name, with their context as the current one.
 *
 * @throws UsageError if there is no kubeconfig, or if the client library cannot run on this Node.js
 */
export function loadKubeconfig({ kubeconfig, context }: ClusterOptions): KubeConfig {
  const advice = "name another with --kubeconfig or KUBECONFIG";
  try {
    return readKubeconfig(newKubeConfig(), { kubeconfig, context, advice });
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/** Returns the namespace in the options, otherwise the context's namespace. */
export function namespaceOf(config: KubeConfig, { namespace }: ClusterOptions): string {
  return namespace ?? config.getContextObject(config.getCurrentContext())?.namespace ?? "default";
}
