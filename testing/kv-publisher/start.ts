import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { encode } from "@msgpack/msgpack";
import { installPythonPackage } from "../processes/python-package.ts";

const zeromq = {
  title: "pyzmq",
  name: "pyzmq",
  version: "27.3.0",
  size: "1 MB",
  provides: "zmq/__init__.py",
  otherwise: "Install Python 3 with pip (Debian: apt-get install python3-pip).",
};

/** A publisher of KV events on libzmq, the library that engines publish with. Its events are made up. */
export interface KvPublisher {
  readonly port: number;
  readonly replayPort: number;
  readonly pid: number;
  /** Publishes a batch under the next number. */
  publish(events: readonly unknown[], how?: PublishOptions): void;
  /** Publishes bytes that may be anything. */
  publishRaw(payload: Uint8Array, how?: PublishOptions): void;
  stop(): Promise<void>;
}

interface PublishOptions {
  /** No subscriber gets it; a replay has it. */
  readonly lost?: boolean;
  /** A replay has it. Default true. */
  readonly kept?: boolean;
  readonly topic?: string;
}

export interface KvPublisherLocation {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default: any that is free. */
  readonly port?: number;
  readonly replayPort?: number;
}

export async function startKvPublisher({
  host = "127.0.0.1",
  port: wantedPort = 0,
  replayPort: wantedReplayPort = 0,
}: KvPublisherLocation = {}): Promise<KvPublisher> {
  const installed = await installPythonPackage(zeromq);
  const script = join(import.meta.dirname, "publisher.py");
  const child = spawn("python3", [script, host, String(wantedPort), String(wantedReplayPort)], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, PYTHONPATH: dirname(dirname(installed)) },
  });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const [port, replayPort] = line.split(" ").map(Number) as [number, number];
  let sequence = 0;
  const publishRaw: KvPublisher["publishRaw"] = (
    payload,
    { lost = false, kept = true, topic = "kv@127.0.0.1:8000@m" } = {},
  ) => {
    const message = { topic, sequence: sequence++, lost, kept };
    const text = Buffer.from(payload).toString("base64");
    child.stdin.write(`${JSON.stringify({ ...message, payload: text })}\n`);
  };
  return {
    ...{ port, replayPort, publishRaw },
    pid: child.pid as number,
    publish(events, how) {
      publishRaw(encode([1_795_330_725.83, events, 0], { useBigInt64: true }), how);
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}
