import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { stringify } from "yaml";
import { selfSignedCertificate } from "../../runtime/manager/tls/self-signed.ts";
import { accountKubeconfig } from "../api/account-kubeconfig.ts";
import { type Cluster, startCluster } from "../api/api-server.ts";
import { crdsWithOwn } from "../api/install-crds.ts";
import { type PickerProcess, startRuntime } from "../pods/picker-process.ts";
import { type Stoppable, stopAll } from "../processes/stop-all.ts";
import { type StandIns, type StandInsOptions, startStandIns } from "../stand-ins/start.ts";

/** Clusters whose pods have addresses of their own, and a hub; their data is in one etcd. */
export interface TestClusterSet {
  readonly hub: Cluster;
  readonly members: ReadonlyMap<string, Cluster>;
  /** Kubeconfig with a context for each member, and one for `hub`. */
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

export interface TestClusterSetOptions {
  readonly members: readonly string[];
  /** For files. */
  readonly folder: string;
  /** Created in every cluster, in addition to `default`. */
  readonly namespaces?: readonly string[];
  readonly standIns?: StandInsOptions;
}

export async function startClusterSet({
  members: names,
  folder,
  namespaces = [],
  standIns = {},
}: TestClusterSetOptions): Promise<TestClusterSet> {
  const running: Stoppable[] = [];
  const stop = () => stopAll(running);
  try {
    const crds = await crdsWithOwn();
    const hub = await startCluster({ crds });
    running.push(hub);
    const members = new Map<string, Cluster>();
    for (const name of names) {
      const cluster = await startCluster({ crds, etcd: { url: hub.etcd, prefix: `/${name}` } });
      running.push(cluster);
      members.set(name, cluster);
    }
    const all = [hub, ...members.values()];
    for (const cluster of all)
      for (const name of namespaces)
        await cluster.request("POST", "/api/v1/namespaces", {
          apiVersion: "v1",
          kind: "Namespace",
          metadata: { name },
        });
    for (const cluster of all) {
      const started: StandIns = await startStandIns(cluster, { tickMs: 20, ...standIns });
      running.push(started);
    }
    const kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, contextsOf({ hub, ...Object.fromEntries(members) }), { mode: 0o600 });
    return { hub, members, kubeconfig, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function contextsOf(clusters: Readonly<Record<string, Cluster>>): string {
  const config = new KubeConfig();
  for (const [name, { kubeconfig }] of Object.entries(clusters)) {
    const one = new KubeConfig();
    one.loadFromFile(kubeconfig);
    const [cluster, user] = [one.getCurrentCluster(), one.getCurrentUser()];
    if (cluster === null || user === null) throw new Error(`${kubeconfig} names no cluster`);
    config.addCluster({ ...cluster, name });
    config.addUser({ ...user, name });
    config.addContext({ name, cluster: name, user: name });
  }
  return config.exportConfig();
}

/**
 * Writes a certificate for the pickers of a pool into a Secret of every member, and the ConfigMap by which the other
 * members verify it, as a certificate authority would.
 */
export async function giveCertificates(
  { members }: TestClusterSet,
  { hostname, secret, configMap }: Record<"hostname" | "secret" | "configMap", string>,
): Promise<void> {
  const { cert, key } = selfSignedCertificate(hostname, new Date());
  const base64 = (text: Buffer | string) => Buffer.from(text).toString("base64");
  for (const cluster of members.values()) {
    await cluster.request("POST", "/api/v1/namespaces/default/secrets", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: secret },
      type: "kubernetes.io/tls",
      data: { "tls.crt": base64(cert), "tls.key": base64(key) },
    });
    await cluster.request("POST", "/api/v1/namespaces/default/configmaps", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: configMap },
      data: { "ca.crt": cert.toString() },
    });
  }
}

const controller = "inference-multi-cluster-controller";

/** The controller of a ClusterSet as its Deployment starts it, with the permissions that the set's members give it. */
export async function startSetController(
  { hub, members }: TestClusterSet,
  namespace: string,
  folder: string,
): Promise<PickerProcess> {
  const deployment = await hub.request<DeployedController>(
    "GET",
    `/apis/apps/v1/namespaces/${namespace}/deployments/${controller}`,
  );
  const [program = "", ...args] = deployment.spec.template.spec.containers[0]?.args ?? [];
  const identityIn = (place: string, { kubeconfig }: Cluster) =>
    accountKubeconfig({ kubeconfig, namespace, folder: join(folder, place) }, controller);
  const membersFile = join(folder, "members.yaml");
  const entries: Array<{ name: string; kubeconfig: string }> = [];
  for (const [name, cluster] of members)
    entries.push({ name, kubeconfig: await identityIn(`member-${name}`, cluster) });
  writeFileSync(membersFile, stringify({ members: entries }));
  return startRuntime(program, {
    args: [
      ...args.filter((argument) => !argument.startsWith("--members-file=")),
      ...[`--members-file=${membersFile}`, "--metrics-port=0", "--health-port=0"],
      "--metrics-endpoint-auth=false",
    ],
    env: { KUBECONFIG: await identityIn("hub", hub) },
  });
}

interface DeployedController {
  readonly spec: {
    readonly template: {
      readonly spec: { readonly containers: ReadonlyArray<{ readonly args: readonly string[] }> };
    };
  };
}
