import { spawn } from "node:child_process";
import { once } from "node:events";
import { type CrashOptions, startCrashingProxy } from "../proxies/crashing-proxy.ts";

export interface KilledUpOptions extends Omit<CrashOptions, "crash"> {
  /** Runs one up; gets as its argument, in JSON, `options` with the kubeconfig to use. */
  script: string;
  options: object;
}

/** Runs an up in a process of its own, which is killed at a write; answers whether it came to that. */
export async function killedUp({ script, options, ...crash }: KilledUpOptions): Promise<boolean> {
  let killed = false;
  let kill = () => {};
  const proxy = await startCrashingProxy({ ...crash, crash: () => kill() });
  const argument = JSON.stringify({ ...options, kubeconfig: proxy.kubeconfig });
  const child = spawn(process.execPath, ["--conditions=source", script, argument], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  kill = () => {
    killed = true;
    child.kill("SIGKILL");
  };
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const [code] = await once(child, "close");
  proxy.close();
  if (!killed && code !== 0) throw new Error(`the up ended with ${code}: ${errors}`);
  return killed;
}
