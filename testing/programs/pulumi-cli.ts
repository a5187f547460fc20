import { spawn } from "node:child_process";
import { once } from "node:events";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { findPulumi, type PulumiPrograms } from "./pulumi-programs.ts";

export interface PulumiOptions {
  /** Folder of Pulumi.yaml. */
  project: string;
  /** The folder of state and configuration; the project's folder stays as it is. */
  folder: string;
  kubeconfig: string;
  /** Default: the CLI with the language host of Node.js and the Kubernetes provider. */
  programs?: PulumiPrograms;
  /** Receives the id of each process of the CLI. */
  onStart?: (pid: number) => void;
  /** Whether the CLI's output is printed instead of returned. Default false. */
  show?: boolean;
}

export interface PulumiStackOptions extends PulumiOptions {
  stack: string;
  config?: Record<string, string>;
  /** Whether the stack is there already. Default: it is created. */
  exists?: boolean;
}

/** Runs a command of the CLI on a stack and answers what it printed. */
export type PulumiStack = (command: string, ...args: string[]) => Promise<string>;

/** Creates a stack of the real Pulumi CLI, or opens one. */
export async function pulumiStack(options: PulumiStackOptions): Promise<PulumiStack> {
  const { project, stack, folder, config = {}, exists = false } = options;
  const file = `Pulumi.${stack}.yaml`;
  // Stacks of several projects, which refer to one another, keep their state in one folder.
  const kept = join(folder, `${project.replaceAll(/\W+/g, "-")}.${file}`);
  if (!exists) {
    await pulumi(options, "stack", "init", stack);
    // The CLI writes the salt of the stack's secrets next to Pulumi.yaml.
    renameSync(join(project, file), kept);
  }
  const settings = ["--stack", stack, "--config-file", kept];
  for (const [key, value] of Object.entries(config)) {
    await pulumi(options, "config", "set", ...settings, key, value);
  }
  return (command, ...args) =>
    pulumi(
      options,
      command,
      ...args,
      ...(withoutConfig.includes(command) ? ["--stack", stack] : settings),
    );
}

/** Commands that read no configuration. */
const withoutConfig = ["stack", "cancel"];

/** Environment of the CLI, with its state in a folder. */
export const environmentOf = ({
  folder,
  kubeconfig,
  programs: { path },
}: Pick<PulumiOptions, "folder" | "kubeconfig"> & { readonly programs: PulumiPrograms }) => ({
  PATH: path,
  PULUMI_HOME: join(folder, "home"),
  KUBECONFIG: kubeconfig,
  PULUMI_BACKEND_URL: `file://${folder}`,
  PULUMI_CONFIG_PASSPHRASE: "test",
  PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
  PULUMI_SKIP_UPDATE_CHECK: "true",
  PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS: "true",
});

/** Runs a command of the CLI in a project and returns its output. */
export async function pulumi(
  { project, folder, kubeconfig, programs, show = false, onStart }: PulumiOptions,
  ...args: string[]
): Promise<string> {
  const found = programs ?? (await findPulumi());
  const env = { ...process.env, ...environmentOf({ folder, kubeconfig, programs: found }) };
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
