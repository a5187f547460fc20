import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { findPrograms } from "../processes/binaries.ts";

/** A running registry: go-containerregistry's, with its data in memory, without TLS and without a login. */
export interface ImageRegistry {
  readonly port: number;
  /** `localhost:PORT` */
  readonly address: string;
  stop(): Promise<void>;
}

/** Starts a registry on this machine, by default on a free port. */
export async function startImageRegistry(port = 0): Promise<ImageRegistry> {
  const { registry: file } = await findPrograms(["registry"]);
  const registry = spawn(file, ["-port", String(port)], { stdio: ["ignore", "ignore", "pipe"] });
  const exited = once(registry, "exit");
  const opened = await portOf(registry);
  return {
    port: opened,
    address: `localhost:${opened}`,
    async stop() {
      registry.kill();
      await exited;
    },
  };
}

/** Returns the port that the registry logs. */
function portOf(registry: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    registry.once("exit", (code) => reject(new Error(`the registry ended with ${code}`)));
    registry.once("error", reject);
    registry.stderr?.on("data", (bytes) => {
      const port = /port (\d+)/.exec(String(bytes))?.[1];
      if (port !== undefined) resolve(Number(port));
    });
  });
}
