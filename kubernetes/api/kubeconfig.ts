import { KubeConfig } from "@kubernetes/client-node";

export interface KubeConfigOptions {
  /**
   * Path of a kubeconfig file. Default: the files of the environment variable KUBECONFIG, else the service account
   * where this is a pod, else ~/.kube/config.
   */
  readonly file?: string | undefined;
  /** Context of the file. Default: its current context. */
  readonly context?: string | undefined;
}

/** Where the API server is and how to prove who asks. Throws where the file or the context does not exist. */
export function loadKubeConfig(options: KubeConfigOptions = {}): KubeConfig {
  try {
    return load(options);
  } catch (cause) {
    // Entries that are no objects, for example.
    if (!(cause instanceof TypeError)) throw cause;
    throw new Error(`${options.file ?? "kubeconfig"}: not as a kubeconfig is`, { cause });
  }
}

function load({ file, context }: KubeConfigOptions): KubeConfig {
  const config = new KubeConfig();
  if (file !== undefined) config.loadFromFile(file);
  else if (process.env.KUBERNETES_SERVICE_HOST && !process.env.KUBECONFIG) config.loadFromCluster();
  else config.loadFromDefault();
  if (context !== undefined) config.setCurrentContext(context);
  if (config.getCurrentCluster() === null) {
    const known = config.getContexts().map(({ name }) => name);
    throw new Error(
      `${file ?? "kubeconfig"}: no context ${JSON.stringify(config.getCurrentContext())}; ` +
        `it has ${known.length === 0 ? "none" : known.join(", ")}`,
    );
  }
  return config;
}
