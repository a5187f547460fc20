import { killedStack } from "../../testing/programs/killed-stack.ts";
import { type RollingStackOptions, rollingStack } from "./rolling-stack.ts";

/**
 * Runs `up`, which is killed right after its first write that no run before it made, and repeats it until one completes.
 * Returns the killed writes.
 */
export async function killedUps({
  kubeconfig,
  ...options
}: RollingStackOptions): Promise<string[]> {
  const written: string[] = [];
  const isNew = (write: string) => !written.includes(write) && written.push(write) > 0;
  let isKilled = true;
  while (isKilled)
    isKilled = await killedStack({
      ...{ kubeconfig, folder: options.state, when: "after" },
      at: ({ method, url = "" }) =>
        !url.includes("dryRun") && isNew(`${method} ${url.split("?")[0]}`),
      open: (proxied) => rollingStack({ ...options, kubeconfig: proxied }),
    });
  return written;
}
