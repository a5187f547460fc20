import type { KubeConfig } from "@kubernetes/client-node";
import { newKubeConfig } from "../../engine/kubernetes/kube-config.ts";
import { Misuse } from "../exit-code.ts";
import type { ClusterOptions } from "../options.ts";

/** What the client library assumes where it finds no kubeconfig. */
const guessedServer = "http://localhost:8080";

/** The kubeconfig that the options name, its current context set to the one they name. */
export function loadKubeconfig({ kubeconfig, context }: ClusterOptions): KubeConfig {
  const config = clientLibrary();
  try {
    if (kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
  } catch (error) {
    throw new Misuse(`kubeconfig ${sourceOf(kubeconfig)}: ${reasonOf(error as Error)}`);
  }
  if (kubeconfig === undefined && config.getCurrentCluster()?.server === guessedServer) {
    throw new Misuse("no kubeconfig: name one with --kubeconfig or KUBECONFIG");
  }
  if (context !== undefined) config.setCurrentContext(context);
  const current = config.getCurrentContext();
  if (config.getContextObject(current) === null || config.getCurrentCluster() === null) {
    const names = config.getContexts().map(({ name }) => name);
    const given = current ? `has no context ${JSON.stringify(current)}` : "has no current context";
    throw new Misuse(`kubeconfig ${given}; it has ${names.join(", ") || "none"}`);
  }
  return config;
}

/** @throws Misuse where the library cannot run on this Node.js */
function clientLibrary(): KubeConfig {
  try {
    return newKubeConfig();
  } catch (error) {
    throw new Misuse((error as Error).message);
  }
}

/** Where a kubeconfig was looked for. */
const sourceOf = (kubeconfig: string | undefined): string =>
  kubeconfig ??
  (process.env.KUBECONFIG === undefined
    ? "~/.kube/config"
    : `${process.env.KUBECONFIG} (of KUBECONFIG)`);

const reasonOf = ({ message }: Error): string =>
  message.includes("input is empty")
    ? "is empty; name another with --kubeconfig or KUBECONFIG"
    : message;

/** The namespace that the options name, else that of the context. */
export function namespaceOf(config: KubeConfig, { namespace }: ClusterOptions): string {
  return namespace ?? config.getContextObject(config.getCurrentContext())?.namespace ?? "default";
}
