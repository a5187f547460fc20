import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import fc from "fast-check";
import { type Content, generatedImage } from "../../testing/registries/generated-images.ts";
import { bytes, spoiled, spoiledObject } from "./arbitraries.ts";
import {
  assertWhole,
  command,
  contentsOf,
  isOwnPath,
  scratch,
  serve,
  sha256,
} from "./registry-world.ts";
import { target } from "./target.ts";

/** Responses of registries, and bundles from another author with their lock files. */

/** Texts of manifests, locks and indexes. */
const corpus: readonly string[] = JSON.parse(
  readFileSync(join(import.meta.dirname, "corpus", "manifests.json"), "utf8"),
);

const image = generatedImage("fuzz", { layerBytes: 200 });
const manifestOf = ({ bytes: text }: Content) => JSON.parse(text.toString("utf8")) as object;

/** A fault of a registry for one content. */
interface Fault {
  /** Content that the fault changes: 0 is the root. */
  readonly at: number;
  readonly text: Buffer | undefined;
  /** Whether the descriptors in the content's parents are corrected to the digest and size of the changed bytes. */
  readonly isNamed: boolean;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes after which the connection breaks. */
  readonly cut: number | undefined;
}

const header = fc.oneof(
  fc.constant({}),
  fc
    .tuple(
      fc.constantFrom("content-type", "docker-content-digest", "location", "www-authenticate"),
      fc.oneof(
        fc.constantFrom(
          ...["", "application/json", "application/vnd.oci.image.manifest.v1+json", "/v2/x"],
          ...[`sha256:${"0".repeat(64)}`, "sha256:../../../config", "http://127.0.0.1:1/x"],
          ...["file:///etc/passwd", "Basic", 'Bearer realm="x"', 'Bearer realm="http://[::1"'],
        ),
        fc.stringMatching(/^[\x20-\x7e]{0,30}$/),
      ),
    )
    .map(([name, value]) => ({ [name]: value })),
  fc.constantFrom<Record<string, string>[]>(
    { "content-range": "bytes 5-10/10" },
    { "content-length": "3" },
    { "content-encoding": "gzip" },
    { "transfer-encoding": "chunked" },
  ),
);

const rootText = (object: fc.Arbitrary<unknown>) =>
  object.map((value) => Buffer.from(JSON.stringify(value) ?? ""));
const changedManifest = fc.oneof(
  rootText(spoiledObject(fc.constant(manifestOf(image.root)))),
  rootText(spoiledObject(fc.constant(manifestOf(image.manifests[0] as Content)))),
  rootText(spoiledObject(fc.constant(manifestOf(image.blobs[0] as Content)))),
  spoiled(fc.constantFrom(image.root.bytes, image.manifests[0]?.bytes ?? image.root.bytes)),
  fc.constantFrom(...corpus).map((text) => Buffer.from(text)),
  fc.constantFrom(Buffer.alloc(5 * 2 ** 20, " ")),
  bytes(60),
);

const fault: fc.Arbitrary<Fault> = fc.record({
  at: fc.nat(6),
  text: fc.option(changedManifest, { nil: undefined }),
  isNamed: fc.boolean(),
  status: fc.oneof(
    { weight: 5, arbitrary: fc.constant(200) },
    fc.constantFrom(200, 204, 206, 301, 307, 401, 403, 404, 416, 429, 500),
  ),
  headers: header,
  cut: fc.option(fc.nat(300), { nil: undefined, freq: 6 }),
});

/** Returns the contents of the image with new texts, whose descriptors are corrected if a fault requires it. */
function contentsWith(faults: readonly Fault[]): Map<string, { content: Content; fault?: Fault }> {
  const all = [image.root, ...image.manifests, ...image.blobs];
  const renamed = new Map<string, { digest: string; size: number }>();
  const faultOf = (content: Content) => faults.find(({ at }) => all[at % all.length] === content);
  const result = new Map<string, { content: Content; fault?: Fault }>();
  // Leaves first, so that each parent has the new digests of its children.
  for (const content of [...all].reverse()) {
    const own = faultOf(content);
    let text = own?.text ?? content.bytes;
    if (own?.text === undefined)
      for (const [old, { digest, size }] of renamed)
        text = Buffer.from(renaming(text.toString("latin1"), old, digest, size), "latin1");
    const digest = own?.isNamed === false ? content.digest : sha256(text);
    if (digest !== content.digest) renamed.set(content.digest, { digest, size: text.length });
    const made = { ...content, bytes: text, digest } as unknown as Content;
    result.set(digest, { content: made, ...(own && { fault: own }) });
    if (content === image.root) result.set("1", { content: made, ...(own && { fault: own }) });
  }
  return result;
}

const renaming = (text: string, old: string, digest: string, size: number): string =>
  text.replaceAll(
    new RegExp(`"digest":"${old}","size":\\d+`, "g"),
    `"digest":"${digest}","size":${size}`,
  );

function answerWith(contents: ReturnType<typeof contentsWith>) {
  return ({ url = "" }: IncomingMessage, response: ServerResponse): void => {
    const found = contents.get(url.split("/").at(-1) ?? "");
    if (found === undefined) return void response.writeHead(404).end();
    const { content, fault: own } = found;
    try {
      response.writeHead(own?.status ?? 200, {
        "content-type": content.mediaType,
        ...own?.headers,
      });
    } catch {
      return void response.destroy();
    }
    if (own?.cut === undefined) return void response.end(content.bytes);
    response.write(content.bytes.subarray(0, own.cut), () => response.destroy());
  };
}

/** Changes to a file of an earlier bundle, before a command reads it. */
const change = fc.record({
  at: fc.nat(20),
  how: fc.constantFrom("text", "delete", "link", "folder", "cut"),
  text: fc.oneof(
    changedManifest.filter(({ length }) => length < 10_000),
    fc.constantFrom(...corpus).map((text) => Buffer.from(text)),
  ),
});

/** The files of a bundle, without the objects. */
function bundleOf(registry: string): Record<string, Buffer> {
  const name = `${registry}/x:1`;
  const { mediaType, digest, size } = image.root;
  const annotations = { "org.opencontainers.image.ref.name": name };
  const lock = {
    ...{ lockVersion: 1, version: "0.1.0", isComplete: true },
    images: { [name]: { digest, tagDigest: digest, size: 1_000 } },
    ...{ prerequisites: {}, files: {} },
  };
  const blobs = [image.root, ...image.manifests, ...image.blobs];
  return {
    "bundle.lock.json": Buffer.from(JSON.stringify(lock)),
    "index.json": Buffer.from(
      JSON.stringify({ schemaVersion: 2, manifests: [{ mediaType, digest, size, annotations }] }),
    ),
    "oci-layout": Buffer.from('{"imageLayoutVersion":"1.0.0"}'),
    ...Object.fromEntries(
      blobs.map((each) => [`blobs/sha256/${each.digest.slice(7)}`, each.bytes]),
    ),
  };
}

/** Changes the files of a bundle. Returns the paths that now lead to the user's file. */
function applyChanges(
  made: { readonly folder: string; readonly outside: string },
  changes: ReadonlyArray<{ at: number; how: string; text: Buffer }>,
): void {
  const paths = [...contentsOf(made.folder).keys()].sort();
  for (const { at, how, text } of changes) {
    const path = join(made.folder, paths[at % paths.length] ?? "");
    const before =
      how === "cut" ? contentsOf(made.folder).get(paths[at % paths.length] ?? "") : undefined;
    rmSync(path, { force: true, recursive: true });
    if (how === "link") symlinkSync(made.outside, path);
    if (how === "folder") mkdirSync(path);
    if (how === "text") writeFileSync(path, text);
    if (how === "cut") writeFileSync(path, before?.subarray(0, before.length / 2) ?? "");
  }
}

const podOf = (address: string) =>
  JSON.stringify({
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "m" } },
    spec: { containers: [{ name: "c", image: `${address}/x:1` }] },
  });

const blobIn = (contents: ReadonlyMap<string, Buffer>) => (digest: string) =>
  contents.get(`blobs/sha256/${digest.slice(7)}`);

/** @throws Error if a folder has a file that a bundle has not, or a finished blob with other bytes than at first */
function assertOwnFiles(before: ReadonlyMap<string, Buffer>, after: ReadonlyMap<string, Buffer>) {
  for (const [path, text] of after) {
    if (before.get(path)?.equals(text)) continue;
    if (!isOwnPath(path)) throw new Error(`${path} was written`);
    const name = /^blobs\/sha256\/([0-9a-f]{64})$/.exec(path)?.[1];
    if (name !== undefined && sha256(text) !== `sha256:${name}`)
      throw new Error(`${path} has other bytes`);
  }
}

/** A registry that stores what it receives. */
function storing(faults: readonly Fault[]) {
  const stored = new Map<string, Buffer>();
  let requests = 0;
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const { method, url = "" } = request;
    const [path = "", query = ""] = url.split("?");
    const reference = path.split("/").at(-1) ?? "";
    const digest = new URLSearchParams(query).get("digest") ?? reference;
    const own = faults[requests % 7];
    requests += 1;
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      try {
        if (own !== undefined && own.status !== 200)
          return void response.writeHead(own.status, own.headers).end(own.text?.subarray(0, 1_000));
      } catch {
        return void response.destroy();
      }
      if (method === "POST")
        return void response.writeHead(202, { location: `${path}upload` }).end();
      if (method === "PUT") {
        stored.set(digest, Buffer.concat(parts));
        return void response.writeHead(201).end();
      }
      const found = stored.get(reference);
      if (found === undefined) return void response.writeHead(404).end();
      response
        .writeHead(200, { "content-type": "application/vnd.oci.image.index.v1+json" })
        .end(method === "HEAD" ? undefined : found);
    });
  };
  return { stored, answer };
}

/** Milliseconds of one command, which reads modules and writes CRDs. */
const longest = 1_000;
const texts = corpus.map((text) => Buffer.from(text));
/** The files of a bundle in the order of their paths: its lock and its index follow its blobs. */
const listFiles = [7, 8];

export const registryTargets = [
  target(
    "answers of a registry to bundle",
    fc.tuple(
      fc.array(fault, { maxLength: 3 }),
      fc.option(fc.array(change, { maxLength: 3 }), { nil: undefined }),
      fc.constantFrom([], ["--force"], ["--update"], ["--platform", "linux/arm64"]),
    ),
    async ([faults, changes, options]) => {
      const contents = contentsWith(faults);
      const address = await serve(answerWith(contents));
      using made = scratch(changes === undefined ? {} : bundleOf(address));
      const pod = join(made.folder, "..", "pod.json");
      writeFileSync(pod, podOf(address));
      applyChanges(made, changes ?? []);
      const before = contentsOf(made.folder);
      const code = await command(
        ...["bundle", pod, "-o", made.folder, "--prerequisites", "none", ...options],
      );
      made.assertOutside();
      const after = contentsOf(made.folder);
      assertOwnFiles(before, after);
      if (code !== 0) return;
      const index = after.get("index.json") ?? Buffer.from("{}");
      assertWhole(index, blobIn(after));
      const { digest } = contents.get("1")?.content ?? {};
      if (options.length < 2 && !index.includes(digest ?? "")) throw new Error("another image");
    },
    {
      longest,
      examples: texts.map((text) => [
        [{ at: 0, text, isNamed: true, status: 200, headers: {}, cut: undefined }],
        undefined,
        [],
      ]),
    },
  ),
  target(
    "bundles and locks from another author to push",
    fc.tuple(
      fc.array(change, { maxLength: 3 }),
      fc.oneof(fc.constant([]), fc.array(fault, { minLength: 1, maxLength: 3 })),
    ),
    async ([changes, faults]) => {
      const { stored, answer } = storing(faults);
      const address = await serve(answer);
      using made = scratch(bundleOf("registry.example.com"));
      applyChanges(made, changes);
      const before = contentsOf(made.folder);
      const code = await command("push", made.folder, "--registry", address);
      made.assertOutside();
      const after = contentsOf(made.folder);
      if (before.size !== after.size) throw new Error("push changed the folder");
      for (const [path, text] of before)
        if (!after.get(path)?.equals(text)) throw new Error(`push changed ${path}`);
      for (const [digest, text] of stored)
        if (digest.startsWith("sha256:") && sha256(text) !== digest)
          throw new Error(`push sent other bytes as ${digest}`);
      if (code === 0)
        assertWhole(before.get("index.json") ?? Buffer.from("{}"), (digest) => stored.get(digest));
    },
    {
      longest,
      examples: texts.flatMap((text) => listFiles.map((at) => [[{ at, how: "text", text }], []])),
    },
  ),
];
