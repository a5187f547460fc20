import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  type FaultyRegistry,
  startFaultyRegistry,
} from "../../testing/registries/faulty-registry.ts";
import { generatedImage } from "../../testing/registries/generated-images.ts";
import type { BuiltImage } from "./build.ts";
import { Buildah, ensureBuildah } from "./buildah.ts";
import { pushIndex } from "./push.ts";

/** A push is believed only if the registry serves what was built. buildah is a STAND-IN, which exits with 0. */

const image = generatedImage("built");
const other = generatedImage("other");
const built: BuiltImage[] = ["amd64", "arm64"].map((architecture, at) => ({
  architecture: architecture as BuiltImage["architecture"],
  name: "unused",
  id: image.blobs[2 * at]?.digest as string,
}));

describe("pushIndex", () => {
  let folder: string;
  let registry: FaultyRegistry;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "push-proof-"));
    // A push without TLS changes it.
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", process.env.NODE_TLS_REJECT_UNAUTHORIZED);
    vi.stubEnv("PATH", `${folder}${delimiter}${process.env.PATH}`);
  });
  afterEach(() => registry[Symbol.asyncDispose]());
  afterAll(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  /** Pushes with a buildah that writes this digest and exits with 0. */
  async function push(digest: string, pushed = image) {
    registry = await startFaultyRegistry();
    registry.tag("team/x:1", pushed);
    const script = `#!/bin/sh
for arg; do case "$arg" in --digestfile=*) printf '%s' '${digest}' > "\${arg#*=}";; esac; done
echo "Copying blob" >&2
`;
    writeFileSync(join(folder, "buildah"), script, { mode: 0o755 });
    const target = `${registry.address}/team/x:1`;
    return () =>
      pushIndex(new Buildah(folder), { folder, index: "i", target, built, tlsVerify: false });
  }

  it("returns the reference by digest if the registry serves what was built", async () => {
    const run = await push(image.root.digest);
    expect(await run()).toBe(`${registry.address}/team/x@${image.root.digest}`);
  });

  it.each([
    ["", "reported no digest of the image pushed to localhost:"],
    ["", "Copying blob"],
    ["sha256:12", 'reported "sha256:12" as digest'],
    [`sha256:${"0".repeat(64)}`, "answered 404 (manifest unknown)"],
    [image.manifests[0]?.digest as string, "it has undefined sha256:"],
    [other.root.digest, "answered 404"],
  ])("refuses the reported digest %j", async (digest, message) => {
    await expect((await push(digest))()).rejects.toThrow(message);
  });

  it("refuses another image, although its digest is served", async () => {
    await expect((await push(other.root.digest, other))()).rejects.toThrow(
      "this build made linux/",
    );
  });

  it.each([image.root, ...image.manifests, ...image.blobs])(
    "refuses forged and missing bytes of $mediaType",
    async ({ digest }) => {
      const run = await push(image.root.digest);
      registry.forged = digest;
      await expect(run()).rejects.toThrow(`instead of ${digest}`);
      registry.forged = undefined;
      registry.forget(digest);
      await expect(run()).rejects.toThrow("answered 404");
    },
  );

  it("refuses a blob that does not end", async () => {
    const run = await push(image.root.digest);
    registry.endless = image.blobs[1]?.digest;
    await expect(run()).rejects.toThrow("sent more than 1000 bytes");
  });

  it("refuses a registry that requires a login, and one that is gone", async () => {
    const run = await push(image.root.digest);
    registry.locked = true;
    await expect(run()).rejects.toThrow("needs a login");
    await registry[Symbol.asyncDispose]();
    await expect(run()).rejects.toThrow("cannot be reached");
  });
});

it("ensureBuildah refuses a program that is not buildah, and installs nothing with --no-install", () => {
  const folder = mkdtempSync(join(tmpdir(), "no-buildah-"));
  writeFileSync(join(folder, "buildah"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  writeFileSync(join(folder, "apt-get"), `#!/bin/sh\necho ran > ${folder}/ran\n`, { mode: 0o755 });
  vi.stubEnv("PATH", folder);
  try {
    expect(() => ensureBuildah({ install: false })).toThrow("buildah is not installed");
    expect(existsSync(join(folder, "ran"))).toBe(false);
  } finally {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  }
});
