import { join } from "node:path";
import { killedUp } from "../../testing/programs/killed-up.ts";

export interface KilledUpsOptions {
  readonly kubeconfig: string;
  /** Folder of the state. */
  readonly directory: string;
  readonly namespace: string;
  readonly roles: readonly object[];
  readonly image: string;
  readonly config?: Record<string, string>;
}

/**
 * Runs `up` in a process that is killed right after its first write that no process before it made, and repeats it until
 * one completes. Returns the killed writes.
 */
export async function killedUps({ kubeconfig, ...options }: KilledUpsOptions): Promise<string[]> {
  const written: string[] = [];
  const isNew = (write: string) => !written.includes(write) && written.push(write) > 0;
  let isKilled = true;
  while (isKilled)
    isKilled = await killedUp({
      ...{ kubeconfig, folder: options.directory, when: "after", options },
      at: ({ method, url = "" }) =>
        !url.includes("dryRun") && isNew(`${method} ${url.split("?")[0]}`),
      script: join(import.meta.dirname, "killed-up-process.ts"),
    });
  return written;
}
