import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextUpdates } from "./next-update.ts";
import {
  type LiveSet,
  type PlannedSet,
  restartsPods,
  type SetState,
  setStateOf,
} from "./set-state.ts";

const state = (name: string, ready: number, isSettled = ready === 1, wanted = 1): SetState => ({
  ...{ name, ready, wanted, isSettled },
  generation: 1,
});

const planned = (name: string, maxUnavailable = 1): PlannedSet => ({
  ...{ name, maxUnavailable },
  role: name.slice(0, 1),
  answersRequests: true,
});

const next = (
  sets: readonly SetState[],
  waiting: readonly string[],
  { updating = [], created = [], maxUnavailable = 1 }: Given = {},
) =>
  nextUpdates({
    planned: sets.map(({ name }) => planned(name, maxUnavailable)),
    sets: new Map(sets.map((each) => [each.name, each])),
    waiting: waiting.map((name) => planned(name, maxUnavailable)),
    updating: new Set(updating),
    created: new Set(created),
  });

interface Given {
  readonly updating?: string[];
  readonly created?: string[];
  readonly maxUnavailable?: number;
}

describe("nextUpdates", () => {
  const [a, b, c] = [state("a", 1), state("b", 1), state("c", 1)];

  it.each([
    ["begins one of several that serve", [a, b, c], ["b", "c"], {}, ["b"], []],
    ["waits for a set whose update has begun", [a, b, c], ["b"], { updating: ["a"] }, [], ["a"]],
    ["waits for a set that is not ready", [state("a", 0), b, c], ["b", "c"], {}, [], ["a"]],
    [
      "does not wait for a set that it created",
      [state("a", 0), b],
      ["b"],
      { created: ["a"] },
      ["b"],
      [],
    ],
    [
      "begins sets without a ready replica at once",
      [state("a", 0), state("b", 0), c],
      ["a", "b", "c"],
      {},
      ["a", "b"],
      [],
    ],
    [
      "begins them beside an update that has begun",
      [state("a", 0), b, c],
      ["a", "c"],
      { updating: ["b"] },
      ["a"],
      [],
    ],
    [
      "begins a set that is partly ready first",
      [a, state("b", 2, false, 3)],
      ["a", "b"],
      {},
      ["b"],
      [],
    ],
    ["begins a set that the cluster has not", [a], ["a", "gone"], {}, ["gone"], []],
    ["has nothing to begin", [a, b], [], {}, [], []],
  ] as const)("%s", (_, sets, waiting, more, begin, waitsFor) => {
    expect(next(sets, waiting, more as object)).toEqual({ begin, waitsFor });
  });

  it.each([
    ["begins a second set of its role", ["a1"], ["a2"], []],
    ["waits at the limit", ["a1", "a2"], [], ["a1", "a2"]],
    ["does not wait for another role", ["b1"], ["a1"], []],
  ])("with maxUnavailable 2, %s", (_, updating, begin, waitsFor) => {
    const sets = ["a1", "a2", "a3", "b1"].map((name) => state(name, 1));
    const waiting = ["a1", "a2", "a3"].filter((name) => !updating.includes(name));
    expect(next(sets, waiting, { updating, maxUnavailable: 2 })).toEqual({ begin, waitsFor });
  });

  it("never has two of the sets that serve updated at the same time, and updates all", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }), (ready) => {
        const sets = new Map(ready.map((is, at) => [`s${at}`, state(`s${at}`, Number(is))]));
        let waiting = [...sets.keys()];
        for (let round = 0; waiting.length > 0; round += 1) {
          expect(round).toBeLessThan(20);
          const serving = [...sets.values()].filter(({ isSettled }) => isSettled).length;
          const all = [...sets.keys()].map((name) => planned(name));
          const { begin } = nextUpdates({
            ...{ planned: all, sets, waiting: waiting.map((name) => planned(name)) },
            ...{ updating: new Set<string>(), created: new Set<string>() },
          });
          for (const name of begin) sets.set(name, state(name, 0));
          const left = [...sets.values()].filter(({ isSettled }) => isSettled).length;
          expect(serving - left).toBeLessThanOrEqual(1);
          expect(left).toBeGreaterThanOrEqual(Math.min(serving, ready.filter(Boolean).length - 1));
          // Every update succeeds before the next round.
          for (const name of begin) sets.set(name, state(name, 1));
          waiting = waiting.filter((name) => !begin.includes(name));
        }
      }),
    );
  });
});

describe("setStateOf", () => {
  const live = (status: LiveSet["status"], generation = 2): LiveSet => ({
    metadata: { name: "a", generation },
    spec: { replicas: 2 },
    ...(status && { status }),
  });

  it.each([
    [
      "ready with the current template",
      { observedGeneration: 2, readyReplicas: 2, updatedReplicas: 2 },
      true,
    ],
    [
      "ready with an earlier template",
      { observedGeneration: 2, readyReplicas: 2, updatedReplicas: 1 },
      false,
    ],
    ["not observed yet", { observedGeneration: 1, readyReplicas: 2, updatedReplicas: 2 }, false],
    ["partly ready", { observedGeneration: 2, readyReplicas: 1, updatedReplicas: 2 }, false],
    ["without a status", undefined, false],
  ])("a set that is %s is settled: %s", (_, status, isSettled) => {
    expect(setStateOf(live(status)).isSettled).toBe(isSettled);
  });
});

describe("restartsPods", () => {
  it("counts a value that is not known yet as a change", () => {
    const output = { __pulumiOutput: true };
    for (const unknown of [
      output,
      { leaderWorkerTemplate: output },
      { leaderWorkerTemplate: { workerTemplate: { spec: { containers: [output] } } } },
      { networkConfig: output },
    ]) {
      expect(restartsPods(unknown, unknown)).toBe(true);
      expect(restartsPods({}, unknown)).toBe(true);
    }
    expect(restartsPods({ replicas: output }, { replicas: 2 })).toBe(false);
  });

  const spec = {
    replicas: 1,
    rolloutStrategy: { type: "RollingUpdate" },
    leaderWorkerTemplate: { size: 2, workerTemplate: { spec: { containers: [{ image: "a" }] } } },
  };

  it.each([
    ["nothing", {}, false],
    ["replicas", { replicas: 2 }, false],
    ["the rollout strategy", { rolloutStrategy: {} }, false],
    ["the network", { networkConfig: { subdomainPolicy: "Shared" } }, true],
    ["the template", { leaderWorkerTemplate: { size: 2 } }, true],
  ])("a change of %s restarts pods: %s", (_, change, restarts) => {
    expect(restartsPods(spec, { ...spec, ...change })).toBe(restarts);
  });
});
