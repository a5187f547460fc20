import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BundleLock } from "../../cli/bundle/lock.ts";
import { type Ran, run } from "../../cli/sample.fixture.ts";
import { RegistryClient } from "../../kubernetes/registry/client.ts";
import { imagesOf } from "../../kubernetes/registry/pod-images.ts";
import { parseReference } from "../../kubernetes/registry/reference.ts";
import { manifestsOfPrerequisite } from "../../sdk/platform/manifests.ts";
import { prerequisiteNames } from "../../sdk/platform/prerequisites.ts";
import { findBinaries } from "../../testing/processes/binaries.ts";
import { freePorts } from "../../testing/processes/free-ports.ts";
import { generatedImage, pushGenerated } from "../../testing/registries/generated-images.ts";
import { type ImageRegistry, startImageRegistry } from "../../testing/registries/image-registry.ts";
import { repositoryRoot } from "../../testing/repository.ts";
import type { OfflineInstall } from "./install-offline.ts";

/**
 * The whole way of an air gap: generated images in a registry, a bundle, and its installation in a network namespace
 * without any interface except loopback, on a real API server and another registry.
 */

const problem = unshareProblem();
if (problem !== undefined)
  console.warn(`\n!! INSTALLING WITHOUT A NETWORK IS NOT TESTED: ${problem}\n`);

function unshareProblem(): string | undefined {
  try {
    execFileSync("unshare", ["-rn", "ip", "link", "set", "lo", "up"], { stdio: "pipe" });
    return undefined;
  } catch (error) {
    return `unshare -rn: ${(error as Error).message}`;
  }
}

let connected: ImageRegistry;
let folder: string;
let port: number;
let ran: Ran;
let arguments_: string[];
let lock: BundleLock;
const service = join(repositoryRoot, "examples/disaggregated/service.yaml");

beforeAll(async () => {
  await findBinaries();
  connected = await startImageRegistry();
  folder = join(mkdtempSync(join(tmpdir(), "air-gap-")), "bundle");
  [port = 0] = await freePorts(1);
  const rendered = await run(["render", service, "--format", "json"]);
  const objects = [
    ...JSON.parse(rendered.out),
    ...prerequisiteNames.flatMap((name) => manifestsOfPrerequisite(name)),
  ];
  const client = new RegistryClient();
  const registries = new Set<string>();
  for (const image of imagesOf(objects)) {
    const { registry, repository, tag } = parseReference(image);
    registries.add(registry);
    const isIndex = !repository.startsWith("kedacore");
    const architectures = isIndex ? ["amd64", "arm64"] : ["amd64"];
    const generated = generatedImage(image, { architectures, isIndex });
    await pushGenerated(client, `${connected.address}/${registry}/${repository}:${tag}`, generated);
  }
  const mirrors = [...registries].map((each) => `${each}=${connected.address}/${each}`);
  arguments_ = ["bundle", service, "-o", folder, "--registry", `localhost:${port}/air`];
  arguments_.push("--mirror", ...mirrors);
  ran = await run(arguments_);
  if (ran.code !== 0) throw new Error(ran.err);
  lock = JSON.parse(readFileSync(join(folder, "bundle.lock.json"), "utf8"));
});
afterAll(async () => {
  await connected?.stop();
  rmSync(join(folder, ".."), { recursive: true, force: true });
});

describe("a bundle", () => {
  it("lists every image with its digest, and the versions of the prerequisites", () => {
    expect(ran).toMatchObject({ code: 0 });
    expect(Object.keys(lock.images)).toEqual(
      expect.arrayContaining([
        "docker.io/vllm/vllm-openai:v0.32.0",
        "registry.k8s.io/lws/lws:v0.9.0",
        "docker.io/volcanosh/vc-scheduler:v1.14.1",
        "ghcr.io/kedacore/keda:2.21.0",
      ]),
    );
    expect(lock.isComplete).toBe(true);
    expect(Object.keys(lock.prerequisites)).toEqual([
      ...["gateway-api", "inference-extension", "lws", "volcano", "keda"],
    ]);
  });

  it("contains each file with the SHA-256 in the lock, and each content under its digest", () => {
    for (const [path, digest] of Object.entries(lock.files))
      expect(sha256(readFileSync(join(folder, path)))).toBe(digest);
    const index = JSON.parse(readFileSync(join(folder, "index.json"), "utf8"));
    expect(JSON.parse(readFileSync(join(folder, "oci-layout"), "utf8"))).toEqual({
      imageLayoutVersion: "1.0.0",
    });
    expect(index.manifests.length).toBe(Object.keys(lock.images).length);
    for (const { digest, size } of index.manifests) {
      const bytes = readFileSync(join(folder, "blobs/sha256", digest.slice(7)));
      expect([sha256(bytes), bytes.length]).toEqual([digest.slice(7), size]);
    }
  });

  it("does not change in a second run", async () => {
    const before = readFileSync(join(folder, "bundle.lock.json"), "utf8");
    expect(await run(arguments_)).toEqual(ran);
    expect(readFileSync(join(folder, "bundle.lock.json"), "utf8")).toBe(before);
  });

  it.skipIf(problem !== undefined)(
    "installs without a network, and every image is pulled by its digest",
    async () => {
      const program = join(import.meta.dirname, "install-offline.ts");
      const { stdout } = await promisify(execFile)(
        "unshare",
        [
          ...["-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"],
          ...[process.execPath, "--conditions=source", program, folder, String(port)],
          `http://${connected.address}/v2/`,
        ],
        { env: process.env, maxBuffer: 1e7 },
      );
      const result = JSON.parse(stdout) as OfflineInstall;
      expect(result.outside).toMatch(/ECONNREFUSED/);
      expect(result.push).toEqual({ code: 0, err: "" });
      expect(result.applied.prerequisites).toBe(
        prerequisiteNames.flatMap((name) => manifestsOfPrerequisite(name)).length,
      );
      const inRegistry = new RegExp(`^localhost:${port}/air/.+@sha256:[0-9a-f]{64}$`);
      const images = Object.keys(result.images);
      expect(images.filter((image) => !inRegistry.test(image))).toEqual([]);
      expect(images.length).toBe(Object.keys(lock.images).length);
      // An index, and a manifest, a configuration and a layer for two platforms.
      expect(new Set(Object.values(result.images))).toEqual(new Set([3, 7]));
    },
    180_000,
  );
});

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
