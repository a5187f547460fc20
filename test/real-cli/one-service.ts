import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type PulumiStack, pulumiStack } from "../../testing/programs/pulumi-cli.ts";
import type { OneService } from "./program/index.ts";

/** A stack of the CLI whose program has one service, which tests edit. */
export interface OneServiceStack {
  /** Runs a command of the CLI. */
  readonly run: PulumiStack;
  /** Edits the program. */
  write(service: OneService): void;
}

export interface OneServiceOptions {
  readonly stack: string;
  /** Folder of the state and of the edited file. */
  readonly folder: string;
  readonly kubeconfig: string;
  readonly config?: Record<string, string>;
  /** Receives the id of each process of the CLI. */
  readonly onStart?: (pid: number) => void;
}

export async function oneServiceStack({
  config = {},
  ...options
}: OneServiceOptions): Promise<OneServiceStack> {
  const file = join(options.folder, `${options.stack}.json`);
  const run = await pulumiStack({
    ...options,
    project: join(import.meta.dirname, "program"),
    config: { service: file, ...config },
  });
  return { run, write: (service) => writeFileSync(file, JSON.stringify(service)) };
}
