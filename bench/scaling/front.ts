import { buildScheduler } from "../../scheduling/build.ts";
import { loadPickerConfig } from "../../scheduling/config/read.ts";
import type { RoleLoad } from "../../scheduling/scaling/desired-replicas.ts";
import { endpointPickerConfig } from "../../sdk/plan/picker/endpoint-picker-config.ts";
import type { Pod } from "../routing/pod.ts";
import { type Dispatch, type FlowArrival, QueueingPicker } from "../routing/queueing-picker.ts";
import { Random } from "../routing/random.ts";
import { scheduled } from "../routing/scheduled.ts";
import type { Outcome, Traffic } from "../routing/traffic.ts";

/** A picker in front of a pool whose pods change. */
export interface Front {
  use(pods: readonly Pod[]): void;
  arrive(id: number, arrival: FlowArrival, outcome: Outcome): void;
  /** The metrics of a pod were read. */
  read(pod: Pod): void;
  /** Lets queued requests expire and leave. */
  turn(): void;
  /** Requests in the queue of the picker. */
  readonly queued: number;
  /** Load and learned slots, as the picker counts them for its page `/scaling`. */
  loads(): RoleLoad[];
  /** Fails the requests that still wait. */
  close(): void;
}

export interface FrontOptions {
  readonly traffic: Traffic;
  readonly now: () => number;
  readonly after: (ms: number, act: () => void) => void;
  readonly seed: number;
  /** Longest wait for the first replica, in seconds. */
  readonly noServerTimeoutSeconds: number;
}

export type MakeFront = (options: FrontOptions) => Front;

/** The planned picker with flow control: requests wait in its queue. */
export const queuesInPicker: MakeFront = (options) => {
  const { traffic, now, after, seed, noServerTimeoutSeconds } = options;
  let pods: readonly Pod[] = [];
  const send = ({ id, outcome, decision, firstToken, end }: Dispatch) => {
    const pod = pods.find(({ endpoint }) => endpoint === decision.endpoints[0]) as Pod;
    traffic.send(id, outcome, { pod, firstToken, end: () => end(false) }, now());
  };
  const picker = new QueueingPicker({
    ...{ noServerTimeoutSeconds, now, after, send, replicas: 1 },
    random: new Random(seed).next,
    cancel: (id) => traffic.cancel(id),
  });
  return {
    use(next) {
      pods = next;
      picker.use(next.map(({ endpoint }) => endpoint));
    },
    arrive: (id, arrival, outcome) => picker.arrive(id, arrival, outcome),
    read: ({ endpoint }) => picker.read(endpoint),
    turn: () => picker.turn(),
    get queued() {
      return picker.size;
    },
    loads: () => picker.loads(pods.map(({ endpoint }) => endpoint)),
    close: () => picker.close(),
  };
};

/** Time in ms after which a client gives up, the same as the planned limit of the queue (`requestTimeoutSeconds`). */
const patienceMs = 30_000;

/** The planned scheduler without flow control: requests wait at the model servers until their clients give up. */
export const queuesAtServers: MakeFront = ({ traffic, now, after, seed }) => {
  const { config } = loadPickerConfig(
    JSON.stringify(endpointPickerConfig("prefix-cache")),
    "the planned configuration",
  );
  const router = scheduled(buildScheduler(config), new Random(seed));
  let pods: readonly Pod[] = [];
  return {
    use(next) {
      pods = next;
      router.retain?.(next);
    },
    arrive(id, arrival, outcome) {
      traffic.send(id, outcome, router.route(arrival, pods, now()), now());
      after(patienceMs, () => {
        if (!outcome.failed && Number.isNaN(outcome.firstAt)) traffic.cancel(id);
      });
    },
    read: (pod) => router.scraped?.(pod),
    turn() {},
    queued: 0,
    loads: () => [],
    close() {},
  };
};
