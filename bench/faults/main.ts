/**
 * One pod of a pool fails in eleven ways, behind Envoy and the picker as its planned Deployment starts it:
 * `npm run bench faults -- [--fault 500] [--contender ours] [--pods 4,16] [--rate 10,100] [--together 3]`.
 * Prints the share of requests that the pod gets from two seconds after the fault, the failed requests after the first
 * second, and the pod's share from ten seconds after its recovery. The Go picker takes part if EPP_GO names its
 * executable.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startCluster } from "../../testing/api/api-server.ts";
import { crdsWithOwn } from "../../testing/api/install-crds.ts";
import { type Fault, FaultyServer, faults } from "../../testing/model-server/faulty-server.ts";
import { startModelServer } from "../../testing/model-server/model-server.ts";
import { seeded } from "../../testing/samples/seeded.ts";
import type { Pod } from "../routing/pod.ts";
import { contenders, type StartGateway } from "./contenders.ts";

const { values } = parseArgs({
  options: {
    fault: { type: "string", multiple: true, default: [...faults] },
    contender: { type: "string", multiple: true, default: Object.keys(contenders) },
    pods: { type: "string", default: "4,16" },
    rate: { type: "string", default: "10,100" },
    /** Cases that run at a time. */
    together: { type: "string", default: "3" },
    /** Seconds of the fault; at least as long as 300 requests take. */
    seconds: { type: "string", default: "14" },
  },
});
const numbers = (text: string) => text.split(",").map(Number);
const seconds = Number(values.seconds);

interface Case {
  readonly contender: string;
  readonly fault: Fault;
  readonly pods: number;
  readonly rate: number;
}

interface Result {
  /** Share of requests at the failing pod from 2 s after the fault, in percent. */
  readonly share: number;
  /** Failed requests that were sent from 1 s after the fault until the recovery. */
  readonly failed: number;
  /** Share from 10 s after the recovery, in percent. */
  readonly after: number;
}

const port = 8000;
let nextAddress = 0;
const cluster = await startCluster({ crds: await crdsWithOwn(["inference.networking.k8s.io"]) });

async function startPods(count: number) {
  nextAddress += 1;
  const subnet = `127.77.${nextAddress}`;
  const started = await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const behind = await startModelServer({ stepMs: 5 });
      const server = new FaultyServer(`${subnet}.${at + 1}`, port, behind);
      await server.listen();
      return { server, behind };
    }),
  );
  const pods = started.map(({ server: { ip } }, at) => ({
    endpoint: { pod: `pod-${at}`, labels: {}, ip, port },
  })) as unknown as Pod[];
  return { started, pods };
}

/** Plays one case: three seconds of health, then the fault, then the recovery. */
async function play(start: StartGateway, { fault, pods: count, rate }: Case): Promise<Result> {
  const { started, pods } = await startPods(count);
  const gateway = await start(cluster, pods);
  const [first] = started;
  const failing = first?.server as FaultyServer;
  const random = seeded(1);
  let [sent, failed] = [0, 0];
  const failedAt: number[] = [];
  const ask = async () => {
    sent += 1;
    const at = performance.now();
    const prompt = Array.from({ length: 40 }, () => Math.floor(random() * 1e6)).join(" ");
    const answer = await fetch(`${gateway.url}/v1/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "base", prompt, max_tokens: 8, stream: true }),
      signal: AbortSignal.timeout(20_000),
    })
      .then(async (response) => ({ ok: response.ok, text: await response.text() }))
      .catch(() => ({ ok: false, text: "" }));
    if (answer.ok && answer.text.includes("[DONE]")) return;
    failed += 1;
    failedAt.push(at);
  };
  const running: Array<Promise<void>> = [];
  let goesOn = true;
  const driving = (async () => {
    for (let next = performance.now(); goesOn; next += (-Math.log(1 - random()) * 1_000) / rate) {
      await sleep(Math.max(0, next - performance.now()));
      running.push(ask());
    }
  })();
  /** Requests that the gateway sent to the pod. With fault `refused` the pod receives none: the failed requests count. */
  const got = () => (fault === "refused" ? failed : failing.requests);
  const share = async (wait: number, of: () => number) => {
    const [sentBefore, gotBefore] = [sent, of()];
    await sleep(wait * 1_000);
    return (100 * (of() - gotBefore)) / Math.max(1, sent - sentBefore);
  };
  try {
    await sleep(3_000);
    await failing.fail(fault);
    const from = performance.now() + 1_000;
    await sleep(2_000);
    const during = await share(Math.max(seconds - 2, 300 / rate), got);
    const until = performance.now();
    await failing.recover();
    await sleep(10_000);
    const after = await share(Math.max(3, 300 / rate), () => failing.requests);
    goesOn = false;
    await driving;
    await Promise.allSettled(running);
    const counted = failedAt.filter((at) => at >= from && at < until);
    return { share: during, failed: counted.length, after };
  } finally {
    goesOn = false;
    await Promise.allSettled(running);
    await gateway.stop();
    await Promise.all(
      started.map(async ({ server, behind }) => {
        await server.stop();
        await behind.stop();
      }),
    );
  }
}

const cases: Case[] = values.contender.flatMap((contender) =>
  numbers(values.pods).flatMap((pods) =>
    numbers(values.rate).flatMap((rate) =>
      (values.fault as Fault[]).map((fault) => ({ contender, fault, pods, rate })),
    ),
  ),
);

console.log(
  "| chosen by | pods | requests/s | fault | share from 2 s, % | failed from 1 s | share after, % | fair, % |",
);
console.log("|---|---|---|---|---|---|---|---|");
try {
  const queue = [...cases];
  const worker = async () => {
    for (let each = queue.shift(); each !== undefined; each = queue.shift()) {
      const start = contenders[each.contender];
      if (start === undefined) throw new Error(`unknown contender ${each.contender}`);
      const { share, failed, after } = await play(start, each);
      const { contender, pods, rate, fault } = each;
      console.log(
        `| ${contender} | ${pods} | ${rate} | ${fault} | ${share.toFixed(1)} | ${failed} | ${after.toFixed(1)} | ${(100 / pods).toFixed(1)} |`,
      );
    }
  };
  await Promise.all(Array.from({ length: Number(values.together) }, worker));
} finally {
  await cluster.stop();
}
