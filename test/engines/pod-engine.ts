import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { createServer, connect as openSocket, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { V1Pod } from "@kubernetes/client-node";
import { type ServerProcess, startServer } from "../../testing/processes/server-process.ts";
import { startWatchdog, type Watchdog } from "../../testing/processes/watchdog.ts";
import { Core } from "./core.ts";
import { type PodCommand, podCommand } from "./pod-command.ts";
import { tinyModel } from "./tiny-model.ts";

/** vLLM's start may take minutes on a busy machine: three Python processes load torch. */
const startTimeoutMs = 15 * 60_000;

/** The real vLLM of a pod, on CPUs: started with its container's command, at the pod's address. */
export class PodEngine {
  readonly command: PodCommand;
  readonly #site: string;
  readonly #socket: string;
  #server: ServerProcess | undefined;
  #watchdog: Watchdog | undefined;
  #events: Server | undefined;
  #core: Core | undefined;

  /** @param site folder of Python packages with vLLM */
  constructor(site: string, pod: V1Pod) {
    this.#site = site;
    const id = `${process.pid}-${randomBytes(3).toString("hex")}`;
    // The path of a socket has 107 bytes.
    this.#socket = `/tmp/kv-events-${id}.sock`;
    this.command = podCommand(pod, { model: tinyModel(join(site, "..")), events: this.#socket });
  }

  /** `127.1.2.3:8200` */
  get address(): string {
    return `${this.command.ip}:${this.command.port}`;
  }

  get url(): string {
    return `http://${this.address}`;
  }

  /** How it ended, or undefined while it runs. */
  get ended(): string | undefined {
    return this.#server?.ended();
  }

  log(): string {
    return this.#server?.log() ?? "";
  }

  /** Starts it and waits until it serves. Returns the seconds that this took. */
  async start(): Promise<number> {
    // An engine that still runs would keep the port, and nothing would end it.
    await this.kill();
    const started = Date.now();
    this.#watchdog ??= startWatchdog();
    const env = { ...engineEnvironment, PYTHONPATH: this.#site, ...this.command.env };
    this.#core ??= Core.take();
    const server = startServer(`vLLM of ${this.address}`, "taskset", [
      ...["-c", String(this.#core.id), "env"],
      ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
      ...["python3", "-m", "vllm.entrypoints.cli.main", ...this.command.args],
    ]);
    this.#server = server;
    // The group: its engine is a process of its own.
    this.#watchdog.guard(-server.pid);
    await this.#publish();
    try {
      await this.#untilHealthy(server);
    } catch (error) {
      await this.stop();
      throw error;
    }
    return (Date.now() - started) / 1000;
  }

  /** Ends all of its processes immediately, as `kill -9` of a container does. */
  async kill(): Promise<void> {
    const server = this.#server;
    if (server !== undefined && server.ended() === undefined) {
      process.kill(-server.pid, "SIGKILL");
      while (server.ended() === undefined) await sleep(10);
    }
    this.#core?.giveBack();
    this.#core = undefined;
  }

  async stop(): Promise<void> {
    await this.kill();
    this.#events?.close();
    this.#events = undefined;
    await this.#watchdog?.release();
    rmSync(this.#socket, { force: true });
  }

  /** Sum of a counter over its labels; those that are given have these values. */
  async counter(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
    const page = await (await fetch(`${this.url}/metrics`)).text();
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    return page
      .split("\n")
      .filter((line) => line.startsWith(`${name}{`) && wanted.every((each) => line.includes(each)))
      .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  }

  /** Forwards each connection to the pod's address for KV events to the engine's socket, byte by byte. */
  async #publish(): Promise<void> {
    const { eventPort, ip } = this.command;
    if (eventPort === undefined || this.#events !== undefined) return;
    const events = createServer((client) => {
      const engine = openSocket(this.#socket);
      const end = () => {
        client.destroy();
        engine.destroy();
      };
      for (const socket of [client, engine]) socket.on("error", end).on("close", end);
      client.pipe(engine).pipe(client);
    });
    this.#events = events;
    await new Promise<void>((resolve, reject) => {
      events.once("error", reject).listen(eventPort, ip, resolve);
    });
  }

  async #untilHealthy(server: ServerProcess): Promise<void> {
    const deadline = Date.now() + startTimeoutMs;
    for (;;) {
      const answer = await fetch(`${this.url}/health`).catch(() => undefined);
      if (answer?.ok === true) return;
      const end = server.ended();
      if (end !== undefined || Date.now() > deadline)
        throw new Error(`${server.name} ${end ?? "was not healthy in time"}:\n${server.log()}`);
      await sleep(250);
    }
  }
}

export const engineEnvironment = {
  // The second start reads the code that the first start compiled.
  PYTHONDONTWRITEBYTECODE: "",
  PYTHONFAULTHANDLER: "1",
  HF_HUB_OFFLINE: "1",
  TRANSFORMERS_OFFLINE: "1",
  VLLM_NO_USAGE_STATS: "1",
  DO_NOT_TRACK: "1",
  VLLM_CPU_KVCACHE_SPACE: "1",
  VLLM_CPU_OMP_THREADS_BIND: "nobind",
  OMP_NUM_THREADS: "1",
  VLLM_HOST_IP: "127.0.0.1",
  GLOO_SOCKET_IFNAME: "lo",
  UCX_NET_DEVICES: "lo",
};
