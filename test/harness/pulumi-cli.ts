import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, renameSync } from "node:fs";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";

const programs = ["pulumi", "pulumi-language-nodejs", "pulumi-resource-kubernetes"];

/** What is not on PATH of the Pulumi CLI and what it needs to run our programs. */
export function missingPulumi(): string[] {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return programs.filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
}

export interface PulumiStackOptions {
  /** Folder of Pulumi.yaml. */
  project: string;
  stack: string;
  /** Where state and configuration are kept; the project's folder stays as it is. */
  folder: string;
  kubeconfig: string;
  config?: Record<string, string>;
  /** Whether the stack is there already. Default: it is created. */
  exists?: boolean;
  /** Receives the id of each process of the CLI. */
  onStart?: (pid: number) => void;
  /** Whether what the CLI prints is shown, in place of being answered. Default false. */
  show?: boolean;
}

/** Runs a command of the CLI on a stack and answers what it printed. */
export type PulumiStack = (command: string, ...args: string[]) => Promise<string>;

/** Creates a stack of the real Pulumi CLI, or opens one. */
export async function pulumiStack(options: PulumiStackOptions): Promise<PulumiStack> {
  const { project, stack, folder, config = {}, exists = false } = options;
  const file = `Pulumi.${stack}.yaml`;
  if (!exists) {
    await pulumi(options, "stack", "init", stack);
    // The CLI writes the salt of the stack's secrets beside Pulumi.yaml.
    renameSync(join(project, file), join(folder, file));
  }
  const settings = ["--stack", stack, "--config-file", join(folder, file)];
  for (const [key, value] of Object.entries(config)) {
    await pulumi(options, "config", "set", ...settings, key, value);
  }
  return (command, ...args) =>
    pulumi(options, command, ...args, ...(command === "stack" ? ["--stack", stack] : settings));
}

async function pulumi(
  { project, folder, kubeconfig, show = false, onStart }: PulumiStackOptions,
  ...args: string[]
): Promise<string> {
  const env = {
    ...process.env,
    KUBECONFIG: kubeconfig,
    PULUMI_BACKEND_URL: `file://${folder}`,
    PULUMI_CONFIG_PASSPHRASE: "test",
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
  const child = spawn("pulumi", [...args, "--non-interactive", "--color", "never"], {
    cwd: project,
    env,
    stdio: ["ignore", show ? "inherit" : "pipe", show ? "inherit" : "pipe"],
  });
  if (child.pid !== undefined) onStart?.(child.pid);
  const closed = once(child, "close");
  const [out, err] = await Promise.all([
    child.stdout ? text(child.stdout) : "",
    child.stderr ? text(child.stderr) : "",
  ]);
  const [code] = await closed;
  if (code !== 0) throw new Error(`pulumi ${args.join(" ")} ended with ${code}: ${out}${err}`);
  return out;
}
