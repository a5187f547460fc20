import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { flowControlSettings } from "../../scheduling/build.ts";
import { loadPickerConfig } from "../../scheduling/config/read.ts";
import { FlowController } from "../../scheduling/flow-control/flow-controller.ts";
import type { FlowRequest, Ticket } from "../../scheduling/flow-control/flow-request.ts";
import type { FlowControlSettings } from "../../scheduling/flow-control/settings.ts";
import { Random } from "../routing/random.ts";
import { deadlines } from "./deadlines.ts";
import { slots } from "./slots.ts";

/**
 * `npm run bench queues`: what flow control costs with very many requests in its queues. Each policy holds them all, has
 * some cancelled and one after the other dispatched while others come, and ends with none. It fails if a call is slower
 * than it may be, or something is left behind.
 */
const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "100000" },
    flows: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
  },
});
const requests = Number(values.requests);
const flows = Number(values.flows);

/** Milliseconds that a dispatch may take, at the 99th percentile. */
const slowestDispatch = 2;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const policies = {
  fairness: [
    "global-strict-fairness-policy",
    "round-robin-fairness-policy",
    "program-aware-fairness",
    "weighted-fairness-policy",
  ],
  ordering: ["fcfs-ordering-policy", "edf-ordering-policy", "slo-deadline-ordering-policy"],
};

function settingsOf(fairness: string, ordering: string, parameters = {}): FlowControlSettings {
  const config = {
    apiVersion: "llm-d.ai/v1alpha1",
    kind: "EndpointPickerConfig",
    featureGates: ["flowControl"],
    plugins: [{ type: fairness }, { type: ordering, parameters }],
    flowControl: {
      defaultPriorityBand: {
        maxRequests: requests,
        maxBytes: "1Ti",
        fairnessPolicyRef: fairness,
        orderingPolicyRef: ordering,
      },
    },
  };
  const read = loadPickerConfig(JSON.stringify(config), "the benchmark's configuration");
  return flowControlSettings(read.config) as FlowControlSettings;
}

/** Microseconds of each of some calls. */
class Times {
  /** Outside the heap, whose size is measured. */
  readonly #all = new Float64Array(4 * requests);
  #count = 0;

  of<Result>(call: () => Result): Result {
    const from = performance.now();
    const result = call();
    this.#all[this.#count] = (performance.now() - from) * 1_000;
    this.#count += 1;
    return result;
  }

  at(percentile: number): number {
    const sorted = this.#all.slice(0, this.#count).sort();
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * percentile))] ?? 0;
  }
}

const heapUsed = (): number => {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

interface Result {
  readonly arrive: Times;
  readonly cancel: Times;
  readonly dispatch: Times;
  readonly expire: Times;
  readonly bytesEach: number;
  readonly bytesLeft: number;
  readonly isEmpty: boolean;
}

function run(settings: FlowControlSettings, random: Random): Result {
  const times = { arrive: new Times(), cancel: new Times(), dispatch: new Times() };
  const expire = new Times();
  const flowOf = () => ({ id: `flow-${Math.floor(random.next() * flows)}`, priority: 0 });
  const flowKeys = Array.from({ length: flows }, (_, at) => ({ id: `flow-${at}`, priority: 0 }));
  const controller = new FlowController(settings);
  let now = 0;
  const arrive = (flow = flowOf()): Ticket => {
    const request: FlowRequest = {
      flow,
      bytes: 1_000,
      promptTokens: 1 + Math.floor(random.next() * 4_000),
      receivedAt: now,
      firstTokenWithin: random.next() < 0.5 ? 100 + Math.floor(random.next() * 9_000) : undefined,
      ttl: random.next() < 0.5 ? 10_000 + Math.floor(random.next() * 40_000) : undefined,
    };
    const { ticket } = times.arrive.of(() => controller.arrive(request, now));
    if (ticket === undefined) throw new Error("a queue is full that has room for all");
    return ticket;
  };

  const before = heapUsed();
  let tickets: Ticket[] = flowKeys.map(arrive);
  while (tickets.length < requests) tickets.push(arrive());
  const bytesEach = (heapUsed() - before) / requests;

  for (let count = 0; count < requests / 10; count += 1) {
    const ticket = tickets[Math.floor(random.next() * tickets.length)] as Ticket;
    if (ticket.state === "waiting") times.cancel.of(() => controller.cancel(ticket, now));
  }
  while (controller.size < requests) tickets.push(arrive());

  // A response ends, a request goes and another one comes, while all the others wait.
  for (let count = 0; count < requests / 5; count += 1) {
    now += 0.1;
    for (const ticket of times.dispatch.of(() => controller.dispatch(now, slots(1))))
      controller.completed(ticket, { completionTokens: Math.floor(random.next() * 900) }, now);
    tickets.push(arrive());
  }

  controller.poolChanged(false, now);
  controller.poolChanged(true, now);
  expire.of(() => controller.expire(now + 30_000));
  drain(controller, now);
  const left = controller.queues(now);
  controller.expire(now + 600_000);
  tickets = [];
  const bytesLeft = heapUsed() - before;
  const flowsLeft = controller.queues(now).bands.flatMap((band) => band.flows);
  const isEmpty = left.requests === 0 && left.bytes === 0 && flowsLeft.length === 0;
  return { ...times, expire, bytesEach, bytesLeft, isEmpty };
}

/** Lets all go, and all end. */
function drain(controller: FlowController, now: number): void {
  for (const ticket of controller.dispatch(now, slots(requests)))
    controller.completed(ticket, {}, now);
}

const row = (cells: readonly string[]) => console.log(`| ${cells.join(" | ")} |`);
row([
  ...["fairness", "ordering", "arrive p99, µs", "cancel p99", "dispatch p50", "p99", "max"],
  ...["a quarter expires, ms", "bytes a request", "KB left"],
]);
row(new Array(10).fill("---"));
let isFast = true;
for (const fairness of policies.fairness)
  for (const ordering of policies.ordering) {
    const found = run(settingsOf(fairness, ordering), new Random(Number(values.seed)));
    const { arrive, cancel, dispatch, expire } = found;
    row([
      ...[fairness, ordering, arrive.at(0.99).toFixed(0), cancel.at(0.99).toFixed(0)],
      ...[dispatch.at(0.5).toFixed(0), dispatch.at(0.99).toFixed(0), dispatch.at(1).toFixed(0)],
      ...[(expire.at(0) / 1_000).toFixed(0), found.bytesEach.toFixed(0)],
      (found.bytesLeft / 1_000).toFixed(0),
    ]);
    isFast &&= dispatch.at(0.99) <= slowestDispatch * 1_000 && found.isEmpty;
  }

row(["`oldestShare`", "longest wait of 20, ms", "20 % with 500 ms: met", "40 %", "80 %"]);
row(new Array(5).fill("---"));
const waits = [0, 0.25, 0.5, 0.75, 1].map((oldestShare) => {
  const type = "slo-deadline-ordering-policy";
  const settings = settingsOf("weighted-fairness-policy", type, { oldestShare });
  const { longestWait, met } = deadlines(settings, Number(values.seed));
  row([
    ...[String(oldestShare), longestWait.toFixed(0)],
    ...[0.2, 0.4, 0.8].map((share) => `${(100 * met(share)).toFixed(0)} %`),
  ]);
  return { oldestShare, longestWait };
});
const waitOf = (share: number) =>
  waits.find(({ oldestShare }) => oldestShare === share)?.longestWait ?? Number.POSITIVE_INFINITY;
const isBounded = waitOf(0.5) <= 2 * waitOf(1) + 10;

if (!isFast || !isBounded) {
  console.error(
    `a dispatch took more than ${slowestDispatch} ms at the 99th percentile, something was left in the queues, or deadlines more than doubled the wait of earlier requests`,
  );
  process.exitCode = 1;
}
