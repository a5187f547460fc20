import { createHash, randomBytes } from "node:crypto";
import {
  accessSync,
  constants,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ldflags, overlay } from "./build-flags.ts";
import { withLock } from "./build-lock.ts";
import { type GoModule, go, goModuleFolder, pinnedVersion } from "./go-modules.ts";

/** The programs that are built from Go modules. */
const programs = {
  "kube-apiserver": { module: "kubernetes", source: "k8s.io/kubernetes/cmd/kube-apiserver" },
  "kube-controller-manager": {
    module: "kubernetes",
    source: "k8s.io/kubernetes/cmd/kube-controller-manager",
  },
  "kube-scheduler": { module: "kubernetes", source: "k8s.io/kubernetes/cmd/kube-scheduler" },
  etcd: { module: "etcd", source: "go.etcd.io/etcd/server/v3" },
  "lws-manager": { module: "lws", source: "sigs.k8s.io/lws/cmd" },
  "vc-scheduler": { module: "volcano", source: "volcano.sh/volcano/cmd/scheduler" },
  "vc-controller-manager": {
    module: "volcano",
    source: "volcano.sh/volcano/cmd/controller-manager",
  },
  "keda-operator": { module: "keda", source: "github.com/kedacore/keda/v2/cmd/operator" },
  "keda-adapter": { module: "keda", source: "github.com/kedacore/keda/v2/cmd/adapter" },
  "pilot-discovery": { module: "istio", source: "istio.io/istio/pilot/cmd/pilot-discovery" },
  pulumi: { module: "pulumi", source: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi" },
  "pulumi-language-yaml": {
    module: "pulumi-yaml",
    source: "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
  },
  "pulumi-language-java": {
    module: "pulumi-sdks-java",
    source: "github.com/pulumi/pulumi-java/pkg/cmd/pulumi-language-java",
  },
  // Programs of `go/pulumi-sdks/main.go` and `go/pulumi-sdks-java/main.go`.
  "pulumi-sdks": { module: "pulumi-sdks", source: "." },
  "pulumi-sdks-java": { module: "pulumi-sdks-java", source: "." },
  // The program of `go/pulumi-kubernetes/main.go`.
  "pulumi-resource-kubernetes": { module: "pulumi-kubernetes", source: "." },
  registry: {
    module: "registry",
    source: "github.com/google/go-containerregistry/cmd/registry",
  },
  // The tag leaves out the service discovery of clouds, which is a fifth of the packages.
  prometheus: {
    module: "prometheus",
    source: "github.com/prometheus/prometheus/cmd/prometheus",
    tags: "remove_all_sd",
  },
  promtool: {
    module: "prometheus",
    source: "github.com/prometheus/prometheus/cmd/promtool",
    tags: "remove_all_sd",
  },
} as const satisfies Record<string, { module: GoModule; source: string; tags?: string }>;

export type Program = keyof typeof programs;

export interface BuildOptions {
  /** The folder of built executables. Default `~/.cache/pulumi-inference`. */
  cache?: string;
  /** Receives progress, a line at a time. Default: stderr. */
  report?: (line: string) => void;
}

/**
 * Paths of programs, built once from the Go modules that `go/` pins and kept in folders named after what they are built
 * from. One build at a time on a machine: builds share what they compile.
 */
export async function findPrograms<Name extends Program>(
  names: readonly Name[],
  {
    cache = join(homedir(), ".cache", "pulumi-inference"),
    report = (line) => process.stderr.write(`${line}\n`),
  }: BuildOptions = {},
): Promise<Record<Name, string>> {
  const file = (name: Name) => join(cache, buildKey(name), name);
  const missing = () => names.filter((name) => !isExecutable(file(name)));
  if (missing().length > 0) {
    await withLock(
      join(cache, "go-build.lock"),
      async () => {
        for (const name of missing()) await build(name, cache, report);
      },
      { onWait: () => report(`Waiting for another process that builds Go programs ...`) },
    );
  }
  return Object.fromEntries(names.map((name) => [name, file(name)])) as Record<Name, string>;
}

/** Paths of the executables that make a cluster. */
export interface Binaries {
  kubeApiserver: string;
  etcd: string;
}

export interface BinariesOptions extends BuildOptions {
  /** Folder with both executables, as in Kubebuilder's envtest. Default: KUBEBUILDER_ASSETS. */
  assets?: string | undefined;
}

/** kube-apiserver and etcd: from KUBEBUILDER_ASSETS if it is set, else built. */
export async function findBinaries({
  assets = process.env.KUBEBUILDER_ASSETS,
  ...options
}: BinariesOptions = {}): Promise<Binaries> {
  if (assets !== undefined && assets !== "") return binariesOfAssets(assets);
  const built = await findPrograms(["kube-apiserver", "etcd"], options);
  return { kubeApiserver: built["kube-apiserver"], etcd: built.etcd };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function binariesOfAssets(assets: string): Binaries {
  const binaries = { kubeApiserver: join(assets, "kube-apiserver"), etcd: join(assets, "etcd") };
  const missing = Object.values(binaries).filter((file) => !isExecutable(file));
  if (missing.length > 0) {
    throw new Error(
      `KUBEBUILDER_ASSETS is ${assets}, but there is no executable ${missing.join(" and no ")}. ` +
        "Set it to a folder with kube-apiserver and etcd, or unset it to build both from Go modules.",
    );
  }
  return binaries;
}

/** Returns the build flag for the tags of a program, if it has tags. */
function tagFlags(name: Program): string[] {
  const program = programs[name];
  return "tags" in program ? [`-tags=${program.tags}`] : [];
}

/** Names everything that a program is made from: its module, that module's checksums, flags and platform. */
export function buildKey(name: Program): string {
  const { module, source } = programs[name];
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n`);
  hash.update(`${[source, ldflags(module), ...tagFlags(name)].join(" ")}\n`);
  for (const file of globSync(["go.{mod,sum}", "**/*.go", "sdk/go.mod"], {
    cwd: goModuleFolder(module),
  }).sort()) {
    hash.update(readFileSync(join(goModuleFolder(module), file)));
  }
  return `${name}-${pinnedVersion(module)}-${hash.digest("hex").slice(0, 8)}`;
}

/** Builds in a folder next to the destination and renames it, so that the folder is never incomplete. */
async function build(name: Program, cache: string, report: (line: string) => void): Promise<void> {
  const { module, source } = programs[name];
  const folder = join(cache, buildKey(name));
  const scratch = `${folder}.${randomBytes(4).toString("hex")}.building`;
  mkdirSync(scratch, { recursive: true });
  try {
    const flags = [
      ...["-v", "-trimpath", "-ldflags", ldflags(module), ...tagFlags(name)],
      ...(await overlay(module, scratch)),
    ];
    await withProgress(
      `Building ${name} ${pinnedVersion(module)} from Go modules`,
      report,
      (onLine) =>
        go(module, ["build", ...flags, "-o", join(scratch, name), source], {
          onLine,
          report,
          cache,
        }),
    );
    if (!isExecutable(join(scratch, name)))
      throw new Error(`go build ended with exit code 0, but wrote no ${name}`);
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
  report(`${title} (once; without KEDA, all of them take about 12 minutes on 2 cores) ...`);
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
