import type { ClusterAccess } from "../../components/rollout/cluster-access.ts";
import { readResponses } from "../../components/rollout/read-responses.ts";
import { NoAnswerError } from "../../kubernetes/api/api-error.ts";
import type { KubernetesClient } from "../../kubernetes/api/client.ts";
import type { EndpointResponses, ResponsesPage } from "../../sdk/rollout/endpoint-responses.ts";
import type { VirtualClock } from "../../testing/virtual-clock.ts";
import type { Image, Lie, Period, Random, Scenario } from "./scenario.ts";
import { type ServingPod, Traffic } from "./traffic.ts";

interface Replica {
  generation: number;
  image: Image;
  /** Time at which its pod is ready. */
  readyAt: number;
  writtenAt: number;
}

/** SIMULATED service: replicas, pickers and their pages, and an API server that is away at times. */
export class SimulatedService implements ClusterAccess {
  readonly #scenario: Scenario;
  readonly #clock: VirtualClock;
  readonly #replicas = new Map<string, Replica>();
  readonly #restarted = new Set<object>();
  readonly traffic: Traffic;
  /** Earlier pages, which a lying picker sends again. */
  readonly #earlier = new Map<number, ResponsesPage>();
  #passedUntil = 0;
  /** Minimum number of replicas that served at any time. */
  lowest: number;
  restored = 0;

  constructor(scenario: Scenario, clock: VirtualClock, random: Random) {
    this.#scenario = scenario;
    this.#clock = clock;
    this.lowest = scenario.replicas;
    for (let at = 0; at < scenario.replicas; at += 1)
      this.#replicas.set(`svc-${at}`, {
        ...{ generation: 1, image: scenario.old },
        ...{ readyAt: 0, writtenAt: 0 },
      });
    this.traffic = new Traffic(scenario, random);
    // Ten minutes before the rollout.
    this.traffic.pass(600, this.#serving());
  }

  get names(): string[] {
    return [...this.#replicas.keys()];
  }

  /** Writes a template, as the engine does between the hooks. */
  write(name: string, image: Image): void {
    this.#advance();
    const replica = this.#replicas.get(name) as Replica;
    const now = this.#clock.now();
    const isReady = image.starts === "ready";
    replica.generation += 1;
    replica.image = image;
    replica.writtenAt = now;
    replica.readyAt = isReady ? now + this.#scenario.loadMs : Number.POSITIVE_INFINITY;
    this.lowest = Math.min(this.lowest, this.#serving().length);
  }

  async sets() {
    this.#assertAnswering();
    return [...this.#replicas].map(([name, { generation, readyAt }]) => {
      const ready = Number(this.#clock.now() >= readyAt);
      return {
        metadata: { name, generation },
        spec: { replicas: 1 },
        status: { observedGeneration: generation, readyReplicas: ready, updatedReplicas: ready },
      };
    });
  }

  async pods(_: string, sets: readonly string[]) {
    this.#assertAnswering();
    return sets.map((set) => {
      const { generation, image, readyAt, writtenAt } = this.#replicas.get(set) as Replica;
      const now = this.#clock.now();
      const isCrashing = image.starts === "crash" && now > writtenAt + 20_000;
      return {
        ...{ set, name: `${set}-0`, uid: `${set}-${generation}`, serves: now >= readyAt },
        failure: isCrashing ? "CrashLoopBackOff: exit code 1" : undefined,
      };
    });
  }

  async restore(_: string, name: string) {
    this.#assertAnswering();
    this.restored += 1;
    this.write(name, this.#scenario.old);
  }

  async responses(namespace: string, picker: string) {
    this.#assertAnswering();
    this.#advance();
    const request = async (_: string, path: string) => {
      if (path.endsWith("/pods")) return { items: this.#pickerPods() };
      if (path.endsWith("/replicasets")) return { items: [replicaSet] };
      if (path.endsWith("/deployments/epp")) return deployment;
      return this.#page(Number(/epp-(\d)/.exec(path)?.[1]));
    };
    return readResponses({ request } as unknown as KubernetesClient, namespace, picker);
  }

  #serving(): ServingPod[] {
    const now = this.#clock.now();
    return [...this.#replicas].flatMap(([set, { generation, image, readyAt }]) =>
      now < readyAt ? [] : [{ uid: `${set}-${generation}`, set, generation, image }],
    );
  }

  /** Sends the requests since the last time, and restarts pickers. */
  #advance(): void {
    const now = this.#clock.now();
    if (now > this.#passedUntil)
      this.traffic.pass((now - this.#passedUntil) / 1_000, this.#serving());
    this.#passedUntil = now;
    for (const restart of this.#scenario.restarts) {
      if (restart.at > now || this.#restarted.has(restart)) continue;
      this.#restarted.add(restart);
      this.traffic.restart(restart.picker);
    }
  }

  #assertAnswering(): void {
    if (this.#scenario.outages.some((each) => this.#isIn(each)))
      throw new NoAnswerError("GET", "connect ECONNREFUSED", false, undefined);
  }

  #isIn({ from, until }: Period): boolean {
    const now = this.#clock.now();
    return now >= from && now < until;
  }

  #pickerPods(): object[] {
    return Array.from({ length: this.#scenario.pickers }, (_, at) => ({
      metadata: {
        ...{ name: `epp-${at}`, namespace: "ns", labels: podLabels },
        ...{ creationTimestamp: "2026-01-01T00:00:00Z" },
        ownerReferences: owner("ReplicaSet", "epp-h", "r"),
      },
      status: { conditions: [{ type: "Ready", status: "True" }] },
    }));
  }

  #page(picker: number): unknown {
    const { unread, lies } = this.#scenario;
    if (unread.some((each) => each.picker === picker && this.#isIn(each)))
      throw new NoAnswerError("GET", "timeout", false, undefined);
    const endpoints = this.traffic.page(picker, this.#serving());
    const lie = lies.find((each) => each.picker === picker && this.#isIn(each));
    if (lie !== undefined) return this.#lie(lie, endpoints);
    const page = { process: this.traffic.process(picker), endpoints };
    this.#earlier.set(picker, page);
    return page;
  }

  #lie({ kind, picker }: Lie, endpoints: EndpointResponses[]): unknown {
    const [first] = endpoints;
    const process = this.traffic.process(picker);
    const changed = (change: object) => ({ process, endpoints: [{ ...first, ...change }] });
    switch (kind) {
      case "earlier":
        return this.#earlier.get(picker) ?? { process, endpoints };
      case "foreign": {
        const count = first?.responses ?? 0;
        const zeros = first?.clientErrors ?? [];
        const all = { clientResponses: zeros.with(0, count), clientErrors: zeros.with(0, count) };
        const forged = { ...first, ...all, requests: count, errors: count, uid: "forged" };
        return { process, endpoints: [...endpoints, { ...forged, revision: "2" }] };
      }
      case "NaN":
        return changed({ errors: Number.NaN });
      case "negative":
        return changed({ errors: -1 });
      case "huge":
        return changed({ responses: 1e300, requests: 1e300 });
      case "null":
        return null;
      case "contradiction":
        return changed({ errors: (first?.errors ?? 0) + 1 });
    }
  }
}

const podLabels = { app: "epp", "pod-template-hash": "h" };
const owner = (kind: string, name: string, uid: string) => [{ kind, name, uid, controller: true }];
const deployment = { metadata: { name: "epp", namespace: "ns", uid: "d" }, spec: { replicas: 9 } };
const replicaSet = {
  metadata: {
    ...{ name: "epp-h", namespace: "ns", uid: "r" },
    ownerReferences: owner("Deployment", "epp", "d"),
  },
  spec: { replicas: 9, selector: { matchLabels: podLabels } },
};
