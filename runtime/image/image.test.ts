import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { checkHealth } from "../manager/health/check-health.fixture.ts";
import { healthStatus } from "../manager/health/health-service.ts";
import { buildImage } from "./build.ts";
import { Buildah, ensureBuildah } from "./buildah.ts";
import { bundle } from "./bundle.ts";

const problem =
  process.getuid?.() === 0 ? missingBuildah() : "a container is run here by root only";
if (problem !== undefined) console.warn(`\n!! THE IMAGE IS NOT TESTED: ${problem}\n`);

/** Installs buildah if possible. Returns the reason if that failed. */
function missingBuildah(): string | undefined {
  try {
    ensureBuildah();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const pool = `
apiVersion: inference.networking.k8s.io/v1
kind: InferencePool
metadata: {name: pool}
spec:
  selector: {matchLabels: {app: m}}
  targetPorts: [{number: 8000}]
  endpointPickerRef: {name: epp, port: {number: 9002}}
---
apiVersion: v1
kind: Pod
metadata: {name: a, labels: {app: m}}
status: {podIP: 127.0.0.1}
`;

/** A kubeconfig with an API server that does not exist. */
const nowhere = `
apiVersion: v1
kind: Config
current-context: nowhere
contexts: [{name: nowhere, context: {cluster: nowhere, user: nobody}}]
clusters: [{name: nowhere, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: nobody, user: {token: "-"}}]
`;

describe.skipIf(problem !== undefined)("the image", () => {
  let folder: string;
  let archive: string;
  let digest: string;
  let buildah: Buildah;
  let container: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "image-test-"));
    archive = join(folder, "image.oci.tar");
    await bundle(join(folder, "first"));
    digest = await buildImage(join(folder, "first"), archive);
    buildah = new Buildah(join(folder, "storage"));
    container = await buildah.run("from", `oci-archive:${archive}`);
  }, 300_000);
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it("two builds give the same bytes", async () => {
    const again = join(folder, "again.oci.tar");
    await bundle(join(folder, "second"));
    expect(await buildImage(join(folder, "second"), again)).toBe(digest);
    expect(readFileSync(again).equals(readFileSync(archive))).toBe(true);
  });

  it("the image runs as nonroot, which can write no file", async () => {
    const { OCIv1 } = JSON.parse(await buildah.run("inspect", container)) as {
      OCIv1: { config: Record<string, unknown> };
    };
    expect(OCIv1.config).toMatchObject({
      User: "65532:65532",
      Entrypoint: ["/node", "/app/main.cjs"],
      WorkingDir: "/app",
    });
    const root = await buildah.run("mount", container);
    const writable = execFileSync(
      "find",
      [root, "-perm", "/022", "-not", "-type", "l", "-o", "-not", "-uid", "0"],
      { encoding: "utf8" },
    );
    expect(writable).toBe("");
    await buildah.run("umount", container);
  });

  it("a picker starts, reports SERVING and exits with 0", async () => {
    const flags = ["--file-source=/input.yaml", "--grpc-port=0", "--grpc-health-port=0"];
    const picker = await boot([...flags, "--metrics-port=0", "--drain-timeout=0"], pool);
    const health = () => checkHealth(picker.ports.health, "inference-extension");
    await expect.poll(health, { timeout: 30_000 }).toBe(healthStatus.serving);
    expect(await picker.end()).toBe(0);
  });

  it("a status controller starts, is alive but not ready without an API server, and exits with 0", async () => {
    const flags = ["--kubeconfig=/input.yaml", "--leader-elect=false"];
    const ports = ["--metrics-port=0", "--health-port=0"];
    const controller = await boot(["status-controller", ...flags, ...ports], nowhere);
    const health = (service: string) => checkHealth(controller.ports.health, service);
    expect(await health("liveness")).toBe(healthStatus.serving);
    expect(await health("readiness")).toBe(healthStatus.notServing);
    expect(await controller.end()).toBe(0);
  });

  /** Runs the image as its user with a file at /input.yaml. Resolves when the program logs its ports. */
  async function boot(args: readonly string[], input: string) {
    const file = join(await mkdtemp(join(folder, "boot-")), "input.yaml");
    await writeFile(file, input, { mode: 0o644 });
    const booted = spawn(
      "buildah",
      buildah.command(
        "run",
        "--isolation=chroot",
        "--user=65532:65532",
        `--volume=${file}:/input.yaml:ro`,
        ...[container, "--", "/node", "/app/main.cjs", ...args],
      ),
      { stdio: ["ignore", "inherit", "pipe"], detached: true },
    );
    const { pid = 0 } = booted;
    onTestFinished(() => {
      if (booted.exitCode === null) process.kill(-pid, "SIGKILL");
    });
    const ended = new Promise((resolve) => booted.once("exit", resolve));
    const { ports } = await serving(booted);
    return {
      ports,
      end() {
        process.kill(innermost(pid), "SIGTERM");
        return ended;
      },
    };
  }
});

/** Returns the process that buildah's processes run, because they do not forward signals. */
function innermost(pid: number): number {
  const [child] = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean),
  );
  return child === undefined ? pid : innermost(Number(child));
}

/** Returns the log line with the ports of a program. */
function serving(program: ChildProcess): Promise<{ ports: { health: number } }> {
  let log = "";
  return new Promise((resolve, reject) => {
    program.once("exit", (code) => reject(new Error(`ended with ${code}: ${log}`)));
    program.stderr?.on("data", (bytes) => {
      log += bytes;
      const line = log.split("\n").find((text) => text.includes('"msg":"serving"'));
      if (line !== undefined) resolve(JSON.parse(line));
    });
  });
}
