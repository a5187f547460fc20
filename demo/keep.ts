import type { InferenceService } from "../sdk/index.ts";
import { gpusPerNode, type Location } from "./location.ts";
import { heading } from "./report.ts";
import { manifestIn } from "./story.ts";

/** `--keep`: the stack stays up until Ctrl-C. */

interface Kept extends Pick<Location, "kubeconfig" | "context" | "gpus"> {
  readonly service: InferenceService;
  readonly folder: string;
  /** Base URL of the gateway. Undefined in another cluster: the command line finds it there. */
  readonly url: string | undefined;
}

/** Prints three commands to try, and waits for Ctrl-C. */
export async function keepRunning(kept: Kept): Promise<void> {
  heading("Kept until Ctrl-C. Try these commands in another terminal, in this folder:");
  for (const line of commands(kept)) console.log(`  ${line}`);
  await interrupted();
}

function commands({ service, kubeconfig, context, gpus, folder, url }: Kept): string[] {
  const { name, namespace } = service.metadata;
  const cluster = `-n ${namespace}${context === undefined ? "" : ` --context ${context}`}`;
  const cli = "npm run --silent cli --";
  return [
    `export KUBECONFIG=${kubeconfig}`,
    `${cli} status ${name} ${cluster}`,
    `${cli} request ${name} "Why is the sky blue?" \\`,
    `  ${cluster}${url === undefined ? "" : ` --url ${url}/v1`}`,
    `${cli} capacity \\`,
    `  ${manifestIn(folder)} --gpus ${gpus + gpusPerNode},${gpus}`,
  ];
}

/** Waits for SIGINT or SIGTERM, which end the wait and not the process. */
async function interrupted(): Promise<void> {
  const others = process.rawListeners("SIGINT");
  process.removeAllListeners("SIGINT");
  await new Promise<void>((resolve) => {
    const alive = setInterval(() => {}, 60_000);
    const end = () => {
      clearInterval(alive);
      process.off("SIGINT", end).off("SIGTERM", end);
      resolve();
    };
    process.on("SIGINT", end).on("SIGTERM", end);
  });
  for (const other of others) process.on("SIGINT", other as () => void);
}
