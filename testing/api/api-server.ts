import { generateKeyPairSync, randomBytes } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Binaries, findBinaries } from "../processes/binaries.ts";
import { freePorts } from "../processes/free-ports.ts";
import { type ServerProcess, startServer } from "../processes/server-process.ts";
import { startWatchdog, type Watchdog } from "../processes/watchdog.ts";
import { type Connection, connect } from "./api-client.ts";
import { attachCluster, type Cluster, writeKubeconfig } from "./cluster.ts";
import { writeEstablishedCrds } from "./established-crds.ts";
import type { EtcdLocation } from "./etcd-objects.ts";
import type { Crd } from "./upstream-crds.ts";

export { type Cluster, freshNamespace } from "./cluster.ts";

export interface ClusterOptions {
  /** Executables. Default: those that findBinaries answers. */
  binaries?: Binaries;
  /** Whether the API server notes each write request, dry runs included. Default false. */
  recordWrites?: boolean;
  /** CRDs whose kinds are served from the start. Default: none. */
  crds?: readonly Crd[];
  /**
   * Keeps the data in the etcd of another cluster, apart from the data of that cluster. Default: an etcd of its own.
   */
  etcd?: EtcdLocation;
  /** Admission plugins besides the default ones, for example `PodNodeSelector`. */
  admissionPlugins?: readonly string[];
  /** File of an AdmissionConfiguration, for example with the API server's client certificate for webhooks. */
  admissionConfig?: string;
  /** How long the start may take, in milliseconds. Default 60,000. */
  timeoutMs?: number;
}

/** Starts a cluster on free ports of 127.0.0.1. Its processes and its data go with this process. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const binaries = options.binaries ?? (await findBinaries());
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnFreePorts(binaries, options);
    } catch (error) {
      // A port that was free may be taken before the server opens it.
      if (attempt === 3 || !/address already in use/.test(String(error))) throw error;
    }
  }
}

async function startOnFreePorts(binaries: Binaries, options: ClusterOptions): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-cluster-"));
  const [etcdPort, peerPort, apiPort] = (await freePorts(3)) as [number, number, number];
  const ports: Ports = { etcd: etcdPort, peer: peerPort, api: apiPort };
  const files = writeCredentials(folder, options.recordWrites ?? false);
  const watchdog = startWatchdog(folder);
  const servers: ServerProcess[] = [];
  const start = (name: string, file: string, args: string[]) => {
    const server = startServer(name, file, args, watchdog);
    servers.unshift(server);
    return server;
  };
  try {
    const etcd = options.etcd ?? { url: `http://127.0.0.1:${ports.etcd}`, prefix: "/registry" };
    const startEtcd = () =>
      start("etcd", binaries.etcd, etcdArguments(folder, ports.etcd, ports.peer));
    let ownEtcd = options.etcd === undefined ? startEtcd() : undefined;
    const whenUp = <T>(check: () => Promise<T | undefined>) =>
      whenAnswered(check, servers, options.timeoutMs ?? 60_000);
    if (options.crds !== undefined) {
      await whenUp(() => etcdAnswers(etcd.url));
      await writeEstablishedCrds(etcd, options.crds);
    }
    const startApiServer = () =>
      start(
        "kube-apiserver",
        binaries.kubeApiserver,
        apiserverArguments(files, ports.api, etcd, options),
      );
    const ready = () => whenUp(() => readyConnection(files, ports.api));
    let apiServer = startApiServer();
    const connection = await ready();
    if (options.crds !== undefined) await whenUp(() => kindsServed(connection, options.crds ?? []));
    const cluster = attachCluster({
      ...connection,
      kubeconfig: writeKubeconfig(folder, connection),
      ...(files.audit !== undefined && { auditLog: files.audit.log }),
    });
    const kill = async (server: ServerProcess) => {
      await server.stop(0);
      servers.splice(servers.indexOf(server), 1);
    };
    return {
      ...cluster,
      etcd: etcd.url,
      apiServer: {
        get pid() {
          return apiServer.pid;
        },
        kill: () => kill(apiServer),
        async start() {
          apiServer = startApiServer();
          await ready();
        },
      },
      backup: {
        take() {
          if (ownEtcd === undefined) throw new Error("the data is in another cluster's etcd");
          // A copy of a moment, as of a machine that lost its power then: etcd starts from it.
          process.kill(ownEtcd.pid, "SIGSTOP");
          cpSync(join(folder, "etcd"), join(folder, "backup"), { recursive: true });
          process.kill(ownEtcd.pid, "SIGCONT");
        },
        async restore() {
          if (ownEtcd === undefined) throw new Error("the data is in another cluster's etcd");
          await kill(apiServer);
          await kill(ownEtcd);
          rmSync(join(folder, "etcd"), { recursive: true });
          cpSync(join(folder, "backup"), join(folder, "etcd"), { recursive: true });
          ownEtcd = startEtcd();
          await whenUp(() => etcdAnswers(etcd.url));
          apiServer = startApiServer();
          await ready();
        },
      },
      async stop() {
        cluster.detach();
        await stopAll(servers, watchdog);
      },
    };
  } catch (error) {
    await stopAll(servers, watchdog);
    throw error;
  }
}

async function stopAll(servers: readonly ServerProcess[], watchdog: Watchdog): Promise<void> {
  // Their data goes with them: there is nothing to wait for.
  for (const server of servers) await server.stop(0);
  await watchdog.release();
}

interface Ports {
  etcd: number;
  peer: number;
  api: number;
}

interface CredentialFiles {
  folder: string;
  token: string;
  tokens: string;
  serviceAccountKey: string;
  certificates: string;
  audit: { policy: string; log: string } | undefined;
}

function writeCredentials(folder: string, recordWrites: boolean): CredentialFiles {
  const token = randomBytes(24).toString("hex");
  const file = (name: string, content: string) => {
    const path = join(folder, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    folder,
    token,
    tokens: file("tokens.csv", `${token},admin,admin,system:masters\n`),
    serviceAccountKey: file(
      "service-account.pem",
      privateKey.export({ type: "sec1", format: "pem" }).toString(),
    ),
    certificates: join(folder, "certificates"),
    audit: recordWrites
      ? { policy: file("audit.json", JSON.stringify(writesOnly)), log: file("audit.log", "") }
      : undefined,
  };
}

/** Every write by anyone but the API server itself, noted before and after it is handled. */
const writesOnly = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["ResponseStarted", "Panic"],
  rules: [
    { level: "None", users: ["system:apiserver"] },
    { level: "Metadata", verbs: ["create", "update", "patch", "delete", "deletecollection"] },
  ],
};

function etcdArguments(folder: string, port: number, peerPort: number): string[] {
  const client = `http://127.0.0.1:${port}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  return [
    `--data-dir=${join(folder, "etcd")}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    // The data need not survive the machine.
    "--unsafe-no-fsync",
    "--log-level=warn",
  ];
}

function apiserverArguments(
  files: CredentialFiles,
  port: number,
  etcd: EtcdLocation,
  { admissionPlugins = [], admissionConfig }: ClusterOptions,
): string[] {
  return [
    `--etcd-servers=${etcd.url}`,
    `--etcd-prefix=${etcd.prefix}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    `--secure-port=${port}`,
    `--cert-dir=${files.certificates}`,
    `--token-auth-file=${files.tokens}`,
    "--authorization-mode=RBAC",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${files.serviceAccountKey}`,
    `--service-account-signing-key-file=${files.serviceAccountKey}`,
    "--service-cluster-ip-range=10.0.0.0/16",
    // Pods would need ServiceAccount objects that only a controller makes, and Nodes would stay tainted.
    "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
    ...(admissionPlugins.length > 0
      ? [`--enable-admission-plugins=${admissionPlugins.join(",")}`]
      : []),
    ...(admissionConfig === undefined
      ? []
      : [`--admission-control-config-file=${admissionConfig}`]),
    // Clusters of kubeadm and of clouds set it, so that admission decides and not validation.
    "--allow-privileged=true",
    // The address is a loopback one, which an Endpoints object may not hold.
    "--endpoint-reconciler-type=none",
    ...(files.audit === undefined
      ? []
      : [
          `--audit-policy-file=${files.audit.policy}`,
          `--audit-log-path=${files.audit.log}`,
          "--audit-log-mode=blocking",
        ]),
  ];
}

/** Polls until there is an answer; fails once one of the servers has ended. */
async function whenAnswered<T>(
  check: () => Promise<T | undefined>,
  servers: readonly ServerProcess[],
  timeoutMs: number,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await check();
    if (answer !== undefined) return answer;
    const dead = servers.find((server) => server.ended() !== undefined);
    if (dead !== undefined) throw startFailure(`${dead.name} ended with ${dead.ended()}`, servers);
    if (Date.now() > deadline) throw startFailure(`not ready within ${timeoutMs} ms`, servers);
    await sleep(50);
  }
}

const etcdAnswers = (url: string) =>
  fetch(`${url}/health`).then(
    ({ ok }) => ok || undefined,
    () => undefined,
  );

function startFailure(reason: string, servers: readonly ServerProcess[]): Error {
  const logs = servers.map(
    ({ name, log }) => `--- end of the log of ${name}:\n${lastLines(log())}`,
  );
  return new Error([`The test cluster did not start: ${reason}.`, ...logs].join("\n"));
}

const lastLines = (log: string) => log.trimEnd().split("\n").slice(-15).join("\n");

/** Whether the server lists all kinds; undefined until it does. */
async function kindsServed(
  connection: Connection,
  crds: readonly Crd[],
): Promise<true | undefined> {
  const client = connect(connection);
  const versions = Object.groupBy(
    crds.flatMap(({ spec }) =>
      spec.versions
        .filter(({ served }) => served)
        .map(({ name }) => ({ path: `/apis/${spec.group}/${name}`, plural: spec.names.plural })),
    ),
    ({ path }) => path,
  );
  try {
    for (const [path, kinds = []] of Object.entries(versions)) {
      const { resources } = await client.request<{ resources: { name: string }[] }>("GET", path);
      if (kinds.some(({ plural }) => !resources.some(({ name }) => name === plural))) return;
    }
    return true;
  } catch {
    return;
  } finally {
    client.close();
  }
}

/** Undefined until the server is ready and its bootstrap (roles, namespaces) is done. */
async function readyConnection(
  files: CredentialFiles,
  port: number,
): Promise<Connection | undefined> {
  const connection = connectionOf(files, port);
  return connection !== undefined && (await isReady(connection)) ? connection : undefined;
}

/** Undefined until the server has made its certificate. */
function connectionOf(files: CredentialFiles, port: number): Connection | undefined {
  try {
    const ca = readFileSync(join(files.certificates, "apiserver.crt"), "utf8");
    return { url: `https://127.0.0.1:${port}`, ca, token: files.token };
  } catch {
    return undefined;
  }
}

async function isReady(connection: Connection): Promise<boolean> {
  if (!(await saysReady(connection))) return false;
  const client = connect(connection);
  try {
    await client.request("GET", "/api/v1/namespaces/default");
    return true;
  } catch {
    return false;
  } finally {
    client.close();
  }
}

/** The page is plain text, which the client takes for no answer of an API server. */
const saysReady = ({ url, ca, token }: Connection) =>
  new Promise<boolean>((resolve) => {
    const headers = { authorization: `Bearer ${token}` };
    get(`${url}/readyz`, { ca, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on("error", () => resolve(false));
  });
