import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

const programs = ["pulumi", "pulumi-language-nodejs", "pulumi-resource-kubernetes"];

/** Fails with what is missing: this lane proves nothing without the real programs. */
export function requirePulumi(): void {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const missing = programs.filter(
    (name) => !folders.some((folder) => existsSync(join(folder, name))),
  );
  if (missing.length > 0) {
    throw new Error(
      `not on PATH: ${missing.join(", ")}; install the Pulumi CLI and its kubernetes plugin`,
    );
  }
}

/** Runs a command on the stack and answers what it printed. */
export type PulumiStack = (...args: string[]) => Promise<string>;

/** A stack of a project, its state and its configuration in a folder of their own. */
export async function pulumiStack(
  project: string,
  {
    folder,
    kubeconfig,
    config = {},
  }: { folder: string; kubeconfig: string; config?: Record<string, string> },
): Promise<PulumiStack> {
  const env = {
    ...process.env,
    KUBECONFIG: kubeconfig,
    PULUMI_BACKEND_URL: `file://${folder}`,
    PULUMI_CONFIG_PASSPHRASE: "test",
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
  const settings = ["--stack", "lane", "--config-file", join(folder, "Pulumi.lane.yaml")];
  const pulumi = async (...args: string[]) =>
    (
      await run("pulumi", [...args, "--non-interactive", "--color", "never"], {
        cwd: project,
        env,
        maxBuffer: 64 << 20,
      })
    ).stdout;
  await pulumi("stack", "init", "lane");
  for (const [key, value] of Object.entries(config))
    await pulumi("config", "set", ...settings, key, value);
  return (command, ...args) =>
    command === "stack"
      ? pulumi("stack", ...args, "--stack", "lane")
      : pulumi(command, ...args, ...settings);
}
