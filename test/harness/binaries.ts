import { createHash, randomBytes } from "node:crypto";
import { accessSync, constants, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { withLock } from "./build-lock.ts";
import { type GoModule, go, goModuleFolder, pinnedVersion } from "./go-modules.ts";

/** Paths of the executables that make a cluster. */
export interface Binaries {
  kubeApiserver: string;
  etcd: string;
}

export interface BinariesOptions {
  /** Folder with both executables, as Kubebuilder's envtest has it. Default: KUBEBUILDER_ASSETS. */
  assets?: string | undefined;
  /** Where built executables are kept. Default `~/.cache/pulumi-inference`. */
  cache?: string;
  /** Receives progress, a line at a time. Default: stderr. */
  report?: (line: string) => void;
}

/**
 * kube-apiserver and etcd: those of KUBEBUILDER_ASSETS where that is set, else built once from the Go modules
 * that `go/` pins and kept in a folder named after what they are built from.
 */
export async function findBinaries({
  assets = process.env.KUBEBUILDER_ASSETS,
  cache = join(homedir(), ".cache", "pulumi-inference"),
  report = (line) => process.stderr.write(`${line}\n`),
}: BinariesOptions = {}): Promise<Binaries> {
  if (assets !== undefined && assets !== "") return binariesOfAssets(assets);
  const folder = join(cache, buildKey());
  if (!isBuilt(folder)) {
    await withLock(
      join(cache, `${buildKey()}.lock`),
      async () => {
        if (!isBuilt(folder)) await build(folder, report);
      },
      {
        onWait: () => report("Waiting for another process that builds kube-apiserver and etcd ..."),
      },
    );
  }
  return binariesIn(folder);
}

const binariesIn = (folder: string): Binaries => ({
  kubeApiserver: join(folder, "kube-apiserver"),
  etcd: join(folder, "etcd"),
});

const isBuilt = (folder: string) => Object.values(binariesIn(folder)).every(isExecutable);

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function binariesOfAssets(assets: string): Binaries {
  const binaries = binariesIn(assets);
  const missing = Object.values(binaries).filter((file) => !isExecutable(file));
  if (missing.length > 0) {
    throw new Error(
      `KUBEBUILDER_ASSETS is ${assets}, but there is no executable ${missing.join(" and no ")}. ` +
        "Set it to a folder with kube-apiserver and etcd, or unset it to build both from Go modules.",
    );
  }
  return binaries;
}

interface Build {
  module: GoModule & keyof typeof packages;
  ldflags: string;
}

const packages = {
  "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
  etcd: "go.etcd.io/etcd/server/v3",
};

function builds(): Build[] {
  return [
    { module: "kube-apiserver", ldflags: `-s -w ${versionFlags(pinnedVersion("kube-apiserver"))}` },
    { module: "etcd", ldflags: "-s -w" },
  ];
}

/** kube-apiserver derives the API versions it serves from the version that is linked in. */
function versionFlags(version: string): string {
  const [major, minor] = version.replace(/^v/, "").split(".");
  const values = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: "clean" };
  return Object.entries(values)
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
    .join(" ");
}

/** Names everything that the executables are made from: modules, their checksums, flags and platform. */
export function buildKey(): string {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n`);
  for (const { module, ldflags } of builds()) {
    hash.update(`${module} ${ldflags}\n`);
    for (const file of ["go.mod", "go.sum"])
      hash.update(readFileSync(join(goModuleFolder(module), file)));
  }
  return hash.digest("hex").slice(0, 16);
}

/** Builds beside the destination and renames, so that the folder is there whole or not at all. */
async function build(folder: string, report: (line: string) => void): Promise<void> {
  const scratch = `${folder}.${randomBytes(4).toString("hex")}.building`;
  mkdirSync(scratch, { recursive: true });
  try {
    for (const { module, ldflags } of builds()) {
      await withProgress(
        `Building ${module} ${pinnedVersion(module)} from Go modules`,
        report,
        (onLine) =>
          go(
            module,
            [
              "build",
              "-v",
              "-trimpath",
              "-ldflags",
              ldflags,
              "-o",
              join(scratch, module),
              packages[module],
            ],
            {
              onLine,
            },
          ),
      );
    }
    rmSync(folder, { recursive: true, force: true });
    renameSync(scratch, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const progressSeconds = 15;

/** Says every 15 seconds how long `work` has been running and what it did last. */
async function withProgress<T>(
  title: string,
  report: (line: string) => void,
  work: (onLine: (line: string) => void) => Promise<T>,
): Promise<T> {
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  let packages = 0;
  let last = "";
  report(`${title} (once; both take about 4 minutes on 2 cores) ...`);
  const timer = setInterval(() => {
    report(`  ${seconds()} s, ${packages} packages compiled, last: ${last}`);
  }, progressSeconds * 1000);
  try {
    const result = await work((line) => {
      // `go: downloading ...` comes between the names of compiled packages.
      if (!line.startsWith("go: ")) packages += 1;
      last = line;
    });
    report(`  done in ${seconds()} s`);
    return result;
  } finally {
    clearInterval(timer);
  }
}
