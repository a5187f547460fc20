import { expect, it } from "vitest";
import { planInferenceService } from "../../sdk/plan/inference-service.ts";
import { observePod } from "../../sdk/status/observed.ts";
import { parsed, podsOf, t0 } from "../../sdk/status/service-objects.fixture.ts";
import { service, worker } from "../../testing/samples/sample-service.ts";
import type { ApiReader } from "../doctor/api-reader.ts";
import type { Seen } from "../doctor/observation.ts";
import { observePlacement, placementInWords } from "./observe-placement.ts";

/** The API server is a STAND-IN: a function from paths to lists. */

const of = parsed(service([worker({ replicas: 2 })], { accelerator: "h100-sxm" }));
const sets = planInferenceService(of).filter(({ kind }) => kind === "LeaderWorkerSet");
const pods = (isWaiting = true) =>
  podsOf(of, () => (isWaiting ? { unschedulableSince: t0 } : { ready: true })).map((pod) =>
    observePod(pod),
  );
const node = (name: string, product: string) => ({
  metadata: { name, labels: { "nvidia.com/gpu.product": product } },
  status: {
    allocatable: { "nvidia.com/gpu": "8" },
    conditions: [{ type: "Ready", status: "True" }],
  },
});
const lists =
  (nodes: unknown, pools: unknown = { state: "absent" }) =>
  async (path: string) => {
    const answer = path.includes("nodepools") ? pools : nodes;
    if (answer instanceof Error) throw answer;
    return answer;
  };
const api = (get: (path: string) => Promise<unknown>) => ({ get }) as unknown as ApiReader;
const items = (...each: unknown[]): Seen<object> => ({ state: "seen", value: { items: each } });
const wordsOf = async (get: (path: string) => Promise<unknown>) =>
  (await observePlacement(api(get), sets, pods())).map(placementInWords);

it("names the nodes that accept the pods", async () => {
  const nodes = items(node("a", "NVIDIA-H100-80GB-HBM3"), node("b", "Tesla-T4"));
  expect(await wordsOf(lists(nodes))).toEqual(["1 of 2: a"]);
});

it("contains the shortage if no node accepts the pods", async () => {
  const [words] = await wordsOf(lists(items(node("b", "Tesla-T4"))));
  expect(words).toMatch(/^no node has a label of .*H100.*; there are 1 with .*T4/);
});

it.each<[string, unknown, RegExp]>([
  ["nodes that may not be read", { state: "forbidden", why: "no list" }, /^unknown: no list$/],
  ["an API server that fails", new Error("answers 500"), /^unknown: answers 500$/],
  ["a list without items", { state: "seen", value: null }, /^unknown: .* is not a list$/],
  ["nodes of no known form", items(null, 7, {}), /^the cluster has no node|^no node/],
])("reports %s, and does not fail", async (_, nodes, expected) => {
  const pools = { state: "forbidden", why: "no" };
  expect((await wordsOf(lists(nodes, pools)))[0]).toMatch(expected);
});

it("reads nothing if no pod waits", async () => {
  const never = () => Promise.reject(new Error("read"));
  expect(await observePlacement(api(never), sets, pods(false))).toEqual([]);
});
