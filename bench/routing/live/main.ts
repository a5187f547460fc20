import { readFileSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { endpointPickerConfig } from "../../../sdk/plan/picker/endpoint-picker-config.ts";
import { waitingOf } from "../../../sdk/plan/picker/flow-control.ts";
import { startCluster } from "../../../testing/api/api-server.ts";
import { crdsWithOwn } from "../../../testing/api/install-crds.ts";
import { simulationDefaults } from "../../../testing/model-server/simulation.ts";
import { freePorts } from "../../../testing/processes/free-ports.ts";
import { startServer } from "../../../testing/processes/server-process.ts";
import { type Figures, figuresOf, medianFigures } from "../figures.ts";
import { type Pod, podsOf } from "../pod.ts";
import { calibratedPair, routerOfSeed, routers, upstreamsBest } from "../routers.ts";
import { ratioTable, tableHead, tableRow } from "../table.ts";
import { strategyOf, type Trace, upTo } from "../trace.ts";
import { chosenTraces } from "../traces.ts";
import { type AskingOptions, askPicker } from "./asked-picker.ts";
import { type LiveRouter, runLive, type StartRouter } from "./course.ts";
import { startGoPool } from "./go-pool.ts";
import { type LivePool, startLivePool } from "./live-pool.ts";
import { upstreamsBestPrecise, upstreamsPrecise } from "./precise-upstream.ts";

/**
 * `npm run bench routing/live`: traces in real time. The picker is the program of the image, started as its planned
 * Deployment starts it, on an API server; it is called over ext_proc and reads the engines' pages. It is compared with
 * routers that need no picker and, if EPP_GO names its executable, with the Go picker in its default configuration and
 * in the best one found for its plugins. A run of one seed takes about ten minutes.
 */
const { values } = parseArgs({
  options: {
    trace: { type: "string", multiple: true },
    /** Public traces, as in `bench routing`. */
    traffic: { type: "string", multiple: true, default: [] },
    router: { type: "string", multiple: true },
    /** Files of EndpointPickerConfigs to compare with the planned one. */
    config: { type: "string", multiple: true },
    /** Prompts of 800 KB per second that each picker gets in addition. No engine computes them. */
    large: { type: "string", default: "0" },
    /** Seconds that count of each trace. */
    seconds: { type: "string", default: "5" },
    /** The first seed, and how many. */
    seed: { type: "string", default: "1" },
    seeds: { type: "string", default: "1" },
  },
});
/** Traces that are played if no option names any. */
const usual = [
  ...["one shared prompt", "nothing shared, 16 pods", "chats", "bursts", "documents"],
  "a slow pod",
];
const firstSeed = Number(values.seed);
const seeds = Array.from({ length: Number(values.seeds) }, (_, at) => firstSeed + at);

const cluster = await startCluster({ crds: await crdsWithOwn(["inference.networking.k8s.io"]) });

const byDriver =
  (name: string) =>
  (trace: Trace, seed: number): StartRouter =>
  () => {
    const make = routers[name];
    const router = make && routerOfSeed(make, trace, seed);
    if (router === undefined) throw new Error(`${name} does not serve ${trace.name}`);
    return { route: async (request, pods) => router.route(request, pods, request.at) };
  };

const byPicker =
  ({ mayLeave, config }: AskingOptions & { readonly config?: string }) =>
  (): StartRouter =>
  async (pods, ready) => {
    const pool = await startLivePool({ cluster, pods, ready, config });
    return askedOf(pool, pods, { mayLeave });
  };

/** The planned default of an InferenceService, whose requests wait in the picker until an engine has a free slot. */
const byPickerWithQueues = (options: AskingOptions) => (trace: Trace) => {
  const requestSlots = { ...simulationDefaults, ...trace.engine }.maxSequences;
  const planned = endpointPickerConfig(strategyOf(trace), {
    ...waitingOf({}, "generic"),
    requestSlots,
  });
  const config = JSON.stringify(planned);
  return byPicker({ ...options, config })();
};

/** The planned picker of pods that publish KV events; it fails where events did not tell of the chosen pods. */
const byPickerWithEvents =
  (trace: Trace): StartRouter =>
  async (pods, ready) => {
    const config = JSON.stringify(endpointPickerConfig(strategyOf(trace), { kvEvents: true }));
    const pool = await startLivePool({ cluster, pods, ready, config });
    const router = askedOf(pool, pods, { mayLeave: false });
    return {
      ...router,
      async stop() {
        const page = await pool.metrics();
        await router.stop?.();
        if (!(answers(page, "events") > 20 * answers(page, "estimate")))
          throw new Error(`${trace.name}: KV events told of too few of the chosen pods`);
      },
    };
  };

/** Requests whose chosen pod's cache was known in this way. */
const answers = (page: string, source: string) =>
  Number(
    new RegExp(`^llm_d_epp_prefix_indexer_lookups_total.*"${source}".* (\\d+)$`, "m").exec(
      page,
    )?.[1] ?? 0,
  );

const byGoPicker =
  (binary: string, config?: (pods: readonly Pod[]) => string) =>
  (): StartRouter =>
  async (pods, ready) => {
    const pool = await startGoPool({ cluster, pods, ready, config: config?.(pods), binary });
    return askedOf(pool, pods, { mayLeave: false });
  };

function askedOf(pool: LivePool, pods: readonly Pod[], options: AskingOptions): LiveRouter {
  const picker = askPicker(pool.address, pods, options);
  const file = join(import.meta.dirname, "large-prompts.ts");
  const large =
    values.large === "0"
      ? undefined
      : startServer("large prompts", process.execPath, [file, pool.address, values.large]);
  return {
    route: picker.route,
    changed: pool.setReady,
    async stop() {
      picker.close();
      const end = large?.ended();
      if (end !== undefined) throw new Error(`large prompts: ${end}\n${large?.log()}`);
      await large?.stop();
      await pool.stop();
    },
  };
}

/** The one server that llm-d's picker asks for the tokens of prompts. */
const tokensFrom = (pods: readonly Pod[]) => `http://${pods[0]?.endpoint.address}`;

const go = process.env.EPP_GO || undefined;

const contenders: Record<string, (trace: Trace, seed: number) => StartRouter> = {
  random: byDriver("random"),
  "least outstanding": byDriver("least outstanding"),
  "cost oracle": byDriver("cost oracle"),
  planned: byPicker({ mayLeave: false }),
  "planned, unwatched": byPicker({ mayLeave: true }),
  "planned, with queues": byPickerWithQueues({ mayLeave: false }),
  "planned, with queues, unwatched": byPickerWithQueues({ mayLeave: true }),
  "planned, KV events": byPickerWithEvents,
  ...(go !== undefined && {
    "Go picker": byGoPicker(go),
    "Go picker's best": byGoPicker(go, () => upstreamsBest),
    "Go picker's calibrated pair": (trace) => byGoPicker(go, () => calibratedPair(trace))(),
    "Go picker, KV events": byGoPicker(go, (pods) => upstreamsPrecise(tokensFrom(pods))),
    "Go picker's best, KV events": byGoPicker(go, (pods) => upstreamsBestPrecise(tokensFrom(pods))),
  }),
  ...Object.fromEntries(
    (values.config ?? []).map((file) => [
      file,
      byPicker({ mayLeave: false, config: readFileSync(file, "utf8") }),
    ]),
  ),
};

/** How late this process is: engines and clients run in it. */
const lag = monitorEventLoopDelay({ resolution: 5 });
lag.enable();
const all = new Map<string, ReadonlyMap<string, Figures>>();
try {
  const [port] = (await freePorts(1)) as [number];
  for (const [name, ofSeed] of chosenTraces(values.traffic, values.trace, usual)) {
    console.log(tableHead(name));
    const ofTrace = new Map<string, Figures>();
    for (const [contender, make] of Object.entries(contenders)) {
      if (values.router?.includes(contender) === false) continue;
      const runs = [];
      for (const seed of seeds) {
        const made = ofSeed(seed);
        const trace = upTo(made.endsAt === undefined ? Number(values.seconds) : Infinity, made);
        const pods = podsOf(trace, { prefix: `127.${60 + (process.pid % 100)}`, port });
        runs.push(figuresOf(trace, await runLive(trace, pods, make(trace, seed))));
      }
      const figures = medianFigures(runs);
      ofTrace.set(contender, figures);
      console.log(tableRow(contender, figures));
    }
    all.set(name, ofTrace);
  }
  console.log(ratioTable(all));
  console.log(`\nEngines and clients: ${(lag.percentile(99) / 1e6).toFixed(0)} ms late at p99`);
} finally {
  await cluster.stop();
}
