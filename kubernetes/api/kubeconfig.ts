import { existsSync } from "node:fs";
import type { KubeConfig } from "@kubernetes/client-node";
import { isMap, messageOf } from "../values/records.ts";

/** The cluster and the credentials to use. */
export interface KubeconfigChoice {
  /** Path of a kubeconfig, its text or its value. Default: the files of KUBECONFIG, otherwise ~/.kube/config. */
  readonly kubeconfig?: unknown;
  /** Default: the kubeconfig's current context. */
  readonly context?: string | undefined;
  /** Name of the kubeconfig's cluster. Default: the context's cluster. */
  readonly cluster?: string | undefined;
  /** Whether a pod's service account is used if no kubeconfig is given. Default false. */
  readonly inCluster?: boolean;
  /** Fix for a missing kubeconfig, as the end of a sentence. */
  readonly advice?: string;
}

/** A kubeconfig that cannot be read, or that lacks the requested context or cluster. */
export class KubeconfigError extends Error {
  override readonly name = "KubeconfigError";
}

/**
 * Fills an empty KubeConfig of the client library, which runs exec plugins, refreshes tokens and reads certificates.
 *
 * @throws KubeconfigError if there is no kubeconfig, if it cannot be read, or if it lacks the context
 */
export function readKubeconfig(config: KubeConfig, choice: KubeconfigChoice): KubeConfig {
  const { kubeconfig, context, cluster, advice = "use another kubeconfig" } = choice;
  const location = locationOf(kubeconfig);
  try {
    load(config, choice);
  } catch (error) {
    if (error instanceof KubeconfigError) throw error;
    const message = messageOf(error);
    // Entries that are not objects cause a TypeError.
    const why = error instanceof TypeError ? "is not a valid kubeconfig" : message;
    const known = isNoFile(error) ? `no such file; ${advice}` : why;
    const reason = message.includes("input is empty") ? `is empty; ${advice}` : known;
    throw new KubeconfigError(`${location}: ${reason}`, { cause: error });
  }
  if (kubeconfig === undefined && config.getCurrentCluster()?.server === guessedServer)
    throw new KubeconfigError(
      `no kubeconfig: neither KUBECONFIG nor ~/.kube/config names a cluster; ${advice}`,
    );
  if (context !== undefined) config.setCurrentContext(context);
  const current = config.getCurrentContext();
  if (cluster !== undefined)
    config.contexts = config.contexts.map((each) =>
      each.name === current ? { ...each, cluster } : each,
    );
  if (config.getCurrentCluster() !== null) return config;
  const names = config.getContexts().map(({ name }) => name);
  const missing = current ? `no context ${JSON.stringify(current)}` : "no current context";
  throw new KubeconfigError(`${location} has ${missing}; it has ${names.join(", ") || "none"}`);
}

const isNoFile = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

/** Server that the client library assumes if it finds no kubeconfig. */
const guessedServer = "http://localhost:8080";

function load(config: KubeConfig, { kubeconfig, inCluster = false }: KubeconfigChoice): void {
  const { KUBECONFIG, KUBERNETES_SERVICE_HOST } = process.env;
  if (kubeconfig !== undefined) {
    if (isMap(kubeconfig)) config.loadFromString(JSON.stringify(kubeconfig));
    else if (isText(String(kubeconfig))) config.loadFromString(String(kubeconfig));
    else loadFile(config, String(kubeconfig));
  } else if (inCluster && KUBERNETES_SERVICE_HOST && !KUBECONFIG) config.loadFromCluster();
  else config.loadFromDefault();
}

function loadFile(config: KubeConfig, path: string): void {
  if (!existsSync(path))
    throw new KubeconfigError(`kubeconfig ${JSON.stringify(path)}: no such file`);
  config.loadFromFile(path);
}

const isText = (kubeconfig: string) =>
  kubeconfig.includes("\n") || kubeconfig.trimStart().startsWith("{");

/** Text for the kubeconfig in messages: its files, if it has any. */
function locationOf(kubeconfig: unknown): string {
  if (kubeconfig === undefined) {
    const { KUBECONFIG } = process.env;
    return KUBECONFIG === undefined
      ? "kubeconfig ~/.kube/config"
      : `kubeconfig ${KUBECONFIG} (from KUBECONFIG)`;
  }
  return typeof kubeconfig === "string" && !isText(kubeconfig)
    ? `kubeconfig ${kubeconfig}`
    : "the kubeconfig";
}
