import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { findGo } from "./find-go.ts";
import type { PythonPackageOptions } from "./python-package.ts";

/**
 * The Go modules that the embedded cluster, its CRDs, a registry, Kustomize and the Pulumi CLI are made of. Each folder under `go/` pins one with its
 * go.mod and go.sum, so that the build needs no lookup and what it downloads is checked. To take another version, edit the
 * require line and the replace lines of go.mod and run `go mod tidy` there.
 */
export const goModules = {
  kubernetes: "k8s.io/kubernetes",
  etcd: "go.etcd.io/etcd/server/v3",
  lws: "sigs.k8s.io/lws",
  volcano: "volcano.sh/volcano",
  keda: "github.com/kedacore/keda/v2",
  "gateway-api": "sigs.k8s.io/gateway-api",
  "inference-extension": "sigs.k8s.io/gateway-api-inference-extension",
  istio: "istio.io/istio",
  "envoy-gateway": "github.com/envoyproxy/gateway",
  prometheus: "github.com/prometheus/prometheus",
  "prometheus-operator": "github.com/prometheus-operator/prometheus-operator",
  registry: "github.com/google/go-containerregistry",
  kustomize: "sigs.k8s.io/kustomize/kustomize/v5",
  pulumi: "github.com/pulumi/pulumi/pkg/v3",
  "pulumi-sdks": "github.com/pulumi/pulumi/pkg/v3",
  "pulumi-sdks-java": "github.com/pulumi/pulumi-java/pkg",
  "pulumi-yaml": "github.com/pulumi/pulumi-yaml",
  "pulumi-kubernetes": "github.com/pulumi/pulumi-kubernetes/provider/v4",
} as const;

export type GoModule = keyof typeof goModules;

export const goModuleFolder = (name: GoModule) => join(import.meta.dirname, "..", "go", name);

/** The version that a folder's go.mod pins, for example `v1.36.3`. */
export function pinnedVersion(name: GoModule): string {
  const path = goModules[name];
  const file = join(goModuleFolder(name), "go.mod");
  const version = readFileSync(file, "utf8")
    .split("\n")
    .map((line) =>
      line
        .trim()
        .replace(/^require\s+/, "")
        .split(/\s+/),
    )
    .find(([module]) => module === path)?.[1];
  if (version === undefined) throw new Error(`${file} does not require ${path}`);
  return version;
}

/**
 * Folder with a module's own source, or with the source of a module that it requires, downloaded where it is not there yet and
 * checked against go.sum.
 */
export async function moduleSource(
  name: GoModule,
  path: string = goModules[name],
): Promise<string> {
  const output = await go(name, ["mod", "download", "-json", path]);
  const { Dir: folder } = JSON.parse(output) as { Dir?: string };
  if (folder === undefined || !existsSync(folder))
    throw new Error(`go mod download of ${path} ended with exit code 0, but has no folder`);
  return folder;
}

export interface GoRun extends PythonPackageOptions {
  /** Called with each line that go writes on stderr. */
  onLine?: (line: string) => void;
}

/** Runs the go command in a module's folder, at a low priority, and returns its stdout. */
export async function go(
  name: GoModule,
  args: readonly string[],
  { onLine, ...options }: GoRun = {},
): Promise<string> {
  const child = spawn(await findGo(options), args, {
    cwd: goModuleFolder(name),
    env: { ...process.env, GOWORK: "off", GOFLAGS: "-buildvcs=false", CGO_ENABLED: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  let output = "";
  const lines: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    for (const line of text.split("\n").filter((line) => line !== "")) {
      lines.push(line);
      onLine?.(line);
    }
  });
  const failure = await new Promise<string | undefined>((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code) =>
      resolve(code === 0 ? undefined : `exit code ${code}\n${lines.slice(-20).join("\n")}`),
    );
  });
  if (failure !== undefined) throw new Error(`go ${args[0]} of ${goModules[name]}: ${failure}`);
  return output;
}
