import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { freePorts } from "../../../testing/processes/free-ports.ts";
import type { PoolObjects } from "../../epp/datastore/pool-objects.ts";
import type { SharedPool } from "../../epp/sources/shared-pools-source.ts";
import type { PoolPicker } from "./pool-picker.ts";
import { PoolRegistry } from "./pool-registry.ts";

/** A fake picker of a pool, which records its calls. */
interface Made {
  readonly of: SharedPool;
  readonly shares: number[];
  readonly told: PoolObjects[];
  streams: number;
  stopped: boolean;
}

const made: Made[] = [];
let ports: number[];
let served: PoolRegistry;
let logged: string[];

const drainMs = 60_000;

function open(): PoolRegistry {
  const say = (message: string) => logged.push(message);
  return new PoolRegistry({
    async newPicker(of) {
      if (of.config === "unreadable") throw new Error("the configuration cannot be read");
      const picker: Made = { of, shares: [], told: [], streams: 0, stopped: false };
      made.push(picker);
      return {
        datastore: { update: (objects: PoolObjects) => picker.told.push(objects) },
        service: { openStreams: () => picker.streams, serve() {} },
        pages: { families: [], debug: {} },
        share: (count: number) => picker.shares.push(count),
        closeQueues() {},
        stop() {
          picker.stopped = true;
        },
      } as unknown as PoolPicker;
    },
    tls: undefined,
    ownPorts: new Set(),
    ...{ drainMs, answersMs: 60_000 },
    log: { info: say, warn: say, error: say, debug: say } as never,
  });
}

beforeEach(async () => {
  made.length = 0;
  logged = [];
  ports = await freePorts(2);
  served = open();
});
afterEach(async () => {
  vi.useRealTimers();
  await served.stop();
});

const pool = (name: string, more: Partial<SharedPool> = {}): SharedPool => {
  const object = { name, uid: name, createdAt: "2026-01-01T00:00:00Z" };
  return {
    pool: object as never,
    port: ports[0] as number,
    config: undefined,
    tenantHeader: undefined,
    unparsedBodies: undefined,
    objects: { pool: object, pods: [], objectives: [], rewrites: [], services: [] } as never,
    ...more,
  };
};

const names = () => [...served.pickers.keys()];

it("a new pool gets the number of replicas, and every pool gets each change of it", async () => {
  served.share(3);
  await served.update([pool("a")]);
  expect(made[0]?.shares).toEqual([3]);
  served.share(2);
  expect(made[0]?.shares).toEqual([3, 2]);
});

it("a pool gets its objects only when they change", async () => {
  const first = pool("a");
  await served.update([first]);
  await served.update([{ ...first, objects: { ...first.objects } }]);
  expect(made[0]?.told).toHaveLength(1);
  const changed = { ...first, objects: { ...first.objects, pods: [] } };
  await served.update([changed]);
  await served.update([changed]);
  expect(made[0]?.told).toHaveLength(2);
  expect(made).toHaveLength(1);
});

it.each([
  ["configuration", { config: "plugins: []" }],
  ["tenant header", { tenantHeader: "x-tenant" }],
  ["unknown paths", { unparsedBodies: "allow" as const }],
  ["uid", { pool: { name: "a", uid: "another" } as never }],
])(
  "a pool with a changed %s gets a new picker, and the old one stops after its last stream",
  async (_, change) => {
    await served.update([pool("a")]);
    const [before] = made as [Made];
    before.streams = 1;
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    await served.update([pool("a", change)]);
    expect(made).toHaveLength(2);
    expect(names()).toEqual(["a"]);
    vi.advanceTimersByTime(1_000);
    expect(before.stopped).toBe(false);
    before.streams = 0;
    vi.advanceTimersByTime(1_000);
    expect(before.stopped).toBe(true);
    expect(made[1]?.stopped).toBe(false);
  },
);

it("a pool with an invalid configuration keeps its picker, which gets the newest objects", async () => {
  await served.update([pool("a")]);
  const unreadable = pool("a", { config: "unreadable" });
  await served.update([unreadable]);
  expect(Object.fromEntries(served.refused)).toEqual({ a: "the configuration cannot be read" });
  expect(names()).toEqual(["a"]);
  expect(made[0]).toMatchObject({ stopped: false });
  expect(made[0]?.told.at(-1)).toBe(unreadable.objects);
});

it("a pool that returns while its port is open keeps its picker, and the picker of one that does not is stopped", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const both = [pool("a"), pool("b", { port: ports[1] as number })];
  await served.update(both);
  await served.update([]);
  expect(names()).toEqual([]);
  await served.update([both[0] as SharedPool]);
  vi.advanceTimersByTime(drainMs);
  vi.useRealTimers();
  await expect.poll(() => made[1]?.stopped).toBe(true);
  expect(names()).toEqual(["a"]);
  expect(made).toHaveLength(2);
  expect(made[0]?.stopped).toBe(false);
});

it("a pool whose port is in use is not served, and its picker is stopped", async () => {
  const other = open();
  await other.update([pool("other")]);
  await served.update([pool("a")]);
  expect(served.refused.get("a")).toMatch(/EADDRINUSE/);
  expect(made.map(({ of, stopped }) => [of.pool.name, stopped])).toEqual([
    ["other", false],
    ["a", true],
  ]);
  await other.stop();
});
