import { describe, expect, it } from "vitest";
import { type Endpoint, newLiveState } from "../../scheduling/endpoints/endpoint.ts";
import { PairHealth } from "../../scheduling/pairs/pair-health.ts";
import { seeded } from "../../testing/samples/seeded.ts";
import { label } from "../names.ts";
import { timestampOf } from "./conditions.ts";
import type { ObservedPod } from "./observed.ts";
import { recycle } from "./recycling.ts";
import type { RecycledPod } from "./schemas.ts";

/**
 * Four prefillers and four decoders in virtual time: a picker tracks the health of pairs, and failing pods are
 * recycled. A new start repairs a broken pod, but not a pair that is cut off.
 */

const perSide = 4;
const stepMs = 250;
const pollMs = 30_000;
const hourMs = 3_600_000;
const start = Date.UTC(2026, 0, 1);

interface Pod {
  readonly side: "prefiller" | "decoder";
  readonly name: string;
  readonly uid: string;
  readonly created: number;
  readonly readyAt: number;
  readonly endpoint: Endpoint;
  /** Whether all prefills with this pod fail until it is recreated. */
  isBroken: boolean;
}

interface Deletion {
  readonly at: number;
  readonly name: string;
  readonly wasBroken: boolean;
}

class World {
  now = start;
  readonly deletions: Deletion[] = [];
  /** Pairs that are cut off, as `p d`. */
  readonly cut = new Set<string>();
  /** Share of prefills that fail on any pair, 0 to 1. */
  noise = 0;
  fewestReady = perSide;
  readonly #random: () => number;
  readonly #podsPerHour: number;
  readonly #health = new PairHealth();
  #pods: Pod[] = [];
  #recycled: readonly RecycledPod[] = [];
  #made = 0;

  constructor(seed: number, podsPerHour: number) {
    this.#random = seeded(seed);
    this.#podsPerHour = podsPerHour;
    for (const side of ["prefiller", "decoder"] as const)
      for (let at = 0; at < perSide; at += 1)
        this.#pods.push(this.#make(side, `${side[0]}${at}`, 0));
  }

  pick = (below: number): number => Math.floor(this.#random() * below);

  pod(name: string): Pod {
    return this.#pods.find((pod) => pod.name === name) as Pod;
  }

  get broken(): Pod[] {
    return this.#pods.filter(({ isBroken }) => isBroken);
  }

  get avoided(): number {
    return this.#health.excluded(this.now).length;
  }

  /** Advances the time, with four requests per second. */
  run(ms: number): void {
    for (const end = this.now + ms; this.now < end; this.now += stepMs) {
      this.#request();
      if ((this.now - start) % pollMs === 0) this.#poll();
    }
  }

  #make(side: Pod["side"], name: string, startMs: number): Pod {
    this.#made += 1;
    const uid = `uid-${this.#made}`;
    const ip = `10.0.0.${this.#made}`;
    return {
      ...{ side, name, uid, created: this.now, readyAt: this.now + startMs, isBroken: false },
      endpoint: {
        ...{ id: `ns/${uid}`, namespace: "ns", pod: name, podUid: uid, rank: 0 },
        ...{ ip, port: 8000, address: `${ip}:8000`, labels: {}, live: newLiveState() },
      },
    };
  }

  #ready(side: Pod["side"]): Pod[] {
    return this.#pods.filter((pod) => pod.side === side && pod.readyAt <= this.now);
  }

  #request(): void {
    const [prefillers, decoders] = [this.#ready("prefiller"), this.#ready("decoder")];
    this.fewestReady = Math.min(this.fewestReady, prefillers.length, decoders.length);
    const of = (pods: readonly Pod[]) => pods.map(({ endpoint }) => endpoint);
    const oneOf = (endpoints: readonly Endpoint[], pods: readonly Pod[]) => {
      const endpoint = endpoints[this.pick(endpoints.length)];
      return pods.find((pod) => pod.endpoint === endpoint) as Pod;
    };
    this.#health.retain(of([...prefillers, ...decoders]));
    const d = oneOf(this.#health.decoders(of(decoders), this.now, undefined), decoders);
    const p = oneOf(this.#health.prefillers(of(prefillers), this.now, d.endpoint), prefillers);
    this.#health.sent(p.endpoint, d.endpoint, this.now);
    const fails =
      p.isBroken ||
      d.isBroken ||
      this.cut.has(`${p.name} ${d.name}`) ||
      this.#random() < this.noise;
    if (fails) this.#health.failed(p.endpoint, d.endpoint, this.now);
    else this.#health.succeeded(p.endpoint, d.endpoint, this.now);
  }

  #poll(): void {
    const endpoints = this.#pods.map(({ endpoint }) => endpoint);
    const health = this.#health.pods(endpoints, this.now);
    const { recycledPods, pod } = recycle({
      podsPerHour: this.#podsPerHour,
      pods: this.#pods.map((each) => this.#observed(each)),
      failing: {
        seconds: new Map(
          health.map(({ namespace, pod, failingSeconds }) => [
            `${namespace}/${pod}`,
            failingSeconds,
          ]),
        ),
        readAt: this.now,
      },
      before: this.#recycled,
      now: timestampOf(this.now),
    });
    this.#recycled = recycledPods;
    if (pod === undefined) return;
    const gone = this.pod(pod.name);
    this.deletions.push({ at: this.now, name: gone.name, wasBroken: gone.isBroken });
    const startMs = 20_000 + this.pick(120_000);
    this.#pods = this.#pods.map((each) =>
      each === gone ? this.#make(gone.side, gone.name, startMs) : each,
    );
  }

  #observed({ side, name, uid, created, readyAt }: Pod): ObservedPod {
    const ready = readyAt <= this.now;
    return {
      ...{ namespace: "ns", name, uid, created: timestampOf(created), ready },
      labels: { [label.componentType]: side, [label.roleName]: side },
      ...{ scheduled: true, deleting: false, address: undefined },
      ...{ failure: undefined, unschedulable: undefined },
    };
  }
}

/** Returns the largest number of deletions in any hour. */
const mostInAnHour = (deletions: readonly Deletion[]) =>
  Math.max(
    0,
    ...deletions.map(
      ({ at }) => deletions.filter((each) => each.at > at - hourMs && each.at <= at).length,
    ),
  );

const minute = 60_000;

describe("four prefillers and four decoders", () => {
  it.each(["p2", "d1"])("only the broken pod %s is recreated, within five minutes", (name) => {
    const world = new World(1, 2);
    world.run(5 * minute);
    world.pod(name).isBroken = true;
    world.run(5 * minute);
    expect(world.deletions).toMatchObject([{ name, wasBroken: true }]);
    world.run(120 * minute);
    expect(world.deletions).toHaveLength(1);
    expect(world.avoided).toBe(0);
  });

  it("no pod is recreated and no other pair is avoided while one pair is cut off for hours", () => {
    const world = new World(2, 60);
    world.run(minute);
    world.cut.add("p1 d2");
    for (let round = 0; round < 180; round += 1) {
      world.run(minute);
      expect(world.avoided).toBeLessThanOrEqual(1);
    }
    expect(world.deletions).toEqual([]);
  });

  it("no pod is recreated if all pairs fail for a time", () => {
    const world = new World(3, 60);
    world.run(minute);
    world.noise = 1;
    world.run(20 * minute);
    world.noise = 0;
    world.run(20 * minute);
    expect(world.deletions).toEqual([]);
    expect(world.avoided).toBe(0);
  });

  it.each([1, 2, 3])(
    "only broken pods are recreated, within the budget, in 500 rounds of random faults with seed %i",
    (seed) => {
      const podsPerHour = 2;
      const world = new World(seed, podsPerHour);
      let broken = 0;
      for (let round = 0; round < 500; round += 1) {
        const fault = world.pick(8);
        if (fault === 0 && world.broken.length < 3) {
          const pod = world.pod(`${"pd"[world.pick(2)]}${world.pick(perSide)}`);
          broken += pod.isBroken ? 0 : 1;
          pod.isBroken = true;
        } else if (fault === 1) world.cut.add(`p${world.pick(perSide)} d${world.pick(perSide)}`);
        else if (fault === 2) world.cut.clear();
        else if (fault === 3) world.noise = [0, 0.1, 0.3, 1][world.pick(4)] as number;
        else if (fault === 4) world.noise = 0;
        world.run(minute);
      }
      expect(broken).toBeGreaterThan(10);
      expect(world.deletions.filter(({ wasBroken }) => !wasBroken)).toEqual([]);
      expect(world.deletions.length).toBeGreaterThan(10);
      expect(mostInAnHour(world.deletions)).toBeLessThanOrEqual(podsPerHour);
      expect(world.fewestReady).toBeGreaterThanOrEqual(perSide - 1);
      // Pods that are still broken are recreated when nothing else fails.
      world.cut.clear();
      world.noise = 0;
      world.run(4 * hourMs);
      expect(world.broken).toEqual([]);
      expect(world.avoided).toBe(0);
      // Pods that are still broken are recreated when nothing else fails.
      world.cut.clear();
      world.noise = 0;
      world.run(4 * hourMs);
      expect(world.broken).toEqual([]);
      expect(world.avoided).toBe(0);
    },
  );
});
