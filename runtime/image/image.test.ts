import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkHealth } from "../process/check-health.fixture.ts";
import { healthStatus } from "../process/health-service.ts";
import { buildImage } from "./build.ts";
import { Buildah, ensureBuildah } from "./buildah.ts";
import { bundle } from "./bundle.ts";

const problem =
  process.getuid?.() === 0 ? missingBuildah() : "a container is run here by root only";
if (problem !== undefined) console.warn(`\n!! THE IMAGE IS NOT TESTED: ${problem}\n`);

/** Installs it where that is possible. */
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

  it("has the same bytes whenever it is built", async () => {
    const again = join(folder, "again.oci.tar");
    await bundle(join(folder, "second"));
    expect(await buildImage(join(folder, "second"), again)).toBe(digest);
    expect(readFileSync(again).equals(readFileSync(archive))).toBe(true);
  });

  it("runs as nonroot, which may write nowhere", async () => {
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

  it("boots, answers its health service, and ends well", async () => {
    const file = join(folder, "pool.yaml");
    await writeFile(file, pool, { mode: 0o644 });
    const flags = ["--file-source=/pool.yaml", "--grpc-port=0", "--grpc-health-port=0"];
    const picker = spawn(
      "buildah",
      buildah.command(
        "run",
        "--isolation=chroot",
        "--user=65532:65532",
        `--volume=${file}:/pool.yaml:ro`,
        container,
        "--",
        "/node",
        "/app/main.cjs",
        ...flags,
        "--metrics-port=0",
        "--drain-timeout=0",
      ),
      { stdio: ["ignore", "inherit", "pipe"], detached: true },
    );
    const ended = new Promise((resolve) => picker.once("exit", resolve));
    try {
      const { ports } = await serving(picker);
      const health = () => checkHealth(ports.health, "inference-extension");
      await expect.poll(health, { timeout: 30_000 }).toBe(healthStatus.serving);
      process.kill(innermost(picker.pid ?? 0), "SIGTERM");
      expect(await ended).toBe(0);
    } finally {
      if (picker.exitCode === null) process.kill(-(picker.pid ?? 0), "SIGKILL");
    }
  });
});

/** The process that buildah's processes run: they would not pass a signal on. */
function innermost(pid: number): number {
  const [child] = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean),
  );
  return child === undefined ? pid : innermost(Number(child));
}

/** The log line by which a picker tells its ports. */
function serving(picker: ChildProcess): Promise<{ ports: { health: number } }> {
  let log = "";
  return new Promise((resolve, reject) => {
    picker.once("exit", (code) => reject(new Error(`ended with ${code}: ${log}`)));
    picker.stderr?.on("data", (bytes) => {
      log += bytes;
      const line = log.split("\n").find((text) => text.includes('"msg":"serving"'));
      if (line !== undefined) resolve(JSON.parse(line));
    });
  });
}
