import type { IncomingMessage } from "node:http";
import { get } from "node:https";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { planInferenceService, podPluginRegistry } from "../../sdk/index.ts";
import { startCluster } from "../../testing/api/api-server.ts";
import { type Cluster, freshNamespace } from "../../testing/api/cluster.ts";
import { installCrds } from "../../testing/api/install-crds.ts";
import type { LeaderWorkerSet, Pod } from "../../testing/stand-ins/objects.ts";
import { Endpoint } from "./endpoint.ts";
import ownPlugins from "./own-plugins.fixture.ts";
import { WebhookScene } from "./webhook-scene.ts";

/** A thousand pods through the webhook, which is restarted among them: none lost, none unmutated. */

const pods = 1_000;
const concurrency = 8;

let cluster: Cluster;
let scene: WebhookScene;
let endpoint: Endpoint;
let namespace: string;
beforeAll(async () => {
  cluster = await startCluster();
  await installCrds(cluster, { groups: ["leaderworkerset.x-k8s.io"] });
  namespace = await freshNamespace(cluster);
  endpoint = await new Endpoint().start();
  scene = new WebhookScene(cluster, namespace, [endpoint.url]);
  await scene.install();
  await scene.start();
}, 120_000);
afterAll(async () => {
  await scene?.end();
  endpoint?.stop();
  await cluster?.stop();
});

const rank = { name: "rank", config: { prefix: "r" } };

it.each([
  ["in the image", () => [rank]],
  [
    "in the image and behind an endpoint",
    () => [
      rank,
      {
        name: "remote",
        type: "Webhook",
        webhook: { url: endpoint.url, caBundle: endpoint.caBundle },
      },
    ],
  ],
])(
  "pods are admitted in time with plugins %s",
  async (what, plugins) => {
    const name = `s${plugins().length}`;
    const plan = planInferenceService(
      {
        metadata: { name, namespace },
        spec: {
          plugins: plugins() as never,
          roles: [
            {
              name: "w",
              componentType: "worker",
              replicas: pods,
              template: { spec: { containers: [{ name: "vllm", image: "v:1" }] } },
            },
          ],
        },
      },
      { podPlugins: { registry: podPluginRegistry(ownPlugins), webhookUrls: [endpoint.url] } },
    );
    const [lws] = (await scene.apply(plan)) as [LeaderWorkerSet];

    const counts = new Tally();
    const calls = new Tally();
    calls.add(await callsOfTheServer(), -1);
    const creations: number[] = [];
    let next = 0;
    let refused = 0;
    const worker = async () => {
      for (let group = next++; group < pods; group = next++) {
        for (;;) {
          try {
            const begun = performance.now();
            await scene.createLeader(lws, group);
            creations.push(performance.now() - begun);
            break;
          } catch {
            // As a controller does, which tries again whatever the reason.
            refused += 1;
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
        }
      }
    };
    const workers = Array.from({ length: concurrency }, worker);
    while (next < pods / 2) await new Promise((resolve) => setTimeout(resolve, 10));
    counts.add(await scene.metrics("_bucket"));
    await scene.stop();
    await scene.start();
    await Promise.all(workers);
    counts.add(await scene.metrics("_bucket"));

    calls.add(await callsOfTheServer());

    const { items } = await cluster.request<{ items: Pod[] }>(
      "GET",
      `/api/v1/namespaces/${namespace}/pods?labelSelector=fusioninfer.io/service=${name}`,
    );
    expect(items).toHaveLength(pods);
    const marked = items.filter(
      ({ metadata }) =>
        metadata.labels?.rank ===
          `r.${name}-${metadata.name.split("-").at(-1)}.w-${metadata.name.split("-").at(-1)}.entry` &&
        (plugins().length === 1 || metadata.labels?.touched === "yes"),
    );
    expect(marked).toHaveLength(pods);
    console.log(
      `${what}: ${pods} pods, ${refused} tries while restarting; half of the reviews within ${counts.within(0.5)} s, 99 % within ${counts.within(0.99)} s, of the API server's calls half within ${calls.within(0.5)} s, 95 % within ${calls.within(0.95)} s, 99 % within ${calls.within(0.99)} s; 99 % of whole creations within ${Math.round(creations.toSorted((a, b) => a - b)[Math.ceil(pods * 0.99) - 1] ?? 0)} ms`,
    );
    // Only the webhook's time is checked: an endpoint shares this machine with all other processes.
    if (plugins().length === 1) expect(counts.within(0.99)).toBeLessThanOrEqual(0.05);
  },
  300_000,
);

/** How long calls of the webhook took, as the API server counts them. */
async function callsOfTheServer(): Promise<string> {
  const { url, ca, token } = cluster;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    get(`${url}/metrics`, { ca, headers }, resolve).on("error", reject);
  });
  const lines = (await text(response)).split("\n");
  return lines
    .filter((line) =>
      line.startsWith("apiserver_admission_webhook_admission_duration_seconds_bucket"),
    )
    .filter((line) => line.includes('name="fail.pod-plugins') && line.includes('rejected="false"'))
    .join("\n");
}

/** Calls by the buckets of one or several processes. */
class Tally {
  readonly #counts = new Map<number, number>();

  add(exposition: string, sign: 1 | -1 = 1): void {
    for (const line of exposition.split("\n")) {
      if (line.includes('result="rejected"')) continue;
      const [, bound = "", count = "0"] = /le="([^"]+)"\} (\d+)/.exec(line) ?? [];
      const limit = bound === "+Inf" ? Number.POSITIVE_INFINITY : Number(bound);
      if (bound !== "")
        this.#counts.set(limit, (this.#counts.get(limit) ?? 0) + sign * Number(count));
    }
  }

  /** Upper bound of the bucket that a share of the reviews is within. */
  within(share: number): number {
    const total = this.#counts.get(Number.POSITIVE_INFINITY) ?? 0;
    const bounds = [...this.#counts].sort(([a], [b]) => a - b);
    return bounds.find(([, count]) => count >= total * share)?.[0] ?? Number.NaN;
  }
}
