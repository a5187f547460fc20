import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resolveDigest } from "./resolve-digest.ts";

it.each(["vllm/vllm-openai", "a@sha256:00", ":tag"])("resolveDigest refuses %s", async (image) => {
  await expect(resolveDigest(image)).rejects.toThrow(/write NAME:TAG|is not an image reference/);
});

describe("resolveDigest", () => {
  const mediaType = "application/vnd.oci.image.index.v1+json";
  const manifest = JSON.stringify({ schemaVersion: 2, mediaType, manifests: [] });
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
      `sent bytes of ${digest} instead of sha256:000`,
    );
  });

  it("throws if the registry cannot be reached", async () => {
    const lost = resolveDigest("registry.test/a:v1", () => "http://127.0.0.1:1");
    await expect(lost).rejects.toThrow("registry.test cannot be reached");
  });
});
