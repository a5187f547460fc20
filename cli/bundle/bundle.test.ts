import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type FaultyRegistry,
  startFaultyRegistry,
} from "../../testing/registries/faulty-registry.ts";
import { generatedImage } from "../../testing/registries/generated-images.ts";
import { folderOf, run } from "../sample.fixture.ts";

const podOf = (...images: string[]) =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "a", namespace: "models" },
    spec: { containers: images.map((image, at) => ({ name: `c${at}`, image })) },
  });

let registry: FaultyRegistry;
beforeAll(async () => {
  registry = await startFaultyRegistry();
});
afterAll(() => registry?.[Symbol.asyncDispose]());

/** A folder for a bundle of a pod with the given images, and the command that writes it. */
function bundleOf(...images: string[]) {
  const scratch = folderOf({
    "pod.json": podOf(...images.map((each) => `${registry.address}/${each}`)),
  });
  const folder = join(scratch.path, "bundle");
  const command = ["bundle", join(scratch.path, "pod.json"), "-o", folder];
  return {
    folder,
    run: (...more: string[]) => run([...command, "--prerequisites", "none", ...more]),
    lock: () => JSON.parse(readFileSync(join(folder, "bundle.lock.json"), "utf8")),
    blobs: () => readdirSync(join(folder, "blobs/sha256")),
    pod: () => readFileSync(join(folder, "manifests/01-pod-a.yaml"), "utf8"),
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  };
}

describe("bundle", () => {
  it("reports every missing image, and writes no manifest", async () => {
    registry.tag("present:1", generatedImage("present"));
    using made = bundleOf("present:1", "missing:1", "absent:2");
    const { code, err, out } = await made.run();
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err.split("\n").sort()).toEqual([
      "",
      ...["absent:2", "missing:1"].map(
        (name) =>
          `${registry.address}/${name}: ${registry.address} answered 404 (manifest unknown)`,
      ),
    ]);
    expect(existsSync(join(made.folder, "manifests"))).toBe(false);
  });

  it("refuses a tag that moved, keeps the earlier bundle, and takes the new image with --update", async () => {
    registry.tag("moving:1", generatedImage("first"));
    using made = bundleOf("moving:1");
    expect(await made.run()).toMatchObject({ code: 0 });
    const before = made.lock();
    const [{ digest }] = Object.values(before.images) as [{ digest: string }];
    expect(made.pod()).toContain(`${registry.address}/moving:1@${digest}`);

    const second = generatedImage("second");
    registry.tag("moving:1", second);
    const { code, err } = await made.run();
    expect(code).toBe(1);
    expect(err).toBe(
      `${registry.address}/moving:1: the tag moved: the lock has ${digest}, the registry ${second.root.digest}. Add --update to bundle the new image, or write the image with the digest of the lock.\n`,
    );
    expect(made.lock()).toEqual(before);
    expect(made.pod()).toContain(digest);

    expect(await made.run("--update")).toMatchObject({ code: 0 });
    expect(made.pod()).toContain(second.root.digest);
    const contents = [second.root, ...second.manifests, ...second.blobs];
    expect(made.blobs().sort()).toEqual(contents.map((each) => each.digest.slice(7)).sort());
  });

  it("refuses bytes that do not match their digest, and downloads them again in the next run", async () => {
    const image = generatedImage("forged");
    registry.tag("forged:1", image);
    registry.forged = image.blobs[1]?.digest;
    using made = bundleOf("forged:1");
    const { code, err } = await made.run();
    registry.forged = undefined;
    expect(code).toBe(1);
    expect(err).toMatch(/forged:1: sha256:\w+: the registry sent sha256:\w+ instead of 1000 bytes/);
    expect(err).toContain("is incomplete; run the same command again, which continues");
    expect(made.lock().isComplete).toBe(false);
    expect(made.blobs()).not.toContain(image.blobs[1]?.digest.slice(7));
    expect(await made.run()).toMatchObject({ code: 0, err: "" });
    expect(made.lock().isComplete).toBe(true);
  });

  it("refuses a manifest that does not match its digest", async () => {
    const image = generatedImage("forged-root");
    registry.tag("forged-root:1", image);
    registry.forged = image.root.digest;
    using made = bundleOf(`forged-root@${image.root.digest}`);
    const { code, err } = await made.run();
    registry.forged = undefined;
    expect(code).toBe(1);
    expect(err).toMatch(/sent bytes of sha256:\w+ instead of sha256:/);
  });

  it("continues an interrupted download, and requests nothing that it has", async () => {
    const image = generatedImage("cut", { layerBytes: 50_000 });
    const layer = image.blobs[1]?.digest ?? "";
    registry.tag("cut:1", image);
    registry.cut(layer, 20_000);
    using made = bundleOf("cut:1");
    expect(await made.run()).toMatchObject({ code: 1, err: expect.stringContaining(layer) });
    expect(made.blobs()).toContain(`${layer.slice(7)}.partial`);

    const from = registry.requests.length;
    expect(await made.run()).toMatchObject({ code: 0, err: "" });
    expect(registry.requests.slice(from)).toEqual([
      "GET /v2/cut/manifests/1",
      expect.stringMatching(new RegExp(`^GET /v2/cut/blobs/${layer} bytes=[1-9]\\d*-$`)),
    ]);
    expect(made.blobs().filter((name) => name.endsWith(".partial"))).toEqual([]);
  });

  it("downloads a damaged blob again", async () => {
    const image = generatedImage("damaged");
    registry.tag("damaged:1", image);
    using made = bundleOf("damaged:1");
    await made.run();
    const layer = join(made.folder, "blobs/sha256", image.blobs[1]?.digest.slice(7) ?? "");
    writeFileSync(layer, "damaged");
    expect(await made.run()).toMatchObject({ code: 0, err: "" });
    expect(readFileSync(layer)).toEqual(image.blobs[1]?.bytes);
  });

  it("contains one platform with --platform, and lists the platforms if it is missing", async () => {
    const image = generatedImage("platforms");
    registry.tag("platforms:1", image);
    using made = bundleOf("platforms:1");
    expect(await made.run("--platform", "linux/arm64")).toMatchObject({ code: 0 });
    expect(made.pod()).toContain(image.manifests[1]?.digest);
    expect(made.blobs().length).toBe(3);
    expect(await made.run("--platform", "linux/s390x")).toMatchObject({
      code: 1,
      err: `${registry.address}/platforms:1: has no image for --platform linux/s390x; it has linux/amd64, linux/arm64\n`,
    });
  });

  it("refuses an image for another platform that has no index", async () => {
    registry.tag("arm:1", generatedImage("arm", { architectures: ["arm64"], isIndex: false }));
    using made = bundleOf("arm:1");
    const { code, err } = await made.run("--platform", "linux/amd64");
    expect(code).toBe(1);
    expect(err).toContain("arm:1: is for linux/arm64, not for --platform linux/amd64");
  });

  it("refuses a folder with other files, an edited manifest and invalid options", async () => {
    registry.tag("refused:1", generatedImage("refused"));
    using made = bundleOf("refused:1");
    await made.run();
    writeFileSync(join(made.folder, "manifests/01-pod-a.yaml"), "edited: true\n");
    expect(await made.run()).toMatchObject({ code: 2 });
    expect(made.pod()).toBe("edited: true\n");
    expect(await made.run("--force")).toMatchObject({ code: 0 });

    using other = folderOf({ "notes.txt": "mine" });
    const refused = await made.run("-o", other.path);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.err).toContain("contains notes.txt and no bundle.lock.json");
    for (const [option, value] of [
      ["--registry", "https://registry.example.com"],
      ["--registry", "team"],
      ["--mirror", "docker.io"],
      ["--prerequisites", "istio"],
    ] as const) {
      const { code, err } = await made.run(option, value);
      expect(code).toBe(2);
      expect(err).toMatch(new RegExp(`^${option}: is "(none,)?${value}"; allowed`));
    }
  });

  it("names the registry of --registry, and refuses two images with one name there", async () => {
    const image = generatedImage("named");
    registry.tag("named:1", image);
    using made = bundleOf("named:1");
    expect(await made.run("--registry", "registry.test/team/a")).toMatchObject({ code: 0 });
    expect(made.pod()).toContain(`image: registry.test/team/a/named:1@${image.root.digest}`);

    using scratch = folderOf({ "pod.json": podOf("quay.io/x:1", "registry.test/x:1") });
    const command = ["bundle", join(scratch.path, "pod.json"), "-o", join(scratch.path, "b")];
    const { code, err } = await run([
      ...command,
      "--prerequisites",
      "none",
      "--registry",
      "r.test",
    ]);
    expect(code).toBe(1);
    expect(err).toContain("quay.io/x:1 and registry.test/x:1: would be one image in --registry");
  });
});

describe("push", () => {
  it("refuses a folder without a lock, an incomplete bundle and a missing blob", async () => {
    using empty = folderOf({});
    const to = ["--registry", registry.address];
    expect(await run(["push", empty.path, ...to])).toMatchObject({
      code: 2,
      err: `${empty.path}: has no bundle.lock.json; name a folder that bundle wrote\n`,
    });

    const image = generatedImage("half");
    registry.tag("half:1", image);
    registry.cut(image.blobs[0]?.digest ?? "", 10);
    using made = bundleOf("half:1");
    await made.run();
    expect(await run(["push", made.folder, ...to])).toMatchObject({
      code: 2,
      err: `${made.folder}: is incomplete; run bundle again, which continues\n`,
    });

    await made.run();
    writeFileSync(join(made.folder, "blobs/sha256", image.root.digest.slice(7)), "damaged");
    const { code, err } = await run(["push", made.folder, ...to]);
    expect(code).toBe(1);
    expect(err).toContain(`the bundle lacks the blob ${image.root.digest}, or it is damaged`);
  });

  it.each([
    ["manifests", "answered 404"],
    ["blobs", "accepted the blob sha256:"],
  ])("fails if a registry accepts %s and does not serve them", async (part, message) => {
    registry.tag("whole:1", generatedImage("whole"));
    using made = bundleOf("whole:1");
    await made.run();
    // A stand-in: it responds 201 to uploads. Only the other part can be read back.
    const stored = new Map<string, Buffer>();
    const liar = createServer(async (request, response) => {
      const { method, url = "" } = request;
      const path = url.split("/").at(-1) ?? "";
      const isLost = url.includes(`/${part}/`);
      if (method === "POST") response.writeHead(202, { location: `${url}upload` }).end();
      else if (method === "PUT") {
        const bytes = await buffer(request);
        const digest = new URL(url, "http://liar").searchParams.get("digest");
        if (!isLost) stored.set(digest ?? path, bytes);
        response.writeHead(201).end();
      } else response.writeHead(stored.has(path) ? 200 : 404).end(stored.get(path));
    });
    await new Promise<void>((resolve) => liar.listen(0, "127.0.0.1", resolve));
    const address = `localhost:${(liar.address() as AddressInfo).port}`;
    const { code, out, err } = await run(["push", made.folder, "--registry", address]);
    liar.closeAllConnections();
    liar.close();
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(message);
  });
});
