import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseImage, resolveDigest } from "./resolve-digest.ts";

it.each([
  ["vllm/vllm-openai:v0.32.0", "registry-1.docker.io", "vllm/vllm-openai", "v0.32.0"],
  ["nginx:1", "registry-1.docker.io", "library/nginx", "1"],
  ["quay.io/ascend/vllm-ascend:v1", "quay.io", "ascend/vllm-ascend", "v1"],
  ["localhost:5000/a:b", "localhost:5000", "a", "b"],
])("parseImage returns registry, repository and tag of %s", (image, registry, repository, tag) => {
  expect(parseImage(image)).toEqual({ registry, repository, tag });
});

it.each(["vllm/vllm-openai", "a@sha256:00", ":tag"])(
  "parseImage refuses %s without a tag",
  (image) => {
    expect(() => parseImage(image)).toThrow("write NAME:TAG");
  },
);

describe("resolveDigest", () => {
  const manifest = JSON.stringify({ schemaVersion: 2, manifests: [] });
  const digest = `sha256:${createHash("sha256").update(manifest).digest("hex")}`;
  const seen: Array<{ url: string; accept: string; authorization: string | undefined }> = [];
  let origin = "";

  /** Fake registry that requires an anonymous token, like Docker Hub. */
  const server = createServer((request, response) => {
    const { url = "", headers } = request;
    const { authorization, accept = "" } = headers;
    seen.push({ url, accept, authorization });
    if (url.startsWith("/token")) {
      response.end(JSON.stringify({ token: "anonymous" }));
    } else if (authorization !== "Bearer anonymous") {
      const challenge = `Bearer realm="${origin}/token",service="registry",scope="repository:a:pull"`;
      response.writeHead(401, { "www-authenticate": challenge }).end();
    } else if (url === "/v2/a/manifests/missing") {
      response.writeHead(404).end("{}");
    } else {
      const told = url === "/v2/a/manifests/forged" ? `sha256:${"0".repeat(64)}` : digest;
      response.writeHead(200, { "docker-content-digest": told }).end(manifest);
    }
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const resolve = (tag: string) => resolveDigest(`registry.test/a:${tag}`, () => origin);

  it("returns the digest of an index after an anonymous login", async () => {
    expect(await resolve("v1")).toBe(digest);
    expect(seen.map(({ url }) => url)).toEqual([
      "/v2/a/manifests/v1",
      "/token?service=registry&scope=repository%3Aa%3Apull",
      "/v2/a/manifests/v1",
    ]);
    expect(seen[2]?.accept).toContain("application/vnd.oci.image.index.v1+json");
  });

  it("throws for a missing tag, and for bytes that do not match their digest", async () => {
    await expect(resolve("missing")).rejects.toThrow(
      "registry.test/a:missing: registry.test answered 404",
    );
    await expect(resolve("forged")).rejects.toThrow(
      `sent bytes of ${digest} and names them sha256:000`,
    );
  });

  it("throws if the registry cannot be reached", async () => {
    const lost = resolveDigest("registry.test/a:v1", () => "http://127.0.0.1:1");
    await expect(lost).rejects.toThrow("fetch failed");
  });
});
