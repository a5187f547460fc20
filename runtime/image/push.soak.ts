import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ImageRegistry, startImageRegistry } from "../../testing/registries/image-registry.ts";
import { Buildah, ensureBuildah } from "./buildah.ts";
import { bundle } from "./bundle.ts";
import { readElf } from "./elf.ts";
import { pushImage } from "./push.ts";

/**
 * Pushes the image of both platforms to a real registry (of go-containerregistry) and pulls it back. Files for arm64
 * are read but not run.
 */

const problem = process.getuid?.() === 0 ? missingBuildah() : "an image is mounted by root only";
if (problem !== undefined) console.warn(`\n!! PUSHING THE IMAGE IS NOT TESTED: ${problem}\n`);

function missingBuildah(): string | undefined {
  try {
    ensureBuildah();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const machines = { amd64: 62, arm64: 183 } as const;
const indexType = "application/vnd.oci.image.index.v1+json";

describe.skipIf(problem !== undefined)("a pushed image", () => {
  let folder: string;
  let registry: ImageRegistry;
  let address: string;
  let reference: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "image-push-"));
    registry = await startImageRegistry();
    address = `localhost:${registry.port}`;
    await bundle(join(folder, "bundle"));
    reference = await push();
  });
  afterAll(async () => {
    await registry?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const push = () =>
    pushImage(join(folder, "bundle"), `${address}/team/inference:1.2`, { tlsVerify: false });

  it("a pushed image is one index of two platforms, named by its digest", async () => {
    const [, digest] = reference.split("@");
    for (const name of ["1.2", digest]) {
      const answer = await fetch(`http://${address}/v2/team/inference/manifests/${name}`, {
        headers: { accept: indexType },
      });
      expect(answer.headers.get("docker-content-digest")).toBe(digest);
      const { manifests } = (await answer.json()) as { manifests: Array<{ platform: object }> };
      expect(manifests.map(({ platform }) => platform)).toEqual([
        { architecture: "amd64", os: "linux" },
        { architecture: "arm64", os: "linux" },
      ]);
    }
  });

  it.each(["amd64", "arm64"] as const)(
    "a pushed image has on %s every library that Node.js is linked with",
    async (architecture) => {
      const buildah = new Buildah(join(folder, `pulled-${architecture}`));
      const container = await buildah.run(
        "from",
        `--platform=linux/${architecture}`,
        "--tls-verify=false",
        `docker://${reference}`,
      );
      const root = await buildah.run("mount", container);
      const node = readElf(readFileSync(join(root, "node")));
      expect(node.machine).toBe(machines[architecture]);
      expect(existsSync(join(root, node.interpreter as string))).toBe(true);
      const files = new Map(
        readdirSync(root, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && /\.so(\.|$)/.test(entry.name))
          .map((entry) => [entry.name, readElf(readFileSync(join(entry.parentPath, entry.name)))]),
      );
      expect([...files.keys()]).toEqual(expect.arrayContaining([...node.libraries]));
      for (const { machine, libraries } of files.values()) {
        expect(machine).toBe(machines[architecture]);
        expect([...files.keys()]).toEqual(expect.arrayContaining([...libraries]));
      }
      for (const license of ["node", "packages", "pulumi-inference"])
        expect(existsSync(join(root, "licenses", license))).toBe(true);
      await buildah.run("umount", container);
    },
  );

  it("a second push gives the same digest", async () => {
    expect(await push()).toBe(reference);
  });
});
