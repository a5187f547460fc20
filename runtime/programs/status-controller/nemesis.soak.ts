import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { KubeConfig } from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, it } from "vitest";
import { unlessAbsent } from "../../../kubernetes/api/api-error.ts";
import { newKubernetesClient } from "../../../kubernetes/api/client.ts";
import { planInferenceService } from "../../../sdk/plan/inference-service.ts";
import { timestampOf } from "../../../sdk/status/conditions.ts";
import { type PodState, parsed } from "../../../sdk/status/service-objects.fixture.ts";
import { type AttachedCluster, freshNamespace } from "../../../testing/api/cluster.ts";
import { installOwnCrds } from "../../../testing/api/install-crds.ts";
import { sharedCluster } from "../../../testing/clusters/shared-cluster.ts";
import { router, service, worker } from "../../../testing/samples/sample-service.ts";
import { seeded } from "../../../testing/samples/seeded.ts";
import { conditionsOf, Scene } from "./controller.fixture.ts";

/** A status controller whose API server is away or silent, whose pickers' pages are wrong, and whose clock jumps. */

let cluster: AttachedCluster;
beforeAll(async () => {
  cluster = await sharedCluster();
  await installOwnCrds(cluster);
}, 120_000);
afterAll(() => cluster?.detach());

type Link = "up" | "away" | "silent";

/** A TCP connection to the API server that can be away, or transfer nothing. */
async function startLink(target: URL) {
  let state: Link = "up";
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    if (state === "away") return void near.destroy();
    const far = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
      if (state === "silent") from.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set(next: Link) {
      state = next;
      for (const socket of sockets)
        if (next === "away") socket.destroy();
        else if (next === "silent") socket.pause();
        else socket.resume();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

const pages = [
  "",
  "<html>",
  "llm_service_requests_total{pool=",
  'llm_service_requests_total{llm_service="ml/a",pool="ml/p"} 1e308\n'.repeat(1_000),
  'llm_d_epp_pd_pod_failing_seconds{namespace="x",pod="inference-0-0"} NaN\n',
  'llm_d_epp_pd_pod_failing_seconds{namespace="x",pod="inference-0-0"} 1e9\n',
];

const twoReplicas = service([worker({ replicas: 2 }), router()]);
const api = "fusioninfer.io/v1alpha1";
/** Time in ms within which a status follows the cluster if nothing fails. */
const followsMs = 20_000;
/** Time in ms after which the controller must not write a state of the past: its longest silence, and its delays. */
const pastMs = 10_000;
const rounds = 12;

it.each([1, 2, 3])(
  `reports no service as available that is not, in ${rounds} rounds of faults of seed %i`,
  async (seed) => {
    const random = seeded(seed);
    const among = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)] as T;
    const scene = new Scene(cluster, await freshNamespace(cluster, "nemesis"));
    for (const manifest of planInferenceService(twoReplicas, { statusObject: "full" }))
      if (!/^(Cluster)?Role|^ServiceAccount|^ConfigMap/.test(manifest.kind))
        await scene.apply(manifest);
    await scene.report(
      scene.path("leaderworkerset.x-k8s.io/v1", "leaderworkersets", "svc-inference"),
      {
        ...{ replicas: 2, updatedReplicas: 2, readyReplicas: 2 },
      },
    );
    await scene.report(scene.path("apps/v1", "deployments", "svc-epp"), {
      ...{ observedGeneration: 1, replicas: 1, updatedReplicas: 1 },
    });
    await scene.report(scene.path("gateway.networking.k8s.io/v1", "httproutes", "svc-httproute"), {
      parents: [
        {
          ...{ controllerName: "example.com/gateway", parentRef: { name: "gateway" } },
          conditions: ["Accepted", "ResolvedRefs"].map((type) => ({
            ...{ type, status: "True", reason: type, message: "" },
            lastTransitionTime: "2026-01-01T00:00:00Z",
          })),
        },
      ],
    });

    const config = new KubeConfig();
    config.loadFromFile(cluster.kubeconfig);
    const { server } = config.getCurrentCluster() ?? { server: "" };
    const link = await startLink(new URL(server));
    const through = new KubeConfig();
    through.loadFromString(config.exportConfig().replaceAll(server, link.url));
    const client = newKubernetesClient(through);
    let skew = 0;
    let page: string | undefined;
    scene.start({
      client,
      staleAfterMs: 2_000,
      pickerIntervalMs: 500,
      recyclesPods: true,
      now: () => Date.now() + skew,
      readPage: async () => {
        if (page === undefined) throw new Error("no picker");
        return Buffer.from(page);
      },
    });

    /** Last time at which the pods were ready; they are now if it is in the future. */
    let readyUntil = 0;
    const set = async (state: (pod: string) => PodState | undefined, isReady: boolean) => {
      readyUntil = Math.min(readyUntil, Date.now());
      for (const replica of [0, 1]) {
        const path = scene.path("v1", "pods", `inference-${replica}-0`);
        await unlessAbsent(cluster.request("DELETE", `${path}?gracePeriodSeconds=0`));
      }
      await scene.pods(parsed(twoReplicas), state);
      if (isReady) readyUntil = Number.POSITIVE_INFINITY;
    };
    const stored = () => scene.get(api, "inferenceservices", "svc");
    const available = async () => conditionsOf((await stored()).status)[0];
    const faults: string[] = [];
    let isWatching = true;
    let version = "";
    const watching = (async () => {
      while (isWatching) {
        const { metadata, status } = await stored();
        const isWritten = metadata.resourceVersion !== version;
        version = metadata.resourceVersion;
        const shown = conditionsOf(status)[0];
        const since = Date.now() - readyUntil;
        if (isWritten && shown?.startsWith("Available=True") && since > pastMs)
          faults.push(`${shown} was written ${since} ms after the pods stopped`);
        await sleep(25);
      }
    })();

    const workers = (state: PodState | undefined) => (pod: string) =>
      pod.startsWith("inference") ? state : { ready: true };
    const states: ReadonlyArray<readonly [phase: string, () => PodState | undefined]> = [
      ["Running", () => ({ ready: true })],
      ["Deploying", () => ({ scheduled: true })],
      ["Failed", () => ({ scheduled: true, waiting: "CrashLoopBackOff" })],
      ["Pending", () => undefined],
      // The scheduler has minutes left to find a node; an hour later it has not.
      ["Pending", () => ({ unschedulableSince: timestampOf(Date.now() - 10_000) })],
    ];
    const hour = 3_600_000;
    try {
      for (let round = 0; round < rounds; round += 1) {
        for (let fault = 0; fault < 4; fault += 1) {
          link.set(among(["up", "away", "silent"] as const));
          skew = among([0, hour, -hour]);
          page = among([undefined, ...pages]);
          const [phase, state] = among(states);
          await set(workers(state()), phase === "Running");
          await sleep(random() * 1_500);
        }
        link.set("up");
        skew = 0;
        page = undefined;
        const [phase, state] = states[round % states.length] ?? among(states);
        await set(workers(state()), phase === "Running");
        // The time for which a status may be wrong after the faults.
        const timing = { timeout: followsMs, interval: 50 };
        await expect
          .poll(async () => (await stored()).status?.components?.inference?.phase, timing)
          .toBe(phase);
        await expect
          .poll(available, timing)
          .toMatch(phase === "Running" ? /^Available=True/ : /^Available=False/);
        expect(faults).toEqual([]);
      }
      await sleep(2_000);
      expect(faults).toEqual([]);
    } finally {
      isWatching = false;
      await watching;
      await scene.end();
      client.close();
      link.close();
    }
  },
  600_000,
);
