import { expect, it } from "vitest";
import { ApiError } from "../../kubernetes/api/api-error.ts";
import type { KubernetesClient } from "../../kubernetes/api/client.ts";
import { readResponses } from "./read-responses.ts";

const pod = (name: string, status: string, deletionTimestamp?: string) => ({
  metadata: { name, ...(deletionTimestamp !== undefined && { deletionTimestamp }) },
  status: { conditions: [{ type: "Ready", status }] },
});
const pods = [
  pod("epp-0", "True"),
  pod("epp-1", "False"),
  pod("epp-2", "True", "2026-11-28T00:00:00Z"),
  pod("epp-3", "True"),
];

/** A SCRIPTED API server. */
const answering = (page: (pod: string) => unknown) =>
  ({
    request: async (_: string, path: string) =>
      path.includes("/proxy/")
        ? page(/pods\/([^:]+):9090\/proxy\/responses$/.exec(path)?.[1] ?? path)
        : { items: pods },
  }) as unknown as KubernetesClient;

const refusing = (status: number, isStatus: boolean) => () => {
  throw new ApiError("GET", {
    status,
    reason: "",
    message: "refused",
    isStatus,
    retryAfterMs: undefined,
  });
};

it("reads the page of every ready pod, and leaves out a pod that does not answer", async () => {
  const client = answering((name) => {
    if (name === "epp-3") throw new Error("connection refused");
    return { endpoints: [{ uid: name }] };
  });
  expect([...(await readResponses(client, "ns", "epp"))]).toEqual([["epp-0", [{ uid: "epp-0" }]]]);
});

it.each([
  [403, true, "allow get on pods/proxy in this namespace"],
  [404, false, "deploy a picker of this version first, or remove rollout.gate"],
])("status %i names the next step", async (status, isStatus, fix) => {
  await expect(readResponses(answering(refusing(status, isStatus)), "ns", "epp")).rejects.toThrow(
    `the gate cannot read /responses of picker pod ns/epp-0: GET: ${status}: refused; ${fix}`,
  );
});

it("leaves out a pod that was deleted meanwhile", async () => {
  expect(await readResponses(answering(refusing(404, true)), "ns", "epp")).toEqual(new Map());
});
