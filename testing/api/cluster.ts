import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ApiClient, type Connection, connect, kubeconfigOf } from "./api-client.ts";

/** The address of an embedded cluster: plain data, so that one process can hand it to another. */
export interface ClusterAddress extends Connection {
  /** Path of a kubeconfig file of a cluster administrator. */
  kubeconfig: string;
  /** Path of the API server's audit log, where writes are recorded. */
  auditLog?: string;
}

/** An API server of our own: kube-apiserver over etcd, without controllers and nodes. */
export interface AttachedCluster extends Omit<ApiClient, "close">, ClusterAddress {
  /** The write requests so far, for tests that claim that nothing was written. */
  writes(): WriteRequest[];
  /** Ends this process's connections; the cluster keeps running. */
  detach(): void;
}

export interface Cluster extends AttachedCluster {
  /** The address of the etcd that has the data. */
  readonly etcd: string;
  /** For tests of its loss. */
  readonly apiServer: ApiServer;
  /** For tests of a restore. Only of a cluster with an etcd of its own. */
  readonly backup: Backup;
  /** Ends the processes and removes the data. */
  stop(): Promise<void>;
}

/** The process of an API server. Its address and its data outlive it. */
export interface ApiServer {
  readonly pid: number;
  /** Kills it without a graceful shutdown. */
  kill(): Promise<void>;
  /** Starts it again, and waits until it is ready. */
  start(): Promise<void>;
}

/** A copy of etcd's data directory. */
export interface Backup {
  take(): void;
  /** Kills the API server and etcd, and starts them with the copy. */
  restore(): Promise<void>;
}

/** A write request by anyone but the API server itself, noted when it arrives. */
export interface WriteRequest {
  verb: "create" | "update" | "patch" | "delete" | "deletecollection";
  /** Path and query, for example `/api/v1/namespaces/default/configmaps?fieldManager=m`. */
  uri: string;
  userAgent: string;
  dryRun: boolean;
  /** Whether the API server has answered that it created the object, which a server-side apply may do as well. */
  created: boolean;
}

export function attachCluster(address: ClusterAddress): AttachedCluster {
  const { close, ...client } = connect(address);
  return {
    ...client,
    ...address,
    writes: () => readWrites(address.auditLog),
    detach: close,
  };
}

function readWrites(log: string | undefined): WriteRequest[] {
  if (log === undefined) throw new Error("writes(): start the cluster with { recordWrites: true }");
  // The text after the last line break is still being written.
  const events = readFileSync(log, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as AuditEvent);
  const created = new Set(
    events.flatMap(({ auditID, responseStatus }) =>
      responseStatus?.code === 201 ? [auditID] : [],
    ),
  );
  return events
    .filter(({ stage }) => stage === "RequestReceived")
    .map(({ auditID, verb, requestURI, userAgent = "" }) => ({
      verb,
      uri: requestURI,
      userAgent,
      dryRun: new URL(requestURI, "https://server").searchParams.has("dryRun"),
      created: created.has(auditID),
    }));
}

interface AuditEvent {
  auditID: string;
  stage: string;
  responseStatus?: { code?: number };
  verb: WriteRequest["verb"];
  requestURI: string;
  userAgent?: string;
}

/** Writes a kubeconfig for the connection into a folder and returns its path. */
export function writeKubeconfig(folder: string, connection: Connection): string {
  const path = join(folder, "kubeconfig");
  writeFileSync(path, kubeconfigOf(connection), { mode: 0o600 });
  return path;
}

/** Makes an empty namespace, so that tests do not meet on one cluster. Returns its name. */
export async function freshNamespace(
  cluster: Pick<ApiClient, "request">,
  prefix = "test",
): Promise<string> {
  const name = `${prefix}-${randomBytes(4).toString("hex")}`;
  await cluster.request("POST", "/api/v1/namespaces", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name },
  });
  return name;
}
