import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { readTar } from "../../kubernetes/registry/tar.ts";
import { verifyArchive } from "./verify-archive.ts";

const digestOf = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`;

function tar(files: Readonly<Record<string, string>>): Buffer {
  const parts = Object.entries(files).map(([name, text]) => {
    const header = Buffer.alloc(512);
    header.write(`./${name}`);
    header.write(text.length.toString(8).padStart(11, "0"), 124);
    header.write("0", 156);
    return [header, Buffer.from(text), Buffer.alloc((512 - (text.length % 512)) % 512)];
  });
  return Buffer.concat([...parts.flat(), Buffer.alloc(1_024)]);
}

const config = "{}";
const layer = "a layer";
const descriptor = (text: string) => ({
  mediaType: "application/vnd.oci.image.manifest.v1+json",
  digest: digestOf(text),
  size: text.length,
});
const manifest = JSON.stringify({ config: descriptor(config), layers: [descriptor(layer)] });
const path = (text: string) => `blobs/${digestOf(text).replace(":", "/")}`;
const files = {
  "index.json": JSON.stringify({ manifests: [descriptor(manifest)] }),
  [path(manifest)]: manifest,
  [path(config)]: config,
  [path(layer)]: layer,
};

it("verifyArchive returns the digest of a whole archive", () => {
  expect(verifyArchive(tar(files), digestOf(config))).toBe(digestOf(manifest));
});

it.each([
  ["an empty archive", tar({}), "has 0 images"],
  ["no file", Buffer.alloc(0), "has 0 images"],
  ["a cut archive", tar(files).subarray(0, 560), "ends within"],
  [
    "another index",
    tar({ ...files, "index.json": '{"manifests":[{"digest":""}]}' }),
    "manifests.0.digest: allowed: sha256: and 64",
  ],
  ["no layer", tar({ ...files, [path(layer)]: "other" }), "the archive has bytes of"],
  ["no manifest", tar({ "index.json": files["index.json"] }), "lacks the blob"],
])("verifyArchive refuses %s", (_what, archive, message) => {
  expect(() => verifyArchive(archive, digestOf(config))).toThrow(message);
});

it("verifyArchive refuses an image that was not built", () => {
  expect(() => verifyArchive(tar(files), digestOf("x"))).toThrow(`instead of ${digestOf("x")}`);
});

it("readTar returns files by name", () => {
  expect([...readTar(tar(files)).keys()]).toEqual(Object.keys(files));
});
