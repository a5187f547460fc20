import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { pip } from "./install-vllm.ts";

const sglangVersion = "0.5.23";

/**
 * Folder of SGLang's package, 100 MB, which pip installs once into ~/.cache/pulumi-inference. Its argument parser runs
 * with the packages of vLLM's CPU build; the engine itself needs an accelerator.
 */
export async function findSglang(): Promise<string> {
  const site = join(homedir(), ".cache", "pulumi-inference", `sglang-${sglangVersion}`);
  if (existsSync(site)) return site;
  const scratch = `${site}.${process.pid}.installing`;
  mkdirSync(dirname(site), { recursive: true });
  try {
    await pip(["--target", scratch, "--no-deps", `sglang==${sglangVersion}`]);
    renameSync(scratch, site);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return site;
}
