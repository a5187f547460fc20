import { expect, it } from "vitest";
import { ApiError } from "../../kubernetes/api/api-error.ts";
import type { KubernetesClient } from "../../kubernetes/api/client.ts";
import { noResponses } from "../../sdk/rollout/endpoint-responses.ts";
import { readResponses } from "./read-responses.ts";

const labels = { app: "epp", "pod-template-hash": "h" };
const owner = (kind: string, name: string, uid: string) => [{ kind, name, uid, controller: true }];
const pod = (name: string, fields: object = {}, ready = "True") => ({
  metadata: {
    name,
    namespace: "ns",
    labels,
    creationTimestamp: "2026-01-01T00:00:00Z",
    ownerReferences: owner("ReplicaSet", "epp-h", "r"),
    ...fields,
  },
  status: { conditions: [{ type: "Ready", status: ready }] },
});
const deployment = (replicas: number) => ({
  metadata: { name: "epp", namespace: "ns", uid: "d" },
  spec: { replicas },
});
const replicaSet = {
  metadata: {
    name: "epp-h",
    namespace: "ns",
    uid: "r",
    ownerReferences: owner("Deployment", "epp", "d"),
  },
  spec: { replicas: 4, selector: { matchLabels: labels } },
};

const endpoint = (uid: string) => ({ ...noResponses, uid, set: "a", revision: "1" });
const page = (name: string): unknown => ({ process: "p", endpoints: [endpoint(name)] });

/** A SCRIPTED API server. */
const answering = (
  pods: readonly object[],
  pageOf: (pod: string) => unknown = page,
  found: object | undefined = deployment(4),
) =>
  ({
    request: async (_: string, path: string) => {
      if (path.endsWith("/pods")) return { items: pods };
      if (path.endsWith("/replicasets")) return { items: [replicaSet] };
      if (path.endsWith("/deployments/epp")) return found ?? refusing(404, true)();
      return pageOf(/pods\/([^:]+):9090\/proxy\/responses$/.exec(path)?.[1] ?? path);
    },
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

const read = (client: KubernetesClient) => readResponses(client, "ns", "epp");

it("reads the page of every ready pod that the picker's Deployment created", async () => {
  const pods = [
    pod("epp-0"),
    pod("epp-1", {}, "False"),
    pod("epp-2", { deletionTimestamp: "2026-11-28T00:00:00Z" }),
    pod("labels-only", { ownerReferences: [] }),
    pod("forged-owner", { ownerReferences: owner("ReplicaSet", "epp-h", "other") }),
    pod("epp-3"),
  ];
  const { pages, unread } = await read(answering(pods));
  expect([...pages.keys()]).toEqual(["epp-0", "epp-3"]);
  expect(unread).toEqual([]);
});

it("reads only the oldest pods, up to the number of replicas of the Deployment", async () => {
  const late = pod("forged", { creationTimestamp: "2026-02-01T00:00:00Z" });
  const { pages } = await read(answering([late, pod("epp-0")], page, deployment(1)));
  expect([...pages.keys()]).toEqual(["epp-0"]);
});

it.each([
  ["no pod", [], undefined],
  ["no ready pod", [pod("epp-0", {}, "False")], undefined],
  ["no Deployment", [pod("epp-0")], "absent"],
])("reports a picker with %s as unread", async (_, pods, absent) => {
  const client = answering(pods, page);
  const request = client.request.bind(client);
  if (absent !== undefined)
    Object.assign(client, {
      request: async (method: "GET", path: string) =>
        path.endsWith("/deployments/epp") ? refusing(404, true)() : request(method, path),
    });
  expect(await read(client)).toEqual({
    pages: new Map(),
    unread: ["no pod of the picker ns/epp is ready"],
  });
});

it.each([
  ["refuses the connection", () => Promise.reject(new Error("refused")), "refused"],
  ["is gone", refusing(404, true), "GET: 404: refused"],
  ["answers 502", refusing(502, false), "GET: 502: refused"],
  ["sends null", () => null, "its page is not valid: Invalid input"],
  ["sends {}", () => ({}), "its page is not valid: process"],
  ["sends a string", () => "x", "its page is not valid: Invalid input"],
  [
    "sends a negative count",
    () => ({ process: "p", endpoints: [{ ...endpoint("a"), errors: -1 }] }),
    "its page is not valid: endpoints.0.errors",
  ],
  [
    "sends more errors than responses",
    () => ({
      process: "p",
      endpoints: [{ ...endpoint("a"), requests: 1, responses: 1, errors: 2 }],
    }),
    "its page is not valid: endpoints.0.the counts contradict each other",
  ],
  [
    "sends a short histogram",
    () => ({ process: "p", endpoints: [{ ...endpoint("a"), firstTokens: [] }] }),
    "its page is not valid: endpoints.0.firstTokens",
  ],
])("reports a pod that %s as unread", async (_, answer, reason) => {
  const client = answering([pod("epp-0"), pod("epp-1")], (name) =>
    name === "epp-1" ? answer() : page(name),
  );
  const { pages, unread } = await read(client);
  expect([...pages.keys()]).toEqual(["epp-0"]);
  expect(unread).toEqual([expect.stringContaining(`epp-1: ${reason}`)]);
});

it.each([
  [403, true, "allow get on pods/proxy in this namespace"],
  [404, false, "deploy a picker of this version first, or remove rollout.gate"],
])("status %i names the next step", async (status, isStatus, fix) => {
  await expect(read(answering([pod("epp-0")], refusing(status, isStatus)))).rejects.toThrow(
    `the gate cannot read /responses of picker pod ns/epp-0: GET: ${status}: refused; ${fix}`,
  );
});
