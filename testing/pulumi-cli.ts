import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";

/** Folders of programs: that of PULUMI_BIN, then those of PATH. */
const programPath = () =>
  [process.env.PULUMI_BIN, process.env.PATH].filter((path) => path !== undefined).join(delimiter);

const isInstalled = (name: string) =>
  programPath()
    .split(delimiter)
    .some((folder) => existsSync(join(folder, name)));

/** The folder in which `pulumi plugin install` keeps plugins. */
function hasPlugin(name: string): boolean {
  const home = process.env.PULUMI_HOME ?? join(homedir(), ".pulumi");
  const plugins = join(home, "plugins");
  if (!existsSync(plugins)) return false;
  return readdirSync(plugins).some((entry) => entry.startsWith(`${name}-v`));
}

/** What is not installed of the Pulumi CLI and what it needs to run our programs. */
export function missingPulumi(): string[] {
  const missing = ["pulumi", "pulumi-language-nodejs"].filter((name) => !isInstalled(name));
  const provider = "pulumi-resource-kubernetes";
  const hasProvider = isInstalled(provider) || hasPlugin("resource-kubernetes");
  return hasProvider ? missing : [...missing, provider];
}

/** Throws what is missing and how to get it. */
export function requirePulumi(): void {
  const missing = missingPulumi();
  if (missing.length === 0) return;
  throw new Error(
    `The Pulumi CLI is not complete here; missing: ${missing.join(", ")}. ` +
      "Install it (https://www.pulumi.com/docs/install) and its provider with " +
      "`pulumi plugin install resource kubernetes`, or name a folder of the three programs in PULUMI_BIN.",
  );
}

export interface PulumiStackOptions {
  /** Folder of Pulumi.yaml. */
  project: string;
  stack: string;
  /** The folder of state and configuration; the project's folder stays as it is. */
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
  // Stacks of several projects, which refer to one another, keep their state in one folder.
  const kept = join(folder, `${project.replaceAll(/\W+/g, "-")}.${file}`);
  if (!exists) {
    await pulumi(options, "stack", "init", stack);
    // The CLI writes the salt of the stack's secrets beside Pulumi.yaml.
    renameSync(join(project, file), kept);
  }
  const settings = ["--stack", stack, "--config-file", kept];
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
    PATH: programPath(),
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
