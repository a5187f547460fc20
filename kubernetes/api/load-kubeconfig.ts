import { KubeConfig } from "@kubernetes/client-node";
import { readKubeconfig } from "./kubeconfig.ts";

export interface KubeConfigOptions {
  /**
   * Path of a kubeconfig file. Default: the files of the environment variable KUBECONFIG, otherwise the service
   * account if this is a pod, otherwise ~/.kube/config.
   */
  readonly file?: string | undefined;
  /** Context of the file. Default: its current context. */
  readonly context?: string | undefined;
}

/** Reads the API server's address and the credentials, for programs that are bundled with the client library. */
export const loadKubeConfig = ({ file, context }: KubeConfigOptions = {}): KubeConfig =>
  readKubeconfig(new KubeConfig(), { kubeconfig: file, context, inCluster: true });
