import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import OpenAI from "openai";
import { stringify } from "yaml";
import { type Envoy, type EnvoyOptions, startEnvoy } from "../../testing/envoy/start.ts";
import {
  type ModelServer,
  type ModelServerOptions,
  startModelServer,
} from "../../testing/model-server/model-server.ts";
import { type PickerProcess, startPicker } from "../../testing/pods/picker-process.ts";
import { freePorts } from "../../testing/processes/free-ports.ts";

/** Everything between an OpenAI client and its tokens: Envoy, the picker, simulated model servers. */
export interface TrafficStack {
  readonly servers: readonly ModelServer[];
  readonly picker: PickerProcess;
  /** All of them, the first included. */
  readonly pickers: readonly PickerProcess[];
  /**
   * Starts one of `laterPickers` with these flags instead of `pickerArgs`, and waits until the gateway finds it ready.
   */
  startPicker(args: readonly string[]): Promise<PickerProcess>;
  readonly envoy: Envoy;
  readonly client: OpenAI;
  /** Replaces the picker's objects; waits until the picker has read them. */
  use(objects: readonly object[]): Promise<void>;
  stop(): Promise<void>;
}

export interface TrafficOptions {
  /** Number of pickers. The gateway uses several as they are ready. Default 1. */
  readonly pickers?: number;
  /** Pickers of a rollout: the gateway uses them once they are ready. Default 0. */
  readonly laterPickers?: number;
  /** A pod for each. Default: two. */
  readonly servers?: ReadonlyArray<
    ModelServerOptions & { readonly labels?: Record<string, string> }
  >;
  /** Servers of a test's own at an address of 127.0.0.0/8, a pod for each, all on the pool's port. */
  readonly recorders?: ReadonlyArray<{ readonly ip: string; readonly port: number }>;
  /** Rewrites and objectives. */
  readonly objects?: readonly object[];
  readonly pickerArgs?: readonly string[];
  readonly gateway?: Partial<EnvoyOptions>;
  /**
   * The gateway knows the pods, as Istio's and Envoy Gateway's do. Default: it connects to the address in the header.
   */
  readonly knownPods?: boolean;
}

const metadata = { name: "pool", namespace: "default" };
const poolRef = { name: "pool" };
const fast: ModelServerOptions = { stepMs: 1, prefillTokensPerSecond: 200_000, adapterLoadMs: 5 };

let networks = 0;

export async function startTraffic(options: TrafficOptions = {}): Promise<TrafficStack> {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-traffic-"));
  const file = join(folder, "pool.yaml");
  // Pods of one pool have one port and an address each.
  networks += 1;
  const network = `127.${100 + (process.pid % 100)}.${networks}`;
  const wanted = options.servers ?? [{}, {}];
  const servers: ModelServer[] = [];
  for (const [at, server] of wanted.entries()) {
    const place = { ip: `${network}.${at + 1}`, port: servers[0]?.port ?? 0, name: `pod-${at}` };
    servers.push(await startModelServer({ ...fast, ...server, ...place }));
  }
  const recorders = options.recorders ?? [];
  const port = servers[0]?.port ?? recorders[0]?.port ?? 8000;
  const pool = {
    apiVersion: "inference.networking.k8s.io/v1",
    kind: "InferencePool",
    metadata,
    spec: {
      selector: { matchLabels: { app: "model" } },
      targetPorts: [{ number: port }],
      endpointPickerRef: { name: "epp", port: { number: 9002 } },
    },
  };
  const named = [
    ...servers.map(({ name, ip }, at) => ({ name, ip, labels: wanted[at]?.labels })),
    ...recorders.map(({ ip }, at) => ({ name: `recorder-${at}`, ip, labels: {} })),
  ];
  const pods = named.map(({ name, ip, labels }) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", labels: { app: "model", ...labels } },
    status: { podIP: ip },
  }));
  const write = (objects: readonly object[]) => {
    // A reader never sees half a file.
    writeFileSync(`${file}.new`, objects.map((object) => stringify(object)).join("---\n"));
    renameSync(`${file}.new`, file);
  };
  write([pool, ...pods, ...(options.objects ?? [])]);
  const start = (args: readonly string[] = [], ports: readonly string[] = []) =>
    startPicker({
      args: [
        ...[`--file-source=${file}`, "--secure-serving=false", "--drain-timeout=0s"],
        ...ports,
        ...args,
      ],
    });
  const pickers = await Promise.all(
    Array.from({ length: options.pickers ?? 1 }, () => start(options.pickerArgs)),
  );
  const [picker] = pickers as [PickerProcess];
  const later = await replicasToCome(options.laterPickers ?? 0);
  const replicas = [...pickers.map(({ ports }) => replicaAt(ports)), ...later];
  const envoy = await startEnvoy({
    httpRoutes: [poolRoute],
    pools: [
      {
        pool,
        picker: `127.0.0.1:${picker.ports.grpc}`,
        tls: false,
        ...(replicas.length > 1 && { replicas }),
        ...(options.knownPods && { endpoints: servers.map(({ address }) => address) }),
      },
    ],
    ...options.gateway,
  });
  if (replicas.length > 1) await untilHealthy(envoy, pickers.length);
  const state = async () =>
    (await fetch(`http://127.0.0.1:${picker.ports.metrics}/debug/state`)).text();
  return {
    servers,
    picker,
    pickers,
    async startPicker(args) {
      const place = later.shift();
      if (place === undefined) throw new Error("the gateway knows no further picker");
      const port = place.address.split(":")[1];
      const started = await start(args, [
        `--grpc-port=${port}`,
        `--grpc-health-port=${place.healthPort}`,
      ]);
      pickers.push(started);
      await untilHealthy(envoy, pickers.length);
      return started;
    },
    envoy,
    client: new OpenAI({ baseURL: `${envoy.url}/v1`, apiKey: "-", maxRetries: 0 }),
    async use(objects) {
      const marker = `marker-${Date.now()}`;
      write([{ ...pool, metadata: { ...metadata, uid: marker } }, ...objects]);
      const deadline = Date.now() + 10_000;
      while (!(await state()).includes(marker))
        if (Date.now() > deadline) throw new Error(`objects were not read:\n${picker.log()}`);
    },
    async stop() {
      await envoy.stop();
      await Promise.all(pickers.map((each) => each.stop()));
      await Promise.all(servers.map((server) => server.stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const replicaAt = ({ grpc, health }: Pick<PickerProcess["ports"], "grpc" | "health">) => ({
  address: `127.0.0.1:${grpc}`,
  healthPort: health,
});

async function replicasToCome(count: number) {
  const ports = await freePorts(2 * count);
  return Array.from({ length: count }, (_, at) =>
    replicaAt({ grpc: ports[2 * at] ?? 0, health: ports[2 * at + 1] ?? 0 }),
  );
}

/** Waits until the gateway has found `count` ready pickers. */
async function untilHealthy(envoy: Envoy, count: number): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const stats = Object.entries(await envoy.stats("cluster\\.picker"));
    if (stats.some(([name, n]) => name.endsWith("membership_healthy") && n === count)) return;
    if (Date.now() > deadline)
      throw new Error(`the gateway does not see ${count} ready pickers: ${JSON.stringify(stats)}`);
    await sleep(50);
  }
}

/** All requests to the pool named `pool`. */
export const poolRoute = {
  metadata: { name: "route", namespace: "default" },
  spec: {
    parentRefs: [{ name: "gateway" }],
    rules: [
      {
        backendRefs: [
          { group: "inference.networking.k8s.io", kind: "InferencePool", name: "pool" },
        ],
      },
    ],
  },
};

/** A rewrite of one model. */
export const rewriteOf = (model: string, ...targets: string[]) => ({
  apiVersion: "llm-d.ai/v1alpha2",
  kind: "InferenceModelRewrite",
  metadata: { name: `rewrite-${model}`, namespace: "default" },
  spec: {
    poolRef,
    rules: [
      {
        matches: [{ model: { value: model } }],
        targets: targets.map((modelRewrite) => ({ modelRewrite })),
      },
    ],
  },
});

export const objectiveOf = (name: string, priority: number) => ({
  apiVersion: "llm-d.ai/v1alpha2",
  kind: "InferenceObjective",
  metadata: { name, namespace: "default" },
  spec: { poolRef, priority },
});
