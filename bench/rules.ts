/**
 * Measures the picker's cost of many LLMServices and rewrites: `npm run bench rules`. A request's time covers the whole
 * request path with the default profile, four endpoints and metrics. It is measured over requests for ten models at
 * every number of rules, and over requests for every model in turn, for which the models' metrics do not fit in the
 * processor's caches. Look-up is only the decision on a name. All are the least of 30 rounds, taken in turns so that a
 * busy machine slows all sizes alike. A change is one edited LLMService; the median of 15.
 */

import { systemClock } from "../runtime/epp/clock.ts";
import { Datastore } from "../runtime/epp/datastore/datastore.ts";
import type {
  PodObject,
  PoolObject,
  RewriteObject,
  ServiceObject,
} from "../runtime/epp/datastore/pool-objects.ts";
import { nobodyWaits, shedSheddable } from "../runtime/epp/request-path/admit.ts";
import { BodyBudget } from "../runtime/epp/request-path/body-budget.ts";
import type { RoutedRequest } from "../runtime/epp/request-path/pending-request.ts";
import { accept, admit, type EndpointPicker } from "../runtime/epp/request-path/route.ts";
import { Tenants } from "../runtime/epp/request-path/tenants.ts";
import { newTelemetry } from "../runtime/epp/telemetry/telemetry.ts";
import { buildScheduler } from "../scheduling/build.ts";
import { loadPickerConfig } from "../scheduling/config/read.ts";
import { chooseModel } from "../sdk/routing/choose-model.ts";
import { poolAnnotations } from "../sdk/routing/routed-pool.ts";
import { upstreamProfile } from "../testing/upstream-profile.ts";

const sizes = [10, 100, 1_000, 10_000] as const;
const requests = 5_000;
/** Number of requested models, unless all are requested. */
const asked = 10;
const rounds = 30;

const identity = (name: string) => ({
  namespace: "default",
  name,
  uid: name,
  creationTimestamp: "2026-01-01T00:00:00Z",
});

const pool: PoolObject = {
  ...identity("pool"),
  group: "inference.networking.k8s.io",
  matchLabels: { app: "m" },
  targetPorts: [8000],
  appProtocol: "http",
  ...poolAnnotations({}),
  registrationRequired: true,
};

const pods = ["a", "b", "c", "d"].map(
  (name, at): PodObject => ({
    ...identity(name),
    labels: pool.matchLabels,
    annotations: {},
    ip: `10.0.0.${at + 1}`,
    ready: true,
    deleting: false,
  }),
);

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
const prompt = "Summarise the text. ".repeat(50);
const bodiesOf = (model: (n: number) => number) =>
  numbers(requests).map((n) =>
    Buffer.from(JSON.stringify({ model: modelName(model(n)), prompt, max_tokens: 100 })),
  );

const modelName = (n: number) => `team-${n}/assistant-${n}`;

const serviceOf = (n: number): ServiceObject => ({
  ...identity(`service-${n}`),
  share: 1,
  pools: [{ namespace: "default", name: "pool" }],
  models: [
    {
      name: modelName(n),
      critical: true,
      objectiveSeconds: undefined,
      firstTokenSeconds: undefined,
      targets: [
        { model: `adapter-${n}-v1`, weight: 20 },
        { model: `adapter-${n}-v2`, weight: 80 },
      ],
    },
  ],
});

/** Every second model has a rule of its own too. */
const rewriteOf = (n: number): RewriteObject => ({
  ...identity(`rewrite-${n}`),
  poolRef: { group: pool.group, kind: "InferencePool", name: pool.name },
  rules: [{ models: [modelName(2 * n)], targets: [{ model: `canary-${n}`, weight: 1 }] }],
});

/** A picker's state with `size` services and rewrites, and requests for all of its models. */
class Case {
  readonly size: number;
  readonly datastore = new Datastore();
  readonly services: ServiceObject[];
  readonly rewrites: RewriteObject[];
  readonly #some: Buffer[];
  readonly #all: Buffer[];
  readonly #picker: EndpointPicker;
  /** Microseconds a request. */
  some = Number.POSITIVE_INFINITY;
  all = Number.POSITIVE_INFINITY;
  /** Nanoseconds a look-up. */
  lookup = Number.POSITIVE_INFINITY;

  constructor(size: number) {
    this.size = size;
    this.services = numbers(size).map(serviceOf);
    this.rewrites = numbers(size).map(rewriteOf);
    this.datastore.update({
      ...{ pool, pods, objectives: [] },
      ...{ rewrites: this.rewrites, services: this.services },
    });
    this.#picker = pickerOf(this.datastore);
    this.#some = bodiesOf((n) => (n % asked) * (size / asked));
    this.#all = bodiesOf((n) => n % size);
  }

  round(): void {
    this.some = Math.min(this.some, this.#request(this.#some));
    this.all = Math.min(this.all, this.#request(this.#all));
    this.lookup = Math.min(this.lookup, this.#lookup());
  }

  #request(bodies: readonly Buffer[]): number {
    const headers = new Map([[":path", "/v1/completions"]]);
    const metadata = new Map();
    const start = performance.now();
    for (const body of bodies) {
      const pending = accept({ headers, metadata, body }, this.#picker, nobodyWaits);
      const routed = admit(pending, this.#picker, nobodyWaits);
      (routed as RoutedRequest).inFlight.end(0);
    }
    return ((performance.now() - start) * 1_000) / requests;
  }

  #lookup(): number {
    const { routing } = this.datastore.snapshot;
    const names = numbers(asked).map((n) => modelName(n * (this.size / asked)));
    const times = 100_000;
    let served = 0;
    const start = performance.now();
    for (let n = 0; n < times; n += 1)
      if (chooseModel(names[n % asked] as string, routing, 0.5).outcome === "served") served += 1;
    const elapsed = performance.now() - start;
    if (served !== times) throw new Error(`${served} of ${times} look-ups found a model`);
    return (elapsed * 1e6) / times;
  }

  /** Milliseconds until a changed object counts. */
  change(): number {
    const times = numbers(15).map((n) => {
      const services = this.services.slice();
      services[n % this.size] = serviceOf(n % this.size);
      const start = performance.now();
      this.datastore.update({ ...this.datastore.snapshot.objects, services });
      return performance.now() - start;
    });
    return times.sort((a, b) => a - b)[7] ?? Number.NaN;
  }
}

function pickerOf(datastore: Datastore): EndpointPicker {
  const scheduler = buildScheduler(loadPickerConfig(upstreamProfile, "upstream's profile").config);
  datastore.onEndpoints((endpoints) => scheduler.state.retain(endpoints));
  const view = { snapshot: () => datastore.snapshot, now: systemClock.now };
  return {
    datastore,
    scheduler,
    admission: shedSheddable,
    bodies: new BodyBudget({ now: () => performance.now() }),
    tenants: new Tenants({ header: undefined }),
    observer: newTelemetry(
      {
        ...view,
        staleAfterMs: 2_000,
        objectiveWindowMs: 300_000,
        prefixIndexes: () => [],
        excludedPairs: () => [],
        ejected: () => [],
        podHealth: () => [],
      },
      { commit: "", version: "" },
    ).observer,
    clock: systemClock,
    options: {
      trustModelNameHeader: true,
      modelRewriteHeader: false,
      emitEndpointScores: false,
      subsetFilter: true,
      conformanceHeaders: false,
      servedEndpointHeader: false,
      engineFields: "strip",
      followResponses: false,
    },
  };
}

const cases = sizes.map((size) => new Case(size));
for (let round = 0; round < rounds; round += 1) for (const each of cases) each.round();

const [least] = cases as [Case];
const toLeast = (value: number, of: number) => `${value.toFixed(2)} (${(value / of).toFixed(2)})`;
console.log("In parentheses: times that of 10 rules.\n");
console.log("services, rules | µs a request | of all models | ns a look-up | ms a change");
for (const each of cases)
  console.log(
    [
      `${each.size}, ${each.size}`.padStart(15),
      toLeast(each.some, least.some).padStart(12),
      toLeast(each.all, least.all).padStart(13),
      toLeast(each.lookup, least.lookup).padStart(12),
      each.change().toFixed(2).padStart(11),
    ].join(" | "),
  );
