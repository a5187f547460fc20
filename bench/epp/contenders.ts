import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { stringify } from "yaml";
import { programEnvironment } from "../../sdk/plan/programs/program-pods.ts";
import { freePorts } from "../../testing/processes/free-ports.ts";
import { runtimeBundle } from "../../testing/processes/runtime-bundle.ts";
import { inRepository, scratch, startAndWait } from "./processes.ts";

/** A picker under test, running. */
export interface Picker {
  readonly address: string;
  readonly pid: number;
  /** The ports on 127.0.0.1. */
  readonly ports: Ports;
  /** How it ended, or undefined while it runs. */
  ended(): string | undefined;
  log(): string;
  stop(): Promise<void>;
}

export interface Ports {
  readonly grpc: number;
  readonly health: number;
  readonly metrics: number;
}

export interface PickerSettings {
  /** In place of free ones. */
  readonly ports?: Ports;
  /** Further flags, which every contender knows. */
  readonly flags?: readonly string[];
  /** In place of the policy that all contenders have; for our picker. */
  readonly config?: object | undefined;
  /** Flags of Node.js, for pickers that run on it. */
  readonly node?: readonly string[];
  /** Kubeconfig of the API server from which our picker reads its objects. Default: it reads them from a file. */
  readonly kubeconfig?: string | undefined;
}

/** `before` is our picker of another state. */
export type ContenderName = "echo" | "go" | "before" | "ours";

/** Starts a compared picker. `pods` are the addresses of the model servers. */
export type StartPicker = (pods: readonly string[], settings?: PickerSettings) => Promise<Picker>;

/** The echo knows no pods but these. */
export const echoPods = [8101, 8102, 8103, 8104].map((port) => `127.0.0.1:${port}`);

/** The same policy for all: the default of upstream's picker. */
const plugins = [
  { type: "queue-scorer", weight: 2 },
  { type: "kv-cache-utilization-scorer", weight: 2 },
  { type: "prefix-cache-scorer", weight: 3 },
  { type: "max-score-picker" },
];

/** The contenders of this machine: the Go picker is there where EPP_GO names its executable. */
export function contenders(): Map<ContenderName, StartPicker> {
  const all = new Map<ContenderName, StartPicker>([["echo", startEcho]]);
  const go = process.env.EPP_GO;
  if (go !== undefined && go !== "") {
    if (!existsSync(go)) throw new Error(`EPP_GO is ${go}, and there is no such file.`);
    all.set("go", (pods, settings) => startGo(go, pods, settings));
  }
  const before = process.env.EPP_BEFORE;
  if (before !== undefined && before !== "")
    all.set("before", (pods, settings) => startProgram(before, pods, settings));
  return all.set("ours", async (pods, settings) =>
    startProgram(await runtimeBundle(), pods, settings),
  );
}

interface Place {
  /** For files of the picker. */
  folder: string;
  ports: Ports;
}

const flags = ({ folder, ports }: Place) => [
  ...["--pool-name", "pool", "--pool-namespace", "default"],
  ...["--config-file", join(folder, "config.yaml")],
  ...["--grpc-port", String(ports.grpc)],
  ...["--grpc-health-port", String(ports.health)],
  ...["--metrics-port", String(ports.metrics)],
  ...["--secure-serving=false", "--metrics-endpoint-auth=false", "--tracing=false"],
];

function startEcho(): Promise<Picker> {
  const echo = inRepository("bench/epp/echo/echo.cjs");
  return start("echo", {}, ({ ports }) => [process.execPath, echo, String(ports.grpc)]);
}

/** Servers of the harness collect garbage rarely; upstream's picker is compared as its image starts it. */
const asShipped = ["/usr/bin/env", "--unset=GOGC", "--unset=GOMEMLIMIT"];

/** Reads its endpoints from a file of its own format. */
function startGo(
  binary: string,
  pods: readonly string[],
  settings: PickerSettings = {},
): Promise<Picker> {
  return start("Go picker", settings, (place) => {
    const { folder } = place;
    const file = join(folder, "endpoints.yaml");
    const endpoints = pods.map((pod, at) => {
      const [address, port] = pod.split(":");
      return { name: `pod-${at}`, address, port };
    });
    writeFileSync(file, stringify({ endpoints }));
    writeConfig(folder, [{ type: "file-discovery", parameters: { path: file } }], {
      dataLayer: { discovery: { pluginRef: "file-discovery" } },
    });
    return [...asShipped, binary, ...flags(place), ...(settings.flags ?? [])];
  });
}

/** Options of Node.js that the plan sets on a picker by default. The environment may replace them. */
const plannedOptions = () =>
  process.env.EPP_NODE_OPTIONS ??
  programEnvironment({})
    .map(({ value }) => value)
    .join(" ");

async function startProgram(
  program: string,
  pods: readonly string[],
  settings: PickerSettings = {},
): Promise<Picker> {
  return start("our picker", settings, (place) => {
    const { folder } = place;
    if (settings.config === undefined) writeConfig(folder, [], {});
    else writeFileSync(join(folder, "config.yaml"), stringify(settings.config));
    const source =
      settings.kubeconfig === undefined ? ["--file-source", writeObjects(folder, pods)] : [];
    return [
      ...["/usr/bin/env", `KUBECONFIG=${settings.kubeconfig ?? ""}`],
      `NODE_OPTIONS=${plannedOptions()}`,
      ...[process.execPath, ...(settings.node ?? []), program, "endpoint-picker"],
      ...[...source, ...flags(place), ...(settings.flags ?? [])],
    ];
  });
}

function writeObjects(folder: string, pods: readonly string[]): string {
  const file = join(folder, "objects.yaml");
  writeFileSync(
    file,
    objectsOf(pods)
      .map((object) => stringify(object))
      .join("---\n"),
  );
  return file;
}

function writeConfig(folder: string, morePlugins: readonly object[], more: object): void {
  writeFileSync(join(folder, "config.yaml"), stringify(policyWith(morePlugins, more)));
}

/** The policy that all contenders have, with more. */
export const policyWith = (morePlugins: readonly object[], more: object) => ({
  apiVersion: "llm-d.ai/v1alpha1",
  kind: "EndpointPickerConfig",
  plugins: [
    ...plugins.map(({ type }) => ({ type })),
    { type: "single-profile-handler" },
    ...morePlugins,
  ],
  schedulingProfiles: [
    {
      name: "default",
      plugins: plugins.map(({ type, ...weight }) => ({ pluginRef: type, ...weight })),
    },
  ],
  ...more,
});

/** The pool and its pods; all listen on one port. */
export function objectsOf(pods: readonly string[]): object[] {
  const [port] = new Set(pods.map((pod) => Number(pod.split(":")[1])));
  const pool = {
    apiVersion: "inference.networking.k8s.io/v1",
    kind: "InferencePool",
    metadata: { name: "pool", namespace: "default" },
    spec: {
      selector: { matchLabels: { app: "model-server" } },
      targetPorts: [{ number: port }],
      endpointPickerRef: { name: "epp", port: { number: 9002 } },
    },
  };
  const podObjects = pods.map((pod, at) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `pod-${at}`, namespace: "default", labels: { app: "model-server" } },
    status: { podIP: pod.split(":")[0], conditions: [{ type: "Ready", status: "True" }] },
  }));
  return [pool, ...podObjects];
}

async function start(
  name: string,
  { ports: wanted }: PickerSettings,
  commandOf: (place: Place) => string[],
): Promise<Picker> {
  const folder = mkdtempSync(join(scratch, "picker-"));
  const ports = wanted ?? (await pickerPorts());
  const command = commandOf({ folder, ports });
  const server = await startAndWait(name, command, () => listens(ports.grpc));
  return {
    address: `127.0.0.1:${ports.grpc}`,
    pid: server.pid,
    ports,
    ended: server.ended,
    log: server.log,
    // Our picker would drain for half a minute, but no client is left.
    stop: () => server.stop(0),
  };
}

export async function pickerPorts(): Promise<Ports> {
  const [grpc, health, metrics] = (await freePorts(3)) as [number, number, number];
  return { grpc, health, metrics };
}

/** Whether a program accepts connections at a port. */
export const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = createConnection(port, "127.0.0.1");
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
