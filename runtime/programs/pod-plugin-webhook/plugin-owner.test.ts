import { expect, it } from "vitest";
import { ApiError } from "../../../kubernetes/api/api-error.ts";
import { workloadReader } from "./plugin-owner.ts";

const identity = (name: string) => ({
  apiVersion: "fusioninfer.io/v1alpha1",
  kind: "InferenceService",
  metadata: { name, namespace: "models" },
});

/** A fake API server with one InferenceService. It counts its requests. */
function scene() {
  const server = { now: 0, asked: 0, spec: { roles: [{ name: "a" }] } as object, fails: false };
  const request = async (_method: string, path: string) => {
    server.asked += 1;
    if (server.fails) throw new Error("the API server is gone");
    if (path.endsWith("/inferenceservices/qwen")) return { metadata: {}, spec: server.spec };
    throw new ApiError(`GET ${path}`, {
      status: 404,
      reason: "NotFound",
      message: "not found",
      retryAfterMs: undefined,
    });
  };
  return { server, read: workloadReader({ request } as never, () => server.now) };
}

it("reads the spec of a service at most once per second", async () => {
  const { server, read } = scene();
  const both = await Promise.all([read(identity("qwen")), read(identity("qwen"))]);
  expect(both.map(({ spec }) => spec)).toEqual([server.spec, server.spec]);
  expect(server.asked).toBe(1);
  server.spec = { roles: [] };
  server.now = 1_000;
  expect(await read(identity("qwen"))).toEqual({ ...identity("qwen"), spec: { roles: [] } });
});

it("returns no spec for a service without an object", async () => {
  expect(await scene().read(identity("other"))).toEqual(identity("other"));
});

it("reads again after a failure", async () => {
  const { server, read } = scene();
  server.fails = true;
  await expect(read(identity("qwen"))).rejects.toThrow("gone");
  server.fails = false;
  expect((await read(identity("qwen"))).spec).toEqual(server.spec);
});
