import { describe, expect, it } from "vitest";
import { isConfigured } from "./configured-models.ts";
import { model, objective, objects, pod, pool, rewriteObject, service } from "./objects.fixture.ts";
import { emptySnapshot, snapshotOf } from "./snapshot.ts";

const endpoints = (change: Parameters<typeof objects>[0]) =>
  snapshotOf(objects(change), emptySnapshot).endpoints;

describe("endpoints", () => {
  it.each([
    ["a ready pod with the pool's labels is an endpoint", {}, ["10.0.0.1:8000"]],
    ["a pod that is not ready is not an endpoint", { ready: false }, []],
    ["a pod that is being deleted is not an endpoint", { deleting: true }, []],
    ["a pod without an address is not an endpoint", { ip: "" }, []],
    ["a pod with other labels is not an endpoint", { labels: { app: "other" } }, []],
    [
      "a pod with additional labels is an endpoint",
      { labels: { app: "m", more: "x" } },
      ["10.0.0.1:8000"],
    ],
    ["a pod of another namespace is not an endpoint", { namespace: "other" }, []],
    ["an IPv6 address is in brackets", { ip: "fd00::1" }, ["[fd00::1]:8000"]],
  ])("%s", (_, change, expected) => {
    expect(endpoints({ pods: [pod("a", change)] }).map(({ address }) => address)).toEqual(expected);
  });

  const active = "llm-d.ai/active-ports";
  const legacy = "inference.networking.k8s.io/active-ports";
  it.each([
    [{}, [0, 1, 2]],
    [{ [active]: "8000,8002" }, [0, 2]],
    [{ [active]: " 8001 " }, [1]],
    [{ [active]: "" }, []],
    [{ [active]: "9000,x,8002" }, [2]],
    [{ [legacy]: "8001" }, [1]],
    [{ [active]: "8000", [legacy]: "8001" }, [0]],
  ])("annotations %j select ranks %j of three ports", (annotations, ranks) => {
    const found = endpoints({
      pool: pool({ targetPorts: [8000, 8001, 8002] }),
      pods: [pod("a", { annotations })],
    });
    expect(found.map(({ rank }) => rank)).toEqual(ranks);
    expect(found.map(({ id, port }) => [id, port])).toEqual(
      ranks.map((rank) => [`default/a-rank-${rank}`, 8000 + rank]),
    );
  });

  it("endpoints keep their measurements as long as the pod exists", () => {
    const first = snapshotOf(objects({ pods: [pod("a"), pod("b")] }), emptySnapshot);
    const same = snapshotOf(objects({ pods: [pod("b"), pod("a")] }), first);
    expect(same.endpoints[1]).toBe(first.endpoints[0]);

    const labels = { app: "m", role: "decode" };
    const relabelled = snapshotOf(objects({ pods: [pod("a", { labels })] }), first);
    expect(relabelled.endpoints[0]).toMatchObject({ labels });
    expect(relabelled.endpoints[0]?.live).toBe(first.endpoints[0]?.live);

    const recreated = snapshotOf(objects({ pods: [pod("a", { uid: "new" })] }), first);
    expect(recreated.endpoints[0]?.live).not.toBe(first.endpoints[0]?.live);
  });

  it("endpoints keep their measurements while their pod is not ready, and lose them when it is deleted", () => {
    const first = snapshotOf(objects({ pods: [pod("a")] }), emptySnapshot);
    const live = first.endpoints[0]?.live;
    const pause = snapshotOf(objects({ pods: [pod("a", { ready: false })] }), first);
    expect(pause.endpoints).toEqual([]);
    const longer = snapshotOf(objects({ pods: [pod("a", { ready: false }), pod("b")] }), pause);
    const again = snapshotOf(objects({ pods: [pod("a")] }), longer);
    expect(again.endpoints[0]?.live).toBe(live);
    expect(again.unready).toEqual([]);
    const gone = snapshotOf(objects({ pods: [] }), pause);
    expect(gone.unready).toEqual([]);
    expect(snapshotOf(objects({ pods: [pod("a")] }), gone).endpoints[0]?.live).not.toBe(live);
  });

  it("endpoints are removed with the pool", () => {
    const before = snapshotOf(objects({ pods: [pod("a")] }), emptySnapshot);
    expect(snapshotOf(objects({ pool: undefined, pods: [pod("a")] }), before)).toEqual(
      emptySnapshot,
    );
  });
});

it("snapshots contain only the priorities of this pool's objectives", () => {
  const other = {
    ...objective("other", 7),
    poolRef: { group: "g", kind: "InferencePool", name: "pool" },
  };
  const { priorities } = snapshotOf(
    objects({ objectives: [objective("critical", 10), objective("shed", -1), other] }),
    emptySnapshot,
  );
  expect([...priorities]).toEqual([
    ["critical", 10],
    ["shed", -1],
  ]);
});

describe("model names", () => {
  const services = [service("s", [model("m", { targets: [{ model: "t", weight: 1 }] })])];
  const rewrites = [
    rewriteObject("r", [
      { models: ["n"], targets: [{ model: "u", weight: 1 }] },
      { models: undefined, targets: [{ model: "v", weight: 1 }] },
    ]),
  ];
  const first = snapshotOf(objects({ services, rewrites }), emptySnapshot);

  it("model names are the names and targets of services and rewrites", () => {
    const names = ["l", "m", "n", "t", "u", "v", "w"];
    expect(names.filter((name) => isConfigured(first.routing, name))).toEqual(names.slice(1, -1));
    expect([...first.routing.registrations.byModel.keys()]).toEqual(["m"]);
  });

  it("model names are computed again when services, rewrites or the pool change, but not when pods do", () => {
    const { pool: samePool } = first.objects;
    const pods = snapshotOf(
      objects({ pool: samePool, services, rewrites, pods: [pod("a")] }),
      first,
    );
    expect(pods.routing).toBe(first.routing);
    const edited = snapshotOf(objects({ pool: samePool, services, rewrites: [] }), pods);
    expect(edited.routing.registrations).toBe(first.routing.registrations);
    for (const change of [{ services: [] }, { rewrites: [] }, { pool: pool() }])
      expect(
        snapshotOf(objects({ pool: samePool, services, rewrites, ...change }), pods).routing,
      ).not.toBe(first.routing);
  });

  it("model names of other namespaces count as soon as the pool admits the namespace", () => {
    const elsewhere = [service("s", [model("m")], { namespace: "team" })];
    const stranger = snapshotOf(objects({ services: elsewhere }), emptySnapshot);
    expect(stranger.routing.registrations.byModel.size).toBe(0);
    const open = pool({ allowedNamespaces: ["team"], reservedModels: [] });
    const admitted = objects({ services: elsewhere, pool: open });
    expect(snapshotOf(admitted, stranger).routing.registrations.byModel.get("m")?.service).toBe(
      "team/s",
    );
  });
});
