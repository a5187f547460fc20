import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ServerProcess, startServer } from "../processes/server-process.ts";
import { startWatchdog } from "../processes/watchdog.ts";
import { type AccessLogEntry, bootstrap, type GatewayOptions, listenerName } from "./bootstrap.ts";
import { findEnvoy } from "./install.ts";

export type {
  AccessLogEntry,
  GatewayOptions,
  GatewayPool,
  InferencePool,
  PickerReplica,
} from "./bootstrap.ts";
export type { HttpRoute } from "./routes.ts";

/** How Envoy's process runs. */
export interface EnvoyProcessOptions {
  /** Path of an Envoy binary. Default: what findEnvoy answers. */
  readonly binary?: string;
  /** Worker threads. Default 1. */
  readonly concurrency?: number;
  /** Default `warning`. */
  readonly logLevel?: "trace" | "debug" | "info" | "warning" | "error";
}

export type EnvoyOptions = GatewayOptions & EnvoyProcessOptions;

/** An Envoy that runs. */
export interface EnvoyProcess {
  readonly pid: number;
  /** URL of its administration pages. */
  readonly admin: string;
  /** Envoy's counters and gauges whose name begins so. */
  stats(prefix: string): Promise<Record<string, number>>;
  /** The end of Envoy's output. */
  log(): string;
  /** Ends the process and deletes its files. */
  stop(): Promise<void>;
}

/** A gateway of our own: Envoy, configured from an HTTPRoute and InferencePools as gateways do. */
export interface Envoy extends Omit<EnvoyProcess, "admin"> {
  /** For example `http://127.0.0.1:40123`. */
  readonly url: string;
  readonly port: number;
  /** The requests that were logged, once there are `count` of them. Default: at once. */
  accessLog(count?: number): Promise<AccessLogEntry[]>;
}

const startTimeoutMs = 20_000;

/** Starts Envoy on free ports of 127.0.0.1 and waits until it takes requests. It goes with this process. */
export const startEnvoy = (options: EnvoyOptions): Promise<Envoy> =>
  startEnvoyWith((accessLog) => bootstrap(options, accessLog), options);

/**
 * Starts Envoy with a configuration that has a listener named `gateway`.
 * @param configOf returns the configuration; it takes the path of the access log
 */
export async function startEnvoyWith(
  configOf: (accessLog: string) => object,
  options: EnvoyProcessOptions = {},
): Promise<Envoy> {
  let accessLog = "";
  const { admin, ...envoy } = await startEnvoyProcess((folder) => {
    accessLog = join(folder, "access.log");
    return configOf(accessLog);
  }, options);
  try {
    const port = await listenerPort(admin);
    return {
      ...envoy,
      url: `http://127.0.0.1:${port}`,
      port,
      accessLog: (count = 0) => readAccessLog(accessLog, count),
    };
  } catch (error) {
    await envoy.stop();
    throw error;
  }
}

/**
 * Starts Envoy and waits until it is ready. It goes with this process.
 *
 * @param configOf returns the configuration; it takes a folder that is removed with the process
 */
export async function startEnvoyProcess(
  configOf: (folder: string) => object,
  options: EnvoyProcessOptions = {},
): Promise<EnvoyProcess> {
  const binary = options.binary ?? (await findEnvoy());
  const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-envoy-"));
  const files = { config: join(folder, "bootstrap.json"), admin: join(folder, "admin-address") };
  const config = {
    admin: { address: { socket_address: { address: "127.0.0.1", port_value: 0 } } },
    ...configOf(folder),
  };
  writeFileSync(files.config, JSON.stringify(config, null, 2));
  const watchdog = startWatchdog(folder);
  const args = [
    ...["--config-path", files.config],
    ...["--admin-address-path", files.admin],
    ...["--concurrency", String(options.concurrency ?? 1)],
    ...["--log-level", options.logLevel ?? "warning"],
    ...["--file-flush-interval-msec", "50"],
    "--disable-hot-restart",
  ];
  const server = startServer("envoy", binary, args, watchdog);
  const stop = async () => {
    await server.stop();
    await watchdog.release();
  };
  try {
    const admin = await whenReady(server, files.admin);
    return {
      admin,
      pid: server.pid,
      stats: (prefix) => readStats(admin, prefix),
      log: server.log,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the address of the admin endpoint. */
async function whenReady(server: ServerProcess, addressFile: string): Promise<string> {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    if (existsSync(addressFile)) {
      const admin = `http://${readFileSync(addressFile, "utf8").trim()}`;
      const ready = await fetch(`${admin}/ready`).catch(() => undefined);
      if (ready?.ok === true) return admin;
    }
    const end = server.ended();
    const failure = end === undefined ? undefined : `ended with ${end}`;
    if (failure !== undefined || Date.now() > deadline) {
      throw new Error(`Envoy ${failure ?? "was not ready in time"}:\n${server.log()}`);
    }
    await sleep(20);
  }
}

interface ListenerStatuses {
  listener_statuses: Array<{
    name: string;
    local_address: { socket_address: { port_value: number } };
  }>;
}

async function listenerPort(admin: string): Promise<number> {
  const response = await fetch(`${admin}/listeners?format=json`);
  const { listener_statuses: listeners } = (await response.json()) as ListenerStatuses;
  const listener = listeners.find(({ name }) => name === listenerName);
  if (listener === undefined) throw new Error("Envoy has no listener");
  return listener.local_address.socket_address.port_value;
}

/** Envoy writes the log in batches, some time after the response. */
async function readAccessLog(file: string, count: number): Promise<AccessLogEntry[]> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
    if (lines.length >= count) return lines.map((line) => JSON.parse(line) as AccessLogEntry);
    if (Date.now() > deadline) {
      throw new Error(`Envoy logged ${lines.length} requests, waited for ${count}`);
    }
    await sleep(20);
  }
}

async function readStats(admin: string, prefix: string): Promise<Record<string, number>> {
  const response = await fetch(`${admin}/stats?format=json&filter=^${encodeURIComponent(prefix)}`);
  const { stats } = (await response.json()) as { stats: Array<{ name?: string; value?: number }> };
  return Object.fromEntries(
    stats.flatMap(({ name, value }) =>
      name !== undefined && value !== undefined ? [[name, value]] : [],
    ),
  );
}
