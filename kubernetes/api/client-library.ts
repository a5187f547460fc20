import { createRequire } from "node:module";
import type { KubeConfig, PortForward } from "@kubernetes/client-node";

const require = createRequire(import.meta.url);

/**
 * Returns an empty kubeconfig of the Kubernetes client library. The first call loads the library, because it needs a
 * newer Node.js than programs and previews without a cluster do. Bundled programs import it themselves.
 */
export function newKubeConfig(): KubeConfig {
  return new (clientLibrary().KubeConfig)();
}

/** Returns a forwarder of ports of the library that read the kubeconfig. */
export function newPortForward(config: KubeConfig): PortForward {
  return new (clientLibrary().PortForward)(config);
}

function clientLibrary(): typeof import("@kubernetes/client-node") {
  try {
    return require("@kubernetes/client-node");
  } catch (cause) {
    const needed =
      "access to a cluster needs Node.js 22.19 or later, for the Kubernetes client library";
    throw new Error(`${needed}; this is ${process.version}`, { cause });
  }
}
