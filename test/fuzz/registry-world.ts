import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { run } from "../../cli/sample.fixture.ts";
import { isMap } from "../../kubernetes/values/records.ts";

/** A folder with a file of the user next to a bundle, and a STAND-IN of a registry. */

export const sha256 = (bytes: Uint8Array | string): string =>
  `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

let listener: RequestListener = () => {};
let address: Promise<string> | undefined;

/** Responds to all requests with a function until the next call. Returns the address of the stand-in. */
export function serve(answer: RequestListener): Promise<string> {
  listener = answer;
  address ??= new Promise((resolve) => {
    const server = createServer((request, response) => {
      // A client may end a request early.
      response.on("error", () => {});
      request.on("error", () => {});
      listener(request, response);
    });
    server.listen(0, "127.0.0.1", () =>
      resolve(`127.0.0.1:${(server.address() as AddressInfo).port}`),
    );
    server.unref();
  });
  return address;
}

const precious = "users: [{exec: mine}]";

export interface Scratch extends Disposable {
  /** Folder of the bundle, which may be missing. */
  readonly folder: string;
  /** A file of the user, which no command may read or change. */
  readonly outside: string;
  /** @throws Error if anything but the bundle's folder changed */
  assertOutside(): void;
}

/** Makes a folder with files for the bundle, by path in it. */
export function scratch(files: Readonly<Record<string, string | Uint8Array>> = {}): Scratch {
  const root = mkdtempSync(join(tmpdir(), "pulumi-inference-fuzz-"));
  const folder = join(root, "bundle");
  const outside = join(root, "config");
  writeFileSync(outside, precious);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return {
    ...{ folder, outside },
    assertOutside() {
      const names = readdirSync(root).filter((name) => name !== "bundle" && name !== "pod.json");
      if (names.join() !== "config") throw new Error(`outside of the bundle: ${names}`);
      if (readFileSync(outside, "utf8") !== precious) throw new Error("the user's file changed");
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Runs a command, which may fail with a message only. */
export async function command(...args: readonly string[]): Promise<number> {
  const { code, err } = await run(args);
  if (![0, 1, 2].includes(code)) throw new Error(`exit code ${code}`);
  if (/\n\s+at |TypeError|RangeError|ReferenceError/.test(err)) throw new Error(err);
  if (code !== 0 && err.trim() === "") throw new Error(`exit code ${code} without a message`);
  return code;
}

/** Returns the contents of a folder by path; a link has its target. */
export function contentsOf(folder: string): Map<string, Buffer> {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return new Map();
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries.flatMap((entry) => {
      const path = join(entry.parentPath, entry.name);
      const name = path.slice(folder.length + 1);
      if (entry.isSymbolicLink()) return [[name, Buffer.from(`link ${readlinkSync(path)}`)]];
      return entry.isFile() ? [[name, readFileSync(path)]] : [];
    }),
  );
}

const parsed = (bytes: Uint8Array): Record<string, unknown> => {
  const value: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
  if (!isMap(value)) throw new Error("a manifest that is not an object was accepted");
  return value;
};

/**
 * Follows every reference below an index, and compares digests and sizes.
 *
 * @throws Error if a content is missing or has other bytes
 */
export function assertWhole(
  index: Uint8Array,
  contentOf: (digest: string) => Uint8Array | undefined,
): void {
  const visit = (entry: unknown, isManifest: boolean) => {
    const { digest, size } = entry as { digest: string; size: number };
    const bytes = contentOf(digest);
    if (bytes === undefined) throw new Error(`${digest} is missing`);
    if (sha256(bytes) !== digest) throw new Error(`${digest} has other bytes`);
    if (bytes.length !== size) throw new Error(`${digest} has another size`);
    if (isManifest) below(bytes);
  };
  const below = (bytes: Uint8Array) => {
    const { manifests = [], config, layers = [] } = parsed(bytes);
    for (const each of manifests as unknown[]) visit(each, true);
    if (config === undefined) return;
    visit(config, false);
    for (const each of layers as unknown[]) visit(each, false);
  };
  const { manifests = [] } = parsed(index);
  for (const each of manifests as unknown[]) visit(each, true);
}

/** Whether a path may be in a bundle. */
export const isOwnPath = (path: string): boolean =>
  /^(blobs\/sha256\/[0-9a-f]{64}(\.partial)?|(manifests|crds|prerequisites)\/[^/]+|(index\.json|oci-layout|bundle\.lock\.json)(\.partial)?)$/.test(
    path,
  );
