import { copyFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type CrashOptions, startCrashingProxy } from "../proxies/crashing-proxy.ts";
import type { Stack } from "./pulumi-stack.ts";

export interface KilledStackOptions extends Omit<CrashOptions, "crash"> {
  /** Opens the stack on the cluster of a kubeconfig. */
  open: (kubeconfig: string) => Stack;
}

/** Runs an up of the Pulumi CLI, which is killed with its plugins at a write. Returns whether it was. */
export async function killedStack({ open, ...crash }: KilledStackOptions): Promise<boolean> {
  let isKilled = false;
  let kill = () => {};
  const proxy = await startCrashingProxy({ ...crash, crash: () => kill() });
  const stack = open(proxy.kubeconfig);
  kill = () => {
    isKilled = true;
    stack.kill();
  };
  const { succeeded, diagnostics } = await stack.up();
  proxy.close();
  if (isKilled) {
    restoreTruncatedStates(crash.folder);
    await stack.cancel();
  } else if (!succeeded) throw new Error(`the up failed: ${JSON.stringify(diagnostics)}`);
  return isKilled;
}

/**
 * Restores each state that was not written completely. The file backend of the CLI overwrites a state, after it has
 * copied the previous one to a file that ends with `.bak`.
 */
function restoreTruncatedStates(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (!/\/\.pulumi\/stacks\/.*\.json$/.test(file)) continue;
    try {
      JSON.parse(readFileSync(file, "utf8"));
    } catch {
      copyFileSync(`${file}.bak`, file);
    }
  }
}
