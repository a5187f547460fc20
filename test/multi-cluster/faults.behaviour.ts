import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { newKubernetesClient } from "../../kubernetes/api/client.ts";
import { loadKubeConfig } from "../../kubernetes/api/load-kubeconfig.ts";
import { importKind } from "../../sdk/multi-cluster/import-schema.ts";
import { annotation } from "../../sdk/names.ts";
import { defaultControllerName } from "../../sdk/topology/multi-cluster-names.ts";
import { installCrd } from "../../testing/api/install-crds.ts";
import {
  annotate,
  createNamespace,
  createPicker,
  createPool,
  exported,
  exporters,
  kindsOf,
  parents,
  readImport,
  setParents,
  startController,
  type TestController,
  type TestControllerOptions,
  type TestSet,
  writesWhenQuiet,
} from "./cluster-set.fixture.ts";
import { endState } from "./end-state.fixture.ts";
import { dyingAfter, refusing, switchable } from "./interference.fixture.ts";
import { happen } from "./random-events.fixture.ts";

export interface FaultsOptions {
  readonly set: () => TestSet;
  /** Members that serve the shipped InferencePoolImport. */
  readonly shipped: readonly string[];
  /** Every fault, including the faults that last long. */
  readonly thorough: boolean;
}

/** The controller of a cluster set under faults: it reaches the expected state, then stops writing. */
export function describeFaults({ set: theSet, shipped, thorough }: FaultsOptions): void {
  let set: TestSet;
  let namespace: string;
  let count = 0;
  const running: TestController[] = [];

  beforeEach(async () => {
    set = theSet();
    count += 1;
    namespace = `fault-${count}`;
    await Promise.all(set.members.map((member) => createNamespace(member, namespace)));
  });
  const stopAll = () => Promise.all(running.splice(0).map((each) => each.stop()));
  afterEach(async () => {
    await stopAll();
    for (const { proxy } of set.members) await proxy.restore();
  });

  const start = async (options: TestControllerOptions = {}) => {
    const started = startController(set.members, options);
    running.push(started);
    await eventually(async () => expect(started.controller.settled).toBe(true));
    return started;
  };
  const eventually = <T>(check: () => Promise<T>, timeout = 30_000) =>
    vi.waitFor(check, { timeout, interval: 50 });
  const lists = (member: string, pool = "pool") => exporters(set.member(member), namespace, pool);
  const exportFrom = (member: string, pool = "pool") =>
    createPool(set.member(member), namespace, pool, { export: "ClusterSet" });
  const word = async (member: string, pool = "pool") =>
    (await exported(set.member(member), namespace, pool))?.reason;

  /** The actual state is the expected one, and a restarted controller has nothing to write. */
  const isHere = (name: string) => name === namespace;
  const isOwedAndQuiet = async (isIt = isHere) => {
    await eventually(async () => {
      const { found, owed } = await endState(set.members, isIt);
      expect(found).toEqual(owed);
    }, 60_000);
    await writesWhenQuiet(set);
    await stopAll();
    await start();
    expect(Object.values(await writesWhenQuiet(set, isIt)).flat()).toEqual([]);
  };

  describe("a controller that dies of a write is followed by one that does the rest:", () => {
    const numbers = thorough ? Array.from({ length: 14 }, (_, at) => at + 1) : [3];
    it.each(numbers)(
      "a controller that dies of write %i is followed by one that does the rest",
      async (number) => {
        const a = set.member("a");
        await createPicker(a, namespace, true);
        const phases = [
          async () => {
            await exportFrom("a");
            await exportFrom("b");
          },
          () => annotate(a, namespace, "pool", { [annotation.export]: null }),
          () => annotate(set.member("b"), namespace, "pool", { [annotation.export]: null }),
        ];
        for (const change of phases) {
          const mortal = dyingAfter(number);
          await start({ between: mortal.between });
          await change();
          await eventually(async () => expect(mortal.isDead() || (await isDone())).toBe(true));
          await stopAll();
          await start();
          await eventually(async () => expect(await isDone()).toBe(true));
          await writesWhenQuiet(set);
          await stopAll();
        }
        await isOwedAndQuiet();
      },
    );
    const isDone = async () => {
      const { found, owed } = await endState(set.members, (name) => name === namespace);
      return JSON.stringify(found) === JSON.stringify(owed);
    };
  });

  it.each(thorough ? [1, 2, 3, 4] : [1])(
    "whatever happens, in the end all is as it is owed: seed %i",
    async (seed) => {
      const late = `${namespace}-late`;
      const early = `${namespace}-early`;
      await Promise.all(set.members.map((member) => createNamespace(member, early)));
      await Promise.all(set.members.map((member) => createPicker(member, early, true)));
      await createNamespace(set.member("a"), late);
      await start();
      const restart = async () => {
        await stopAll();
        running.push(startController(set.members));
      };
      await happen(set, { seed, count: thorough ? 250 : 40, prefix: namespace, restart });
      await isOwedAndQuiet((name) => name === early || name === late);
    },
  );

  it("two controllers at once come to the same end", async () => {
    await start();
    await start();
    await Promise.all([exportFrom("a"), exportFrom("b"), exportFrom("a", "other")]);
    await isOwedAndQuiet();
  });

  it("controllers of two names each say their own, and leave the other's", async () => {
    await start();
    await start({ controllerName: "example.com/second" });
    await exportFrom("a");
    const second = () => exporters(set.member("b"), namespace, "pool", "example.com/second");
    await eventually(async () =>
      expect([await lists("b"), await second()]).toEqual([["a"], ["a"]]),
    );
    await eventually(async () =>
      expect(
        (await parents(set.member("a"), namespace, "pool"))
          .map((each) => each.controllerName)
          .sort(),
      ).toEqual(["example.com/second", defaultControllerName].sort()),
    );
    // Each keeps the clusters of an import that the other wrote, even if both write the same field.
    await writesWhenQuiet(set);
    await annotate(set.member("a"), namespace, "pool", { [annotation.export]: null });
    await eventually(async () =>
      expect([await lists("b"), await second()]).toEqual([undefined, undefined]),
    );
  });

  it("says of no pool that a member lacks it because the member is away when it begins", async () => {
    await start();
    await exportFrom("a");
    await eventually(async () => expect(await word("a")).toBe("Exported"));
    await writesWhenQuiet(set);
    await stopAll();
    await set.member("c").proxy.cut();
    await start();
    expect(Object.values(await writesWhenQuiet(set, isHere)).flat()).toEqual([]);
    expect(await word("a")).toBe("Exported");
    await set.member("c").proxy.restore();
    await isOwedAndQuiet();
  });

  it("writes to no pool because a member joins that gets it, or leaves that had it", async () => {
    const [a, d] = [set.member("a"), set.member("d")];
    const { controller, log, stop } = startController(
      set.members.filter(({ name }) => name !== "d"),
    );
    const client = newKubernetesClient(loadKubeConfig({ file: d.kubeconfig }));
    running.push({ controller, log, stop: () => stop().then(() => client.close()) });
    await eventually(async () => expect(controller.settled).toBe(true));
    await exportFrom("a");
    await eventually(async () => expect(await word("a")).toBe("Exported"));
    const before = await parents(a, namespace, "pool");
    await writesWhenQuiet(set);
    controller.join({ name: "d", client });
    await eventually(async () => expect(await lists("d")).toEqual(["a"]));
    expect((await writesWhenQuiet(set, isHere)).a).toEqual([]);
    await controller.leave("d");
    expect(await lists("d")).toBeUndefined();
    expect((await writesWhenQuiet(set, isHere)).a).toEqual([]);
    expect(await parents(a, namespace, "pool")).toEqual(before);
  });

  it("knows that an API server hangs which keeps its watches open, and that it goes on", async () => {
    const heartbeat = { intervalMs: 200, timeoutMs: 5_000 };
    await start({ unreachableAfterMs: 1_000, heartbeat });
    await exportFrom("b");
    await eventually(async () => expect(await lists("a")).toEqual(["b"]));
    const { apiServer } = set.member("b").cluster;
    process.kill(apiServer.pid, "SIGSTOP");
    try {
      await eventually(async () => expect(await reachable()).toBe("False"));
    } finally {
      process.kill(apiServer.pid, "SIGCONT");
    }
    await eventually(async () => expect(await reachable()).toBeUndefined());
    // Changes made in the meantime arrive through reopened watches.
    await exportFrom("b", "other");
    await eventually(async () => expect(await lists("a", "other")).toEqual(["b"]));
    await isOwedAndQuiet();
  });
  const reachable = async () =>
    (
      await readImport(set.member("a"), namespace, "pool")
    )?.status?.controllers?.[0]?.conditions?.find(({ type }) => type === "ExportersReachable")
      ?.status;

  it("writes nothing without the Lease, nor because of a clock that is wrong", async () => {
    await start();
    await exportFrom("a");
    await eventually(async () => expect(await word("a")).toBe("Exported"));
    await writesWhenQuiet(set);
    await stopAll();
    for (const minutes of [-10, 10]) {
      await start({ now: () => Date.now() + minutes * 60_000 });
      expect(Object.values(await writesWhenQuiet(set)).flat()).toEqual([]);
      await stopAll();
    }
    await start({ isLeader: () => false });
    await exportFrom("b");
    expect(Object.values(await writesWhenQuiet(set)).flat()).toEqual([]);
    await stopAll();
    await start();
    await isOwedAndQuiet();
  });

  it.each(thorough ? [409, 429, 500, 403, 422] : [409, 500])(
    "tries again what is refused with %i, and says so meanwhile",
    async (status) => {
      const refusal = refusing("b", status);
      await start({ between: refusal.between });
      await exportFrom("a");
      await eventually(async () => expect(await lists("c")).toEqual(["a"]));
      // After a conflict, the write is repeated immediately, and nothing is reported.
      if (status === 409)
        await eventually(async () => expect(refusal.refused()).toBeGreaterThan(1));
      else
        await eventually(async () =>
          expect((await exported(set.member("a"), namespace, "pool"))?.message).toMatch(
            /^b: .*scripted$/,
          ),
        );
      refusal.relent();
      await eventually(async () => expect(await word("a")).toBe("Exported"));
      await isOwedAndQuiet();
    },
  );

  if (thorough)
    it("does not fight for an entry that somebody takes away again and again", async () => {
      const { log } = await start();
      const a = set.member("a");
      await exportFrom("a");
      for (let times = 0; times < 4; times += 1) {
        await eventually(async () => expect(await word("a")).toBe("Exported"));
        await writesWhenQuiet(set);
        await setParents(a, namespace, "pool", []);
        if (log.join("").includes("another controller removes the entry")) break;
      }
      expect(log.join("")).toContain("another controller removes the entry");
      expect(Object.values(await writesWhenQuiet(set)).flat()).toEqual([]);
    });

  if (thorough)
    it("goes on without a kind that is taken away, and with it when it is back", async () => {
      await start();
      await exportFrom("a");
      await eventually(async () => expect(await word("a")).toBe("Exported"));
      const b = set.member("b");
      const crd = `${importKind.plural}.${importKind.group}`;
      const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd}`;
      await b.cluster.request("DELETE", path);
      await eventually(async () =>
        expect((await exported(set.member("a"), namespace, "pool"))?.message).toBe(
          "b: its API server does not serve InferencePoolImport",
        ),
      );
      for (const kind of await kindsOf(shipped.includes("b"))) await installCrd(b.cluster, kind);
      await eventually(async () => expect(await word("a")).toBe("Exported"));
      await isOwedAndQuiet();
    });

  it("leaves a namespace that is being deleted alone", async () => {
    const b = set.member("b");
    const path = `/api/v1/namespaces/${namespace}`;
    await start();
    await exportFrom("c");
    await eventually(async () => expect(await lists("b")).toEqual(["c"]));
    await b.cluster.request("DELETE", path);
    await exportFrom("a");
    await eventually(async () =>
      expect((await exported(set.member("a"), namespace, "pool"))?.message).toBe(
        `b: namespace "${namespace}" is terminating`,
      ),
    );
    await writesWhenQuiet(set);
    expect(await lists("b")).toEqual(["c"]);
  });

  it("takes a cluster that was made anew behind a name for another", async () => {
    const way = switchable(clientOf("b"));
    const others = set.members.filter(({ name }) => name === "a" || name === "b");
    const { controller, log } = startController(others, {
      between: (client, name) => (name === "b" ? way : client),
    });
    running.push({ controller, log, stop: () => controller.stop() });
    await eventually(async () => expect(controller.settled).toBe(true));
    await exportFrom("a");
    await eventually(async () => expect(await lists("b")).toEqual(["a"]));
    way.to(clientOf("d"));
    await set.member("b").proxy.cut();
    await eventually(async () => expect(await lists("d")).toEqual(["a"]));
    expect(log.join("")).toContain("the member is another cluster now");
  });
  const clientOf = (name: string) =>
    newKubernetesClient(loadKubeConfig({ file: set.member(name).kubeconfig }));

  if (thorough)
    describe("an API server", () => {
      it("an API server that is killed holds up no other, and catches up when it is started again", async () => {
        await start();
        const b = set.member("b");
        await exportFrom("a");
        await eventually(async () => expect(await lists("b")).toEqual(["a"]));
        await b.cluster.apiServer.kill();
        await exportFrom("c");
        await eventually(async () => expect(await lists("d")).toEqual(["a", "c"]));
        await b.cluster.apiServer.start();
        await eventually(async () => expect(await lists("b")).toEqual(["a", "c"]), 60_000);
        await isOwedAndQuiet();
      });

      it("an API server that hangs holds up no other, and catches up when it goes on", async () => {
        await start({ unreachableAfterMs: 1_000 });
        const b = set.member("b");
        await exportFrom("a");
        await eventually(async () => expect(await lists("b")).toEqual(["a"]));
        process.kill(b.cluster.apiServer.pid, "SIGSTOP");
        try {
          await exportFrom("c");
          await eventually(async () => expect(await lists("d")).toEqual(["a", "c"]), 5_000);
          await annotate(set.member("a"), namespace, "pool", { [annotation.export]: null });
          await eventually(async () => expect(await lists("d")).toEqual(["c"]), 5_000);
        } finally {
          process.kill(b.cluster.apiServer.pid, "SIGCONT");
        }
        await eventually(async () => expect(await lists("b")).toEqual(["c"]), 60_000);
        await isOwedAndQuiet();
      });
    });
}
