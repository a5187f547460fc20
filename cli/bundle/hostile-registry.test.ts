import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { startFaultyRegistry } from "../../testing/registries/faulty-registry.ts";
import { generatedImage } from "../../testing/registries/generated-images.ts";
import { folderOf, run } from "../sample.fixture.ts";

/** A STAND-IN of a registry, and bundles from another author, with texts that lead out of the folder. */

const oci = "application/vnd.oci.image";
const index = `${oci}.index.v1+json`;
const digestOf = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`;
const precious = "users: [{exec: mine}]";

const stops: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stops.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Serves these texts, by the last part of the path. */
const serving = (texts: ReadonlyMap<string, string>) =>
  listen(({ url = "" }, response) => {
    const text = texts.get(decodeURIComponent(url.replace(/^.*\/(manifests|blobs)\//, "")));
    response.writeHead(text === undefined ? 404 : 200, { "content-type": index }).end(text);
  });

function place(address: string, image = "x:1") {
  const spec = { containers: [{ name: "c", image: `${address}/${image}` }] };
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "m" }, spec };
  const scratch = folderOf({ "pod.json": JSON.stringify(pod), config: precious });
  const folder = join(scratch.path, "bundle");
  return {
    folder,
    outside: join(scratch.path, "config"),
    bundle: (...more: string[]) =>
      run([
        "bundle",
        join(scratch.path, "pod.json"),
        "-o",
        folder,
        "--prerequisites",
        "none",
        ...more,
      ]),
    push: (registry: string) => run(["push", folder, "--registry", registry]),
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  };
}

const descriptor = (change: object = {}) => ({
  mediaType: `${oci}.manifest.v1+json`,
  digest: digestOf("{}"),
  size: 2,
  ...change,
});

const outside = "../../../config";

describe("bundle", () => {
  it.each([
    ["a path", { digest: outside }],
    ["a path after the algorithm", { digest: `sha256:${outside}` }],
    ["another algorithm", { digest: `sha512:${"a".repeat(128)}` }],
    ["upper case", { digest: `sha256:${"A".repeat(64)}` }],
    ["a digest with a line", { digest: `${digestOf("{}")}\n` }],
    ["no digest", { digest: undefined }],
    ["a list as digest", { digest: [digestOf("{}")] }],
    ["a negative size", { size: -1 }],
    ["a fraction as size", { size: 1.5 }],
    ["a size beyond 2^53", { size: 2 ** 60 }],
    ["a string as size", { size: "2" }],
    ["a header in the media type", { mediaType: "a/b\r\nx: y" }],
    ["escapes in the platform", { platform: { os: "\u001b[2J", architecture: "a" } }],
  ])("refuses an entry of an index with %s, and changes no other file", async (_, change) => {
    const text = JSON.stringify({ mediaType: index, manifests: [descriptor(change)] });
    const texts = new Map([["1", text]]);
    for (const each of [outside, `sha256:${outside}`]) texts.set(each, '{"forged":true}');
    const address = await serving(texts);
    using made = place(address);
    for (const more of [[], ["--platform", "linux/amd64"]]) {
      const { code, err } = await made.bundle(...more);
      expect(code).toBe(1);
      expect(err).toMatch(/x:1: .*manifests\.0\.(digest|size|mediaType|platform)/);
      expect(err).not.toContain("\u001b");
    }
    expect(readFileSync(made.outside, "utf8")).toBe(precious);
  });

  it.each(["config", "layers"])("refuses a path as digest in %s of a manifest", async (field) => {
    const bad = descriptor({ digest: `sha256:${outside}` });
    const manifest = JSON.stringify({
      mediaType: `${oci}.manifest.v1+json`,
      config: descriptor(),
      layers: [descriptor()],
      [field]: field === "config" ? bad : [bad],
    });
    const address = await serving(new Map([["1", manifest]]));
    using made = place(address);
    const { code, err } = await made.bundle();
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining(`${field}.`) });
    expect(readFileSync(made.outside, "utf8")).toBe(precious);
    expect(existsSync(`${made.outside}.partial`)).toBe(false);
  });

  it.each([
    ["null", "null"],
    ["a list", "[]"],
    ["no JSON", "<html>"],
    ["nothing", ""],
    ["a prototype", '{"__proto__":{"mediaType":"x"},"manifests":{}}'],
  ])("refuses a manifest that is %s with one line", async (_, text) => {
    using made = place(await serving(new Map([["1", text]])));
    const { code, err } = await made.bundle();
    expect(code).toBe(1);
    expect(err.trimEnd().split("\n")).toHaveLength(1);
  });

  it("stops reading a manifest at its limit", async () => {
    let sent = 0;
    const address = await listen((_, response) => {
      response.writeHead(200, { "content-type": index });
      const part = Buffer.alloc(1024 * 1024, " ");
      const send = () => {
        while (!response.destroyed && sent < 1024) {
          sent += 1;
          if (!response.write(part)) return void response.once("drain", send);
        }
        response.end();
      };
      send();
    });
    using made = place(address);
    const { code, err } = await made.bundle();
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringContaining("sent more than 4194304 bytes"),
    });
    expect(sent).toBeLessThan(64);
  });

  it("stops reading a layer at the size in its manifest", async () => {
    await using registry = await startFaultyRegistry();
    const image = generatedImage("endless");
    registry.tag("x:1", image);
    registry.endless = image.blobs[1]?.digest;
    using made = place(registry.address);
    const { code, err } = await made.bundle();
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringContaining("sent more than 1000 bytes"),
    });
    const sizes = readdirSync(join(made.folder, "blobs/sha256"), { withFileTypes: true }).map(
      ({ name }) => statSync(join(made.folder, "blobs/sha256", name)).size,
    );
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000);
    registry.endless = undefined;
    expect(await made.bundle()).toMatchObject({ code: 0, err: "" });
  });

  it("reads each manifest of an index that lists one a thousand times once", async () => {
    let text = JSON.stringify({ config: descriptor(), layers: [] });
    const texts = new Map([[digestOf("{}"), "{}"]]);
    // Read without memory, 2^30 manifests.
    for (let depth = 0; depth < 30; depth++) {
      texts.set(digestOf(text), text);
      const entry = descriptor({ digest: digestOf(text), size: text.length });
      text = JSON.stringify({ mediaType: index, manifests: [entry, entry] });
    }
    texts.set("1", text);
    using made = place(await serving(texts));
    // The innermost manifest has no media type of an image.
    expect((await made.bundle()).code).toBeLessThan(2);
  });

  it.each(["blobs", "blobs/sha256", "manifests"])(
    "refuses a link at %s of its folder",
    async (name) => {
      await using registry = await startFaultyRegistry();
      registry.tag("x:1", generatedImage("linked"));
      using made = place(registry.address);
      const elsewhere = join(made.folder, "..", "elsewhere");
      mkdirSync(elsewhere);
      mkdirSync(join(made.folder, name, ".."), { recursive: true });
      symlinkSync(elsewhere, join(made.folder, name));
      const { code, err } = await made.bundle();
      expect(code).not.toBe(0);
      // A folder that is not a bundle is refused before.
      expect(err).toMatch(/is a link|is not a bundle/);
      expect(readdirSync(elsewhere)).toEqual([]);
    },
  );

  it("replaces no file behind a link in an earlier bundle", async () => {
    await using registry = await startFaultyRegistry();
    const image = generatedImage("relinked");
    registry.tag("x:1", image);
    using made = place(registry.address);
    expect(await made.bundle()).toMatchObject({ code: 0 });
    const layer = join("blobs/sha256", image.blobs[1]?.digest.slice(7) ?? "");
    const names = ["index.json", "index.json.partial", "oci-layout", "bundle.lock.json.partial"];
    for (const name of [...names, layer, `${layer}.partial`, "manifests/01-pod-a.yaml"]) {
      const path = join(made.folder, name);
      const before = existsSync(path) ? readFileSync(path) : undefined;
      rmSync(path, { force: true });
      symlinkSync(made.outside, path);
      // A link that nothing writes through may stay: the blob itself is whole.
      const { code, err } = await made.bundle("--force");
      if (code !== 0) expect(err, name).toContain("is a link");
      expect(readFileSync(made.outside, "utf8"), name).toBe(precious);
      rmSync(path, { force: true });
      if (before !== undefined) writeFileSync(path, before);
    }
  });
});

describe("a login", () => {
  /** A registry that requires a token of a realm, and the authorizations that each host got. */
  async function guarded(realm: (own: string) => string) {
    const got: string[] = [];
    const other = await listen(({ headers, url }, response) => {
      got.push(`other ${headers.authorization ?? "nothing"} ${url?.split("?")[0]}`);
      response.writeHead(200).end('{"token":"t"}');
    });
    const own: string = await listen(({ headers }, response) => {
      got.push(`own ${headers.authorization ?? "nothing"}`);
      if (headers.authorization === undefined)
        response
          .writeHead(401, { "www-authenticate": `Bearer realm="${realm(other)}",service="s"` })
          .end();
      else response.writeHead(404).end();
    });
    return { own, other, got };
  }

  async function bundled(address: string, ...more: string[]) {
    using made = place(address);
    using config = folderOf({
      "config.json": JSON.stringify({ auths: { [address]: { auth: "bG9naW4=" } } }),
    });
    process.env.DOCKER_CONFIG = config.path;
    try {
      return await made.bundle(...more);
    } finally {
      delete process.env.DOCKER_CONFIG;
    }
  }

  it("is sent to a realm on the host of its registry", async () => {
    const { own, got } = await guarded((other) => `http://${other}/token`);
    await bundled(own);
    expect(got).toEqual(["own nothing", "other Basic bG9naW4= /token", "own Bearer t"]);
  });

  it.each([
    ["another host without TLS", "http://tokens.test/token", /tokens\.test, which has no TLS/],
    ["another host", "https://tokens.test/token", /Add --realm tokens\.test if it may get/],
    ["a host that ends alike", "https://127.0.0.1.test/t", /Add --realm 127\.0\.0\.1\.test/],
    ["no URL", "token", /not a URL/],
    ["a file", "file:///etc/passwd", /not a URL/],
  ])("is not sent to a realm that is %s", async (_, realm, message) => {
    const { own, got } = await guarded(() => realm);
    const { code, err } = await bundled(own);
    expect({ code, got }).toEqual({ code: 1, got: ["own nothing"] });
    expect(err).toMatch(message);
  });

  it("is sent to a realm on another host if --realm contains it, and the host is printed", async () => {
    const { own, got } = await guarded(
      (other) => `http://${other.replace("127.0.0.1", "localhost")}/`,
    );
    const refused = await bundled(own);
    const host = /--realm (localhost:\d+)/.exec(refused.err)?.[1] ?? "";
    expect(got).toEqual(["own nothing"]);
    const { err } = await bundled(own, "--realm", host);
    expect(err).toContain(`the login is sent to ${host}, which issues tokens\n`);
    expect(got.at(-1)).toBe("own Bearer t");
  });

  it("is not sent to the target of a redirect", async () => {
    const got: string[] = [];
    const cdn = await listen(({ headers }, response) => {
      got.push(headers.authorization ?? "nothing");
      response.writeHead(404).end();
    });
    const own = await listen(({ headers }, response) => {
      if (headers.authorization === undefined)
        response.writeHead(401, { "www-authenticate": 'Basic realm="r"' }).end();
      else response.writeHead(307, { location: `http://${cdn}/x` }).end();
    });
    await bundled(own);
    expect(got).toEqual(["nothing"]);
  });
});

describe("push", () => {
  it.each(["manifests", "config", "layers"])(
    "refuses a handed-on bundle with a path as digest in %s, and changes no file",
    async (field) => {
      await using registry = await startFaultyRegistry();
      registry.tag("x:1", generatedImage("handed-on", { isIndex: false }));
      using made = place(registry.address);
      expect(await made.bundle()).toMatchObject({ code: 0 });
      const bad = descriptor({ digest: `sha256:${outside}` });
      const text = JSON.stringify({
        config: descriptor(),
        [field]: field === "config" ? bad : [bad],
      });
      const root = descriptor({ digest: digestOf(text), size: text.length });
      writeFileSync(join(made.folder, "blobs/sha256", root.digest.slice(7)), text);
      const name = `${registry.address}/x:1`;
      const annotations = { "org.opencontainers.image.ref.name": name };
      const lock = JSON.parse(readFileSync(join(made.folder, "bundle.lock.json"), "utf8"));
      lock.images[name].digest = root.digest;
      writeFileSync(join(made.folder, "bundle.lock.json"), JSON.stringify(lock));
      const manifests = [{ ...root, annotations }];
      writeFileSync(join(made.folder, "index.json"), JSON.stringify({ manifests }));
      const { code, err } = await made.push(registry.address);
      expect({ code, err }).toMatchObject({
        code: 1,
        err: expect.stringMatching(new RegExp(`${field}.*digest: allowed: sha256:`)),
      });
      expect(readFileSync(made.outside, "utf8")).toBe(precious);
    },
  );

  it("refuses a bundle whose index lacks an image of its lock, and pushes nothing", async () => {
    await using registry = await startFaultyRegistry();
    registry.tag("x:1", generatedImage("handed-on"));
    using made = place(registry.address);
    await made.bundle();
    const before = registry.requests.length;
    writeFileSync(join(made.folder, "index.json"), '{"manifests":[]}');
    const { code, err } = await made.push(registry.address);
    expect({ code, err }).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /has no digest for the image .*\/x:1, bundle\.lock\.json has sha256/,
      ),
    });
    expect(registry.requests).toHaveLength(before);
  });

  it.each(["index.json", "bundle.lock.json", "oci-layout"])(
    "refuses a folder at %s of a handed-on bundle with one line",
    async (name) => {
      await using registry = await startFaultyRegistry();
      registry.tag("x:1", generatedImage("handed-on"));
      using made = place(registry.address);
      await made.bundle();
      rmSync(join(made.folder, name));
      mkdirSync(join(made.folder, name));
      const { code, err } = await made.bundle();
      expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining(name) });
      expect(err.trimEnd().split("\n")).toHaveLength(1);
      if (name === "index.json")
        expect(await made.push(registry.address)).toMatchObject({ code: 2 });
    },
  );

  it("keeps a folder among the blobs of an earlier bundle", async () => {
    await using registry = await startFaultyRegistry();
    registry.tag("x:1", generatedImage("handed-on"));
    using made = place(registry.address);
    const foreign = join(made.folder, "blobs/sha256", "0".repeat(64));
    await made.bundle();
    mkdirSync(foreign);
    expect(await made.bundle()).toMatchObject({ code: 0 });
    expect(existsSync(foreign)).toBe(true);
  });

  it.each([
    ["index.json", "{"],
    ["index.json", '{"manifests":[{"digest":"../x"}]}'],
    ["index.json", "null"],
    ["bundle.lock.json", "null"],
    ["bundle.lock.json", '{"lockVersion":1,"isComplete":true,"images":{"a":{"digest":"../x"}}}'],
  ])("refuses a handed-on %s that is %s as invalid input", async (name, text) => {
    await using registry = await startFaultyRegistry();
    registry.tag("x:1", generatedImage("handed-on"));
    using made = place(registry.address);
    await made.bundle();
    writeFileSync(join(made.folder, name), text);
    const { code, err } = await made.push(registry.address);
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining(name) });
    expect(err).not.toMatch(/\n\s+at /);
  });
});
