import { randomBytes } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";

/** The names of a ServiceAccount, and the file of its kubeconfig. */
export interface AccountLocation {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly folder: string;
  /** The URL of the API server. Default: the one in the kubeconfig. */
  readonly apiServer?: string;
}

/** A kubeconfig with the permissions of a ServiceAccount: path of the file. */
export async function accountKubeconfig(
  { kubeconfig, namespace, folder, apiServer }: AccountLocation,
  name: string,
): Promise<string> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Error(`${kubeconfig} names no cluster`);
  const { status } = await config
    .makeApiClient(CoreV1Api)
    .createNamespacedServiceAccountToken({ namespace, name, body: { spec: { audiences: [] } } });
  const account = new KubeConfig();
  account.loadFromClusterAndUser(
    { ...cluster, ...(apiServer !== undefined && { server: apiServer }) },
    { name, token: status?.token ?? "" },
  );
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${namespace}-${name}.kubeconfig`);
  // Programs of other pods may read the file of the account at this moment.
  const written = `${file}.${randomBytes(4).toString("hex")}`;
  writeFileSync(written, account.exportConfig(), { mode: 0o600 });
  renameSync(written, file);
  return file;
}
