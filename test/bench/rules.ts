/**
 * What many LLMServices and rewrites cost the picker: `npm run bench:rules`.
 * A request's time is that of the whole request path with the default profile and four endpoints, over requests for
 * every registered model in turn. Look-up is the decision on a model's name alone, among ten names as within a burst.
 * Both are the least of 30 rounds, taken in turns so that a busy machine slows all sizes alike. A change is one edited
 * LLMService; the median of 15.
 */
import { systemClock } from "../../runtime/endpoint-picker/clock.ts";
import { buildScheduler } from "../../runtime/endpoint-picker/config/build.ts";
import { defaultConfig } from "../../runtime/endpoint-picker/config/schema.ts";
import { Datastore } from "../../runtime/endpoint-picker/datastore/datastore.ts";
import type {
  PodObject,
  PoolObject,
  RewriteObject,
  ServiceObject,
} from "../../runtime/endpoint-picker/datastore/pool-objects.ts";
import { shedSheddable } from "../../runtime/endpoint-picker/request-path/admit.ts";
import { type EndpointPicker, route } from "../../runtime/endpoint-picker/request-path/route.ts";
import { newTelemetry } from "../../runtime/endpoint-picker/telemetry/telemetry.ts";
import { chooseModel } from "../../sdk/routing/choose-model.ts";

const sizes = [10, 100, 1_000, 10_000] as const;
const requests = 10_000;
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
  registrationRequired: true,
  serviceNamespaces: [],
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
const modelName = (n: number) => `team-${n}/assistant-${n}`;

const serviceOf = (n: number): ServiceObject => ({
  ...identity(`service-${n}`),
  pools: [{ namespace: "default", name: "pool" }],
  models: [
    {
      name: modelName(n),
      critical: true,
      objectiveSeconds: undefined,
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

/** A picker's knowledge of so many services and rules, and requests for all of its models. */
class Case {
  readonly size: number;
  readonly datastore = new Datastore();
  readonly services: ServiceObject[];
  readonly rewrites: RewriteObject[];
  readonly bodies: Buffer[];
  readonly #picker: EndpointPicker;
  best = Number.POSITIVE_INFINITY;
  bestLookup = Number.POSITIVE_INFINITY;

  constructor(size: number) {
    this.size = size;
    this.services = numbers(size).map(serviceOf);
    this.rewrites = numbers(size).map(rewriteOf);
    this.datastore.update({
      ...{ pool, pods, objectives: [] },
      ...{ rewrites: this.rewrites, services: this.services },
    });
    this.#picker = pickerOf(this.datastore);
    const prompt = "Summarise the text. ".repeat(50);
    this.bodies = numbers(requests).map((n) =>
      Buffer.from(JSON.stringify({ model: modelName(n % size), prompt, max_tokens: 100 })),
    );
  }

  /** Microseconds a request. */
  round(): void {
    const headers = new Map([[":path", "/v1/completions"]]);
    const metadata = new Map();
    const start = performance.now();
    for (const body of this.bodies) route({ headers, metadata, body }, this.#picker).flight.end();
    const each = ((performance.now() - start) * 1_000) / requests;
    this.best = Math.min(this.best, each);
  }

  /** Nanoseconds a look-up. */
  lookup(): void {
    const { routing } = this.datastore.snapshot;
    const names = numbers(10).map((n) => modelName((n * 7_919) % this.size));
    const start = performance.now();
    let served = 0;
    for (let n = 0; n < 200_000; n += 1)
      if (chooseModel(names[n % 10] as string, routing, 0.5).outcome === "served") served += 1;
    const each = ((performance.now() - start) * 1e6) / 200_000;
    if (served > 0) this.bestLookup = Math.min(this.bestLookup, each);
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
  const { scheduler } = buildScheduler(defaultConfig, "the default configuration");
  datastore.onEndpoints((endpoints) => scheduler.retain(endpoints));
  const view = { snapshot: () => datastore.snapshot, now: systemClock.now };
  return {
    datastore,
    scheduler,
    admission: shedSheddable,
    observer: newTelemetry(
      { ...view, staleAfter: 2_000, objectiveWindow: 300_000 },
      { commit: "", version: "" },
    ).observer,
    clock: systemClock,
    options: {
      trustModelNameHeader: false,
      emitEndpointScores: false,
      subsetFilter: true,
      conformanceHeaders: false,
    },
  };
}

const cases = sizes.map((size) => new Case(size));
for (let round = 0; round < rounds; round += 1)
  for (const each of cases) {
    each.round();
    each.lookup();
  }

const [least] = cases as [Case];
console.log("services, rules | µs a request | to 10 | ns a look-up | to 10 | ms a change");
for (const each of cases) {
  const { size, best, bestLookup } = each;
  console.log(
    [
      `${size}, ${size}`.padStart(15),
      best.toFixed(2).padStart(12),
      (best / least.best).toFixed(2).padStart(5),
      bestLookup.toFixed(0).padStart(12),
      (bestLookup / least.bestLookup).toFixed(2).padStart(5),
      each.change().toFixed(2).padStart(11),
    ].join(" | "),
  );
}
