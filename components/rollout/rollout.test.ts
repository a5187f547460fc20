import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ApiError, NoAnswerError } from "../../kubernetes/api/api-error.ts";
import { counts } from "../../sdk/rollout/counts.fixture.ts";
import type { EndpointResponses } from "../../sdk/rollout/endpoint-responses.ts";
import { ServiceRollout } from "../../sdk/spec/service-rollout.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import type { PickerPages } from "./gate-watch.ts";
import { type PreviousSet, Rollout, type RolloutOptions } from "./rollout.ts";

/** A cluster in which an updated set is ready again after `loadMs`, or never. */
class SimulatedCluster implements ClusterAccess {
  readonly #loadMs: (name: string) => number | "never";
  readonly sets_ = new Map<string, { generation: number; ready: number }>();
  /** Minimum number of sets that were ready at any time. */
  lowest = Number.POSITIVE_INFINITY;
  reads = 0;

  constructor(names: readonly string[], loadMs: (name: string) => number | "never" = () => 20) {
    this.#loadMs = loadMs;
    for (const name of names) this.sets_.set(name, { generation: 1, ready: 1 });
  }

  async sets() {
    this.reads += 1;
    return [...this.sets_].map(([name, { generation, ready }]) => ({
      metadata: { name, generation },
      spec: { replicas: 1 },
      status: { observedGeneration: generation, readyReplicas: ready, updatedReplicas: ready },
    }));
  }

  async pods(_: string, names: readonly string[]) {
    return names.flatMap((set) => {
      const { generation, ready } = this.sets_.get(set) ?? {};
      const isBad = ready === 0 && this.#loadMs(set) === "never";
      const failure = isBad ? "ImagePullBackOff: image bad:1" : undefined;
      const pod = { set, name: `${set}-0`, uid: `${set}-${generation}`, serves: ready === 1 };
      return generation === undefined ? [] : [{ ...pod, failure }];
    });
  }

  /** Responses of each set, whose template is its generation. Set by a test. */
  answers: (name: string, generation: number) => { responses: number; errors: number } = () => ({
    responses: 0,
    errors: 0,
  });
  readonly #counted = new Map<string, EndpointResponses>();

  /** Why pods of the picker cannot be read. Set by a test. */
  unread: readonly string[] = [];

  async responses(): Promise<PickerPages> {
    for (const [name, { generation, ready }] of this.sets_) {
      if (ready === 0) continue;
      const uid = `${name}-${generation}`;
      const { responses = 0, errors = 0 } = this.#counted.get(uid) ?? {};
      const more = this.answers(name, generation);
      this.#counted.set(uid, {
        ...counts(responses + more.responses, errors + more.errors),
        uid,
        set: name,
        revision: String(generation % 10),
      });
    }
    const page = { process: "p", endpoints: [...this.#counted.values()] };
    return { pages: new Map([["epp-0", page]]), unread: this.unread };
  }

  readonly restored: string[] = [];
  async restore(_: string, name: string, { spec }: PreviousSet) {
    this.restored.push(`${name} ${spec.image}`);
    this.write(name);
  }

  /** Writes an update, as the engine does between the hooks. */
  write(name: string): void {
    const set = this.sets_.get(name) as { generation: number; ready: number };
    set.generation += 1;
    set.ready = 0;
    const ready = [...this.sets_.values()].filter((each) => each.ready > 0).length;
    this.lowest = Math.min(this.lowest, ready);
    const ms = this.#loadMs(name);
    if (ms !== "never")
      void sleep(ms).then(() => {
        set.ready = 1;
      });
  }
}

const names = ["a", "b", "c", "d"];

function rollout(cluster: ClusterAccess, options: Partial<RolloutOptions> = {}) {
  const reports: string[] = [];
  const made = new Rollout({
    sets: names.map((name) => ({ name, role: "r", maxUnavailable: 1, answersRequests: true })),
    cluster: async () => cluster,
    report: (message, isTemporary) => isTemporary || reports.push(message),
    pollMs: 2,
    settleMs: 2_000,
    writeMs: 60,
    failureMs: 10,
    ...options,
  });
  const update = async (name: string, write: (name: string) => void) => {
    await made.begin(name, "ns");
    write(name);
    await made.end(name, { metadata: { name }, spec: { image: "old" } });
  };
  return { made, reports, update };
}

const apiError = (status: number) =>
  new ApiError("GET", { status, reason: "", message: "refused", retryAfterMs: undefined });

const outcomes = async (updates: readonly Promise<void>[]) =>
  (await Promise.allSettled(updates)).map((each) =>
    each.status === "fulfilled" ? "updated" : String((each.reason as Error).message),
  );

describe("Rollout", () => {
  it("refuses the update of a set that is not planned", async () => {
    const { update } = rollout(new SimulatedCluster(names));
    await expect(update("other", () => {})).rejects.toThrow(
      'no LeaderWorkerSet named "other" in the rollout. Planned: a, b, c, d.',
    );
  });

  it("updates one replica at a time, in the order of the plan", async () => {
    const cluster = new SimulatedCluster(names);
    const { update, reports } = rollout(cluster);
    const order: string[] = [];
    const write = (name: string) => {
      order.push(name);
      cluster.write(name);
    };
    // The engine asks in any order.
    const asked = ["c", "a", "d", "b"].map((name) => update(name, write));
    expect(await outcomes(asked)).toEqual(["updated", "updated", "updated", "updated"]);
    expect(order).toEqual(["a", "b", "c", "d"]);
    expect(cluster.lowest).toBe(3);
    expect(reports).toHaveLength(4);
  });

  it("stops at a replica whose pods fail, and the others keep their pods", async () => {
    const cluster = new SimulatedCluster(names, (name) => (name === "b" ? "never" : 5));
    const { update } = rollout(cluster);
    const updates = names.map((name) => update(name, (each) => cluster.write(each)));
    const stopped =
      "the rollout stopped: b does not start: b-0: ImagePullBackOff: image bad:1. This replica keeps its pods. Correct the cause and run `pulumi up` again.";
    expect(await outcomes(updates)).toEqual([
      "updated",
      "b does not start: b-0: ImagePullBackOff: image bad:1",
      stopped,
      stopped,
    ]);
    expect(cluster.lowest).toBe(3);
    expect(cluster.sets_.get("c")?.generation).toBe(1);
  });

  it("updates a broken replica first, then the others", async () => {
    const cluster = new SimulatedCluster(names);
    (cluster.sets_.get("c") as { ready: number }).ready = 0;
    const { update } = rollout(cluster);
    const order: string[] = [];
    const write = (name: string) => {
      order.push(name);
      cluster.write(name);
    };
    await Promise.all(names.map((name) => update(name, write)));
    expect(order[0]).toBe("c");
    expect(cluster.lowest).toBe(3);
  });

  it("stops at a broken replica that is not updated", async () => {
    const cluster = new SimulatedCluster(names, () => "never");
    (cluster.sets_.get("d") as { ready: number }).ready = 0;
    const { update } = rollout(cluster);
    expect(await outcomes([update("a", (each) => cluster.write(each))])).toEqual([
      "the rollout stopped: d (0 of 1 replicas ready) must be ready first: d-0: ImagePullBackOff: image bad:1. If this update corrects it, raise the CLI's --parallel above the number of replicas. This replica keeps its pods. Correct the cause and run `pulumi up` again.",
    ]);
    expect(cluster.sets_.get("a")?.generation).toBe(1);
  });

  it("stops if the API server refuses an update", async () => {
    const cluster = new SimulatedCluster(names);
    const { made } = rollout(cluster);
    await made.begin("a", "ns");
    expect(await outcomes([made.begin("b", "ns")])).toEqual([
      expect.stringContaining("the rollout stopped: the update of a failed."),
    ]);
  });

  it("continues an update that an interrupted operation has written and that is slow to settle", async () => {
    const cluster = new SimulatedCluster(["a", "b"]);
    const settled = Date.now() + 150;
    const read = cluster.sets.bind(cluster);
    cluster.sets = async () => {
      const updatedReplicas = Date.now() < settled ? 0 : 1;
      return (await read()).map((set) =>
        set.metadata.name === "a" ? { ...set, status: { ...set.status, updatedReplicas } } : set,
      );
    };
    const { update } = rollout(cluster);
    // The engine writes the same spec again, so the generation of `a` stays.
    const updates = [update("a", () => {}), update("b", (name) => cluster.write(name))];
    expect(await outcomes(updates)).toEqual(["updated", "updated"]);
    expect(Date.now()).toBeGreaterThan(settled);
  });

  it("does not wait for replicas that never served, or for new replicas", async () => {
    const cluster = new SimulatedCluster(["a", "b"], () => "never");
    for (const set of cluster.sets_.values()) set.ready = 0;
    const { made, update } = rollout(cluster);
    made.created("d");
    const updates = ["a", "b"].map((name) => update(name, (each) => cluster.write(each)));
    expect(await outcomes(updates)).toEqual(["updated", "updated"]);
  });

  it.each([
    ["no response", new NoAnswerError("GET", "socket hang up", false, undefined)],
    ["status 503", apiError(503)],
    ["status 429", apiError(429)],
  ])("waits through an outage of the API server with %s", async (_, error) => {
    const cluster = new SimulatedCluster(names);
    const { update } = rollout(cluster, { rollsBack: true });
    const [sets, pods] = [cluster.sets.bind(cluster), cluster.pods.bind(cluster)];
    let isAway = false;
    cluster.sets = () => (isAway ? Promise.reject(error) : sets());
    cluster.pods = (...args) => (isAway ? Promise.reject(error) : pods(...args));
    const updates = names.map((name) =>
      update(name, (each) => {
        cluster.write(each);
        isAway = true;
        setTimeout(() => {
          isAway = false;
        }, 30);
      }),
    );
    expect(await outcomes(updates)).toEqual(names.map(() => "updated"));
    expect(cluster.lowest).toBe(3);
    expect(cluster.restored).toEqual([]);
  });

  it.each([
    ["an outage that does not end", apiError(503)],
    ["a refusal", apiError(403)],
  ])("keeps updated replicas after %s", async (_, error) => {
    const cluster = new SimulatedCluster(names);
    const { update } = rollout(cluster, { rollsBack: true, outageMs: 20 });
    const updates = names.map((name) =>
      update(name, (each) => {
        cluster.write(each);
        if (each === "b") cluster.sets = () => Promise.reject(error);
      }),
    );
    const ended = await outcomes(updates);
    expect(ended.slice(0, 2)).toEqual(["updated", error.message]);
    expect(cluster.restored).toEqual([]);
  });

  it("reports a cluster that cannot be read to every update", async () => {
    const cluster = new SimulatedCluster([]);
    cluster.sets = () => Promise.reject(new Error("no route"));
    const { made } = rollout(cluster);
    const asked = [made.begin("a", "ns"), made.begin("b", "ns")];
    for (const outcome of await outcomes(asked)) expect(outcome).toContain("stopped: no route.");
  });
});

describe("Rollout with a gate", () => {
  const { gate: limits } = ServiceRollout.parse({ gate: { minResponses: 20, waitSeconds: 1 } });
  const gate = { limits: limits as NonNullable<typeof limits>, picker: "epp" };
  const all = (cluster: SimulatedCluster, options: Partial<RolloutOptions>) => {
    const { update, reports } = rollout(cluster, { gate, ...options });
    const updates = names.map((name) => update(name, (each) => cluster.write(each)));
    return outcomes(updates).then((outcome) => ({ outcome, reports }));
  };

  it("updates the next replica after enough responses of the updated replicas", async () => {
    const cluster = new SimulatedCluster(names);
    cluster.answers = () => ({ responses: 5, errors: 0 });
    const { outcome, reports } = await all(cluster, {});
    expect(outcome).toEqual(["updated", "updated", "updated", "updated"]);
    const opened = reports.filter((each) => each.includes("the gate is open"));
    expect(opened).toHaveLength(4);
    for (const each of opened)
      expect(Number(/after (\d+) responses/.exec(each)?.[1])).toBeGreaterThanOrEqual(20);
    expect(cluster.lowest).toBe(3);
  });

  it("updates a service without requests after its waiting time", async () => {
    const cluster = new SimulatedCluster(names);
    const began = Date.now();
    const short = { limits: { ...gate.limits, waitSeconds: 0.05 }, picker: "epp" };
    expect((await all(cluster, { gate: short })).outcome).toEqual(names.map(() => "updated"));
    expect(Date.now() - began).toBeGreaterThanOrEqual(4 * 50);
  });

  const failing = (errors: number) => (_: string, generation: number) => ({
    responses: 10,
    errors: generation === 2 ? errors : 0,
  });
  const reason =
    /^\d+ of \d+ responses of the new replicas are errors \(50 %\), more than 1 %, the limit/;

  it("stops after the first replica that responds with errors", async () => {
    const cluster = new SimulatedCluster(names);
    cluster.answers = failing(5);
    const { outcome } = await all(cluster, {});
    expect(outcome[0]).toMatch(reason);
    expect(outcome[1]).toMatch(/^the rollout stopped: \d+ of \d+ responses/);
    expect([...cluster.sets_.values()].map(({ generation }) => generation)).toEqual([2, 1, 1, 1]);
    expect(cluster.restored).toEqual([]);
  });

  it("gives updated replicas their previous template again, one after the other", async () => {
    const cluster = new SimulatedCluster(names);
    // The errors begin after the second update.
    cluster.answers = (name, generation) => failing(name === "b" ? 5 : 0)(name, generation);
    const { outcome } = await all(cluster, { rollsBack: true });
    expect(cluster.restored).toEqual(["b old", "a old"]);
    expect(cluster.lowest).toBe(3);
    expect(outcome[1]).toMatch(
      /\. b, a have their previous template again, although Pulumi's state contains the new one$/,
    );
    expect(outcome[3]).toMatch(
      /^the rollout stopped: .*\. b, a have .*\. This replica keeps its pods/,
    );
  });

  it("restores a replica whose pods do not start", async () => {
    let image = "bad";
    const cluster = new SimulatedCluster(names, (name) =>
      name === "b" && image === "bad" ? "never" : 5,
    );
    const restore = cluster.restore.bind(cluster);
    cluster.restore = async (...args) => {
      image = "old";
      await restore(...args);
    };
    const { outcome } = await all(cluster, { gate: undefined, rollsBack: true } as never);
    expect(cluster.restored).toEqual(["b old", "a old"]);
    expect(outcome[1]).toMatch(/^b does not start: b-0: ImagePullBackOff: image bad:1\. b, a have/);
  });

  it("updates nothing while a picker cannot be read, and then stops", async () => {
    const cluster = new SimulatedCluster(names);
    cluster.unread = ["epp-1: answers 502"];
    const { outcome } = await all(cluster, { outageMs: 30 });
    for (const each of outcome)
      expect(each).toMatch(
        /^the rollout stopped: the gate cannot judge the new replicas for \d+ s: epp-1: answers 502/,
      );
    expect(cluster.lowest).toBe(Number.POSITIVE_INFINITY);
  });

  it("stays closed while a picker cannot be read, and keeps updated replicas", async () => {
    const cluster = new SimulatedCluster(names);
    const write = cluster.write.bind(cluster);
    cluster.write = (name) => {
      cluster.unread = ["epp-1: answers 502"];
      write(name);
    };
    const short = { limits: { ...gate.limits, waitSeconds: 0.001 }, picker: "epp" };
    const { outcome } = await all(cluster, { gate: short, outageMs: 60, rollsBack: true });
    expect(outcome[0]).toMatch(/^the gate cannot judge the new replicas for/);
    expect(cluster.restored).toEqual([]);
    expect([...cluster.sets_.values()].map(({ generation }) => generation)).toEqual([2, 1, 1, 1]);
  });

  it("continues after a picker could not be read for a while", async () => {
    const cluster = new SimulatedCluster(names);
    cluster.answers = () => ({ responses: 5, errors: 0 });
    cluster.unread = ["epp-1: answers 502"];
    setTimeout(() => {
      cluster.unread = [];
    }, 30);
    const { outcome } = await all(cluster, {});
    expect(outcome).toEqual(names.map(() => "updated"));
  });

  /** Changes the endpoints of the picker's page. */
  const withPage = (
    cluster: SimulatedCluster,
    change: (endpoints: readonly EndpointResponses[]) => readonly EndpointResponses[],
  ) => {
    const read = cluster.responses.bind(cluster);
    cluster.responses = async () => {
      const { pages, unread } = await read();
      const changed = [...pages].map(
        ([name, page]) => [name, { ...page, endpoints: [...change(page.endpoints)] }] as const,
      );
      return { pages: new Map(changed), unread };
    };
  };

  it("does not take counts of pods that others created for responses of its replicas", async () => {
    const cluster = new SimulatedCluster(names);
    cluster.answers = () => ({ responses: 5, errors: 0 });
    const forged = { ...counts(900, 900), uid: "forged", set: "a", revision: "2" };
    withPage(cluster, (own) => (cluster.sets_.get("a")?.generation === 2 ? [...own, forged] : own));
    expect((await all(cluster, {})).outcome).toEqual(names.map(() => "updated"));
  });

  it("stays closed while a picker does not list the updated pods", async () => {
    const cluster = new SimulatedCluster(names);
    cluster.answers = () => ({ responses: 5, errors: 0 });
    withPage(cluster, (own) => own.filter(({ uid }) => uid.endsWith("-1")));
    const short = { limits: { ...gate.limits, waitSeconds: 0.001 }, picker: "epp" };
    const { outcome } = await all(cluster, { gate: short, outageMs: 60, rollsBack: true });
    expect(outcome[0]).toMatch(/^the gate cannot judge .*: epp-0 does not list a-0$/);
    expect(cluster.restored).toEqual([]);
  });

  it("stops before the first update if the pickers cannot be read", async () => {
    const cluster = new SimulatedCluster(names);
    cluster.responses = () => Promise.reject(new Error("the gate cannot read /responses"));
    const { outcome } = await all(cluster, {});
    for (const each of outcome)
      expect(each).toMatch(/^the rollout stopped: the gate cannot read \/responses\./);
    expect(cluster.lowest).toBe(Number.POSITIVE_INFINITY);
  });
});
