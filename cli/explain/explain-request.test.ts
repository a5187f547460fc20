import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import type { ExplainedDecision } from "../../sdk/routing/explained-decision.ts";
import { refusedByPage } from "../../sdk/topology/page-refusals.ts";
import { folderOf, run } from "../sample.fixture.ts";

/** `explain --request-id` against a fake API server that proxies pages of pickers. */

const decision: ExplainedDecision = {
  requestId: "r-1",
  ageMilliseconds: 1_500,
  model: "npc",
  targetModel: "npc-v2",
  service: "team/bots",
  rewrite: null,
  flow: { fairnessId: "default-flow", priority: 0 },
  waitedMilliseconds: 12,
  queue: { band: 0, flow: "team/bots", saturation: 0.5, ceiling: 0.9 },
  candidates: [
    { endpoint: "10.0.0.1:8000", pod: "ml/a", rank: 0, cachedBlocks: 8 },
    { endpoint: "10.0.0.2:8000", pod: "ml/b", rank: 0, cachedBlocks: 0 },
    { endpoint: "10.0.0.3:8000", pod: "ml/c", rank: 0, cachedBlocks: 0 },
  ],
  prefix: { blockTokens: 64, totalBlocks: 10 },
  profiles: [
    {
      name: "default",
      dropped: [{ endpoint: "10.0.0.3:8000", by: "decode-pods" }],
      scorers: [{ type: "prefill-cost-scorer", name: "prefill-cost-scorer", weight: 100 }],
      scored: [
        {
          endpoint: "10.0.0.2:8000",
          scores: [0.25],
          total: 25,
          parts: [
            { uncached: 1280, duplication: 0, slowness: 0, ahead: 51.2, requests: 64, slots: 0 },
          ],
        },
        {
          endpoint: "10.0.0.1:8000",
          scores: [1],
          total: 100,
          parts: [{ uncached: 256, duplication: 0, slowness: 0, ahead: 0, requests: 64, slots: 0 }],
        },
      ],
      picked: ["10.0.0.1:8000"],
    },
  ],
  chosen: ["10.0.0.1:8000"],
  refusal: null,
  served: { endpoint: "10.0.0.1:8000", status: 200 },
  timeline: {
    readMilliseconds: 2,
    scheduledMilliseconds: 14,
    firstBytesMilliseconds: 200,
    endMilliseconds: 800,
  },
};

const base = "/api/v1/namespaces/ml";
const page = (pod: string, id = "r-1") =>
  `${base}/pods/${pod}:9090/proxy/debug/explain?request-id=${id}`;
const pool = (name: string) => ({
  metadata: { name },
  spec: { endpointPickerRef: { name: `${name}-epp` } },
});
const pods = (...names: string[]) => ({ items: names.map((name) => ({ metadata: { name } })) });
const none = { kept: 1_000, decisions: [] };
const cluster = {
  "/apis/inference.networking.k8s.io/v1/namespaces/ml/inferencepools": {
    items: [pool("p"), pool("q")],
  },
  [`${base}/services/p-epp`]: { spec: { selector: { app: "p" } } },
  [`${base}/services/q-epp`]: { spec: { selector: { app: "q" } } },
  [`${base}/pods?labelSelector=app%3Dp`]: pods("p-epp-0", "p-epp-1"),
  [`${base}/pods?labelSelector=app%3Dq`]: pods("q-epp-0"),
  [page("p-epp-0")]: none,
  [page("p-epp-1")]: { kept: 1_000, decisions: [decision] },
  [page("q-epp-0", "other")]: none,
  [page("p-epp-0", "other")]: none,
  [page("p-epp-1", "other")]: none,
};

let server: Server | undefined;
let folder: ReturnType<typeof folderOf> | undefined;
afterEach(() => {
  vi.unstubAllEnvs();
  server?.close();
  folder?.[Symbol.dispose]();
});

const asked: Array<readonly [path: string, token: unknown]> = [];

async function explain(objects: Readonly<Record<string, unknown>>, ...args: string[]) {
  asked.length = 0;
  server = createServer(({ url = "", headers }, response) => {
    asked.push([url, headers["x-pulumi-inference-authorization"]]);
    const value = objects[url];
    const refusal = typeof value === "string" ? value : undefined;
    const status = isBadRequest(refusal)
      ? 400
      : refusal !== undefined
        ? 403
        : value === undefined
          ? 404
          : 200;
    const body = status === 200 ? value : { kind: "Status", message: refusal ?? "scripted" };
    response.writeHead(status).end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  folder = folderOf({
    kubeconfig: JSON.stringify({
      clusters: [
        {
          name: "c",
          cluster: { server: `http://127.0.0.1:${port}`, "insecure-skip-tls-verify": true },
        },
      ],
      users: [{ name: "me", user: {} }],
      contexts: [{ name: "c", context: { cluster: "c", user: "me", namespace: "ml" } }],
      "current-context": "c",
    }),
  });
  return run(["explain", ...args, "--kubeconfig", join(folder.path, "kubeconfig")]);
}

const isBadRequest = (refusal = "") => refusal === "address not allowed";

it("explain reports a pod that the API server does not connect to, after it has tried the others", async () => {
  const refused = { ...cluster, [page("p-epp-0")]: "address not allowed" };
  expect((await explain(refused, "--request-id", "r-1")).code).toBe(0);
  server?.close();
  const all = { ...refused, [page("p-epp-1")]: none, [page("q-epp-0")]: none };
  const { code, err } = await explain(all, "--request-id", "r-1");
  expect(code).toBe(2);
  expect(err).toMatch(
    /^picker pod ml\/p-epp-0: the API server cannot open its page \(400: .*npm run demo/,
  );
  expect(err).not.toContain("cannot be reached");
});

it("explain polls the pickers' pods until one has the decision, and shows the result of each plugin", async () => {
  vi.stubEnv("PULUMI_INFERENCE_TOKEN", "secret");
  expect(await explain(cluster, "--request-id", "r-1")).toEqual({
    code: 0,
    err: "",
    out: `\
REQUEST        r-1, 1.5 s ago
MODEL          npc, sent as npc-v2
REGISTERED BY  LLMService team/bots
RULE           none
FLOW           default-flow, priority 0
WAITED         12 ms
QUEUE          band 0, flow team/bots; the pool was 50 % full, and the band's ceiling is 90 %
WENT TO        10.0.0.1:8000 (ml/a)
SERVED BY      10.0.0.1:8000, status 200

TIME                  MS     0 TO 800 MS
read the request      2.0    █
wait for a turn       12.0   █
until first bytes     186.0   █████████
rest of the response  600.0            ██████████████████████████████

PROFILE default  POD   CACHED BLOCKS  prefill-cost-scorer x 100  TOTAL
10.0.0.1:8000    ml/a  8 of 10        1.000                      100.00  picked
10.0.0.2:8000    ml/b  0 of 10        0.250                      25.00
10.0.0.3:8000    ml/c  0 of 10        -                          -       excluded by decode-pods

COST IN TOKENS, prefill-cost-scorer of default  UNCACHED  DUPLICATION  SLOWNESS  AHEAD  REQUESTS  SLOTS  SUM
10.0.0.1:8000                                   256       0            0         0      64        0      320
10.0.0.2:8000                                   1280      0            0         51     64        0      1395
`,
  });
  expect(
    asked
      .filter(([path]) => path.includes("/debug/"))
      .every(([, token]) => token === "Bearer secret"),
  ).toBe(true);
  expect(asked.some(([path]) => path === page("p-epp-0"))).toBe(true);
});

it("explain prints the page as JSON, only from the given pool if there is one", async () => {
  const { out } = await explain(cluster, "--request-id", "r-1", "--pool", "p", "--format", "json");
  expect(JSON.parse(out)).toEqual([decision]);
  expect(asked.some(([path]) => path.includes("q-epp"))).toBe(false);
});

it("explain prints a fix if no picker has the request, reading is forbidden, or no request is given", async () => {
  const unknown = await explain(cluster, "--request-id", "other");
  expect(unknown).toMatchObject({ code: 1, out: "" });
  expect(unknown.err).toContain('request "other" is not among the last 1000');
  for (const [refusal, fix] of [
    [refusedByPage.forbidden, "ClusterRole pulumi-inference-debug-reader"],
    [refusedByPage.unauthenticated, "set PULUMI_INFERENCE_TOKEN to a token"],
    ["pods is forbidden", "allow get on pods/proxy"],
  ]) {
    const closed = await explain(
      { ...cluster, [page("p-epp-0")]: refusal },
      ...["--request-id", "r-1"],
    );
    expect(closed.code).toBe(2);
    expect(closed.err).toContain(fix);
  }
  expect((await explain(cluster, "--request-id", "r-1", "--pool", "x")).err).toContain(
    "InferencePool ml/x: does not exist",
  );
  expect((await explain(cluster)).err).toContain("give a model or --request-id");
  expect((await explain(cluster, "npc", "--request-id", "r-1")).code).toBe(2);
});
