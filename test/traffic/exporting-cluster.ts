import { type Envoy, type GatewayPool, startEnvoy } from "../../testing/envoy/start.ts";
import {
  type ModelServer,
  type ModelServerOptions,
  startModelServer,
} from "../../testing/model-server/model-server.ts";
import { type PickerProcess, startPicker } from "../../testing/pods/picker-process.ts";
import { fileSource, type ObjectSource, type ToldObject } from "./object-source.ts";
import { poolRoute } from "./stack.ts";

/** A cluster that exports its pool: model servers, a picker that knows them, and optionally a gateway. */
export interface ExportingCluster {
  readonly name: string;
  readonly servers: readonly ModelServer[];
  readonly picker: PickerProcess;
  readonly gateway: Envoy | undefined;
  /** The pool, and its picker's address, for a gateway in the same cluster. */
  readonly local: GatewayPool;
  /** Its entry in an InferencePoolImport. */
  readonly entry: object;
  /** Requests that its model servers have taken. */
  served(): number;
  /** An `ip:port` that only this cluster answers a gateway with. */
  has(address: string): boolean;
  /** Removes its pods from the pool in its API server, or adds them again; their servers run on. */
  setPods(isThere: boolean): Promise<void>;
  /** Stops its model servers without a change in its API server, or starts them again. */
  setServers(run: boolean): Promise<void>;
  /** Its picker is killed, or is back. */
  setPicker(runs: boolean): Promise<void>;
  /** All of it is gone at once, as when a site loses power. */
  kill(): Promise<void>;
  /** All of it is back at its addresses. */
  revive(): Promise<void>;
  stop(): Promise<void>;
}

export interface ExportingClusterOptions {
  readonly name: string;
  /** Default 2. */
  readonly servers?: number;
  readonly server?: ModelServerOptions;
  readonly mode?: "EndpointMode" | "ParentMode";
  /** Rewrites and objectives. */
  readonly objects?: readonly ToldObject[];
  /** Source of its picker's pool and pods. Default: a file. */
  readonly source?: ObjectSource;
  /** Directory of the picker's certificate. Default: plain text. */
  readonly certificate?: string;
  /** Directory of its gateway's certificate. Default: plain HTTP. */
  readonly gatewayCertificate?: string;
  /** Further arguments of the picker. */
  readonly args?: readonly string[];
}

const fast: ModelServerOptions = {
  stepMs: 1,
  stepMsPerSequence: 0,
  prefillTokensPerSecond: 200_000,
  maxSequences: 64,
  anyModel: true,
};

let networks = 0;

export async function startExportingCluster({
  name,
  servers: count = 2,
  server: serverOptions = {},
  mode = "EndpointMode",
  objects = [],
  certificate,
  gatewayCertificate,
  source = fileSource(),
  args: furtherArgs = [],
}: ExportingClusterOptions): Promise<ExportingCluster> {
  networks += 1;
  const network = `127.${50 + (process.pid % 50)}.${networks}`;
  const startServers = async (port: number) => {
    const servers: ModelServer[] = [];
    for (let at = 1; at <= count; at += 1) {
      const place = {
        ip: `${network}.${at}`,
        port: servers[0]?.port ?? port,
        name: `${name}-${at}`,
      };
      servers.push(await startModelServer({ ...fast, ...serverOptions, ...place }));
    }
    return servers;
  };
  let servers = await startServers(0);
  const port = servers[0]?.port ?? 8000;
  const pool = {
    apiVersion: "inference.networking.k8s.io/v1",
    kind: "InferencePool",
    metadata: { name: "pool", namespace: "default" },
    spec: {
      selector: { matchLabels: { app: "model" } },
      targetPorts: [{ number: port }],
      endpointPickerRef: { name: "epp", port: { number: 9002 } },
    },
  };
  const pods = servers.map(({ name, ip }) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", labels: { app: "model" } },
    spec: { containers: [{ name: "server", image: "server" }], nodeName: "node" },
    status: { phase: "Running", podIP: ip, conditions: [{ type: "Ready", status: "True" }] },
  }));
  const setPods = async (isThere: boolean) =>
    source.tell([pool, ...(isThere ? pods : []), ...objects]);
  await setPods(true);
  const security =
    certificate === undefined ? "--secure-serving=false" : `--cert-path=${certificate}`;
  const poolArgs = source.env.KUBECONFIG === undefined ? [] : ["--pool-name=pool"];
  const args = [...source.args, ...poolArgs, security, "--drain-timeout=0s", ...furtherArgs];
  const { env } = source;
  let picker = await startPicker({ args, env });
  const { ports } = picker;
  const startGateway = (listen?: number) =>
    startEnvoy({
      httpRoutes: [poolRoute],
      pools: [{ pool, picker: `127.0.0.1:${ports.grpc}`, tls: certificate !== undefined }],
      ...(listen !== undefined && { port: listen }),
      ...(gatewayCertificate !== undefined && { certificate: gatewayCertificate }),
    });
  let gateway = mode === "ParentMode" ? await startGateway() : undefined;
  const gatewayPort = gateway?.port;
  let before = 0;
  const stopServers = () => Promise.all(servers.map((server) => server.stop()));
  const restartServers = async () => {
    before += servers.reduce((sum, { served }) => sum + served.length, 0);
    await stopServers();
    servers = await startServers(port);
  };
  const restartPicker = async () => {
    const same = [
      `--grpc-port=${ports.grpc}`,
      `--grpc-health-port=${ports.health}`,
      `--metrics-port=${ports.metrics}`,
    ];
    picker = await startPicker({ args: [...args, ...same], env });
  };
  return {
    name,
    get gateway() {
      return gateway;
    },
    get servers() {
      return servers;
    },
    get picker() {
      return picker;
    },
    served: () => before + servers.reduce((sum, { served }) => sum + served.length, 0),
    local: { pool, picker: `127.0.0.1:${ports.grpc}`, tls: certificate !== undefined },
    has: (address) =>
      gatewayPort === undefined
        ? address.startsWith(`${network}.`)
        : address === `127.0.0.1:${gatewayPort}`,
    entry: {
      name,
      routingMode: mode,
      targetPortNumber: port,
      // The set's controller writes this for a ready picker, and keeps it while it cannot reach the picker's cluster.
      conditions: [
        {
          ...{ type: "Ready", status: "True", reason: "PickerReady", message: "" },
          lastTransitionTime: "2026-01-01T00:00:00Z",
        },
      ],
      endpointPicker: {
        name: "epp",
        service: [{ type: "ClusterIP", addresses: ["127.0.0.1"], ports: [{ number: ports.grpc }] }],
        health: { port: ports.health },
        metrics: { port: ports.metrics },
      },
      ...(gateway && {
        parents: [
          {
            name: "gateway",
            namespace: "default",
            service: [
              { type: "LoadBalancer", addresses: ["127.0.0.1"], ports: [{ number: gatewayPort }] },
            ],
          },
        ],
      }),
    },
    setPods,
    setServers: async (run) => void (await (run ? restartServers() : stopServers())),
    async setPicker(runs) {
      if (runs) await restartPicker();
      else process.kill(picker.pid, "SIGKILL");
    },
    async kill() {
      process.kill(picker.pid, "SIGKILL");
      if (gateway !== undefined) process.kill(gateway.pid, "SIGKILL");
      await stopServers();
    },
    async revive() {
      await restartServers();
      await restartPicker();
      if (gateway === undefined) return;
      await gateway.stop();
      gateway = await startGateway(gatewayPort);
    },
    async stop() {
      await gateway?.stop();
      await picker.stop();
      await stopServers();
      source.stop();
    },
  };
}
