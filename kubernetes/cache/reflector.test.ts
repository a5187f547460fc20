import { describe, expect, it, vi } from "vitest";
import { ownLimits } from "../api/answer-limits.ts";
import { object } from "../api/api-server.fixture.ts";
import { path, reflectorTest } from "./reflector.fixture.ts";

const t = reflectorTest();
const { start, told, nextList, nextWatch, startWatching } = t;

describe("listing", () => {
  it("lists in pages and watches from the list's version, with bookmarks and a timeout", async () => {
    start({ pageSize: 2, query: { labelSelector: "a=b" } });
    const first = await nextList();
    expect(Object.fromEntries(first.query)).toEqual({ labelSelector: "a=b", limit: "2" });
    first.list([object("a", "1"), object("b", "2")], "5", { continue: "more" });
    const second = await nextList();
    expect(second.query.get("continue")).toBe("more");
    expect(t.reflector.synced).toBe(false);
    second.list([object("c", "3")], "5");
    const watch = await nextWatch();
    expect(Object.fromEntries(watch.query)).toEqual({
      labelSelector: "a=b",
      watch: "true",
      resourceVersion: "5",
      allowWatchBookmarks: "true",
      timeoutSeconds: "34",
    });
    expect(await t.reflector.whenSynced()).toBe(true);
    expect(Object.fromEntries(t.reflector.objects)).toEqual({
      "default/a": "a@1",
      "default/b": "b@2",
      "default/c": "c@3",
    });
  });

  it("restarts the list if its continuation is too old", async () => {
    start();
    (await nextList()).list([object("a", "1")], "5", { continue: "more" });
    (await nextList()).refuse(410);
    const again = await nextList();
    expect(again.query.has("continue")).toBe(false);
    again.list([object("b", "2")], "7");
    expect((await nextWatch()).query.get("resourceVersion")).toBe("7");
    expect([...t.reflector.objects.keys()]).toEqual(["default/b"]);
  });

  it.each([
    ["500", (list: Awaited<ReturnType<typeof nextList>>) => list.refuse(500)],
    ["401", (list: Awaited<ReturnType<typeof nextList>>) => list.refuse(401)],
    ["a broken connection", (list: Awaited<ReturnType<typeof nextList>>) => list.break()],
    [
      "an answer that is not JSON",
      (list: Awaited<ReturnType<typeof nextList>>) => list.refuse(200, { body: "<" }),
    ],
    [
      "an answer that is not a list",
      (list: Awaited<ReturnType<typeof nextList>>) => list.refuse(200, { body: "{}" }),
    ],
  ])("tries again after %s", async (_, fail) => {
    start();
    fail(await nextList());
    const again = await nextList();
    expect(t.reflector.state.kind).toBe("failing");
    again.list([object("a", "1")], "5");
    await nextWatch();
    expect(t.reflector.state).toEqual({ kind: "current" });
    expect(t.reflector.objects.size).toBe(1);
  });

  it.each([
    ["more pages", { pages: 2 }, "the list is incomplete after 2 pages"],
    ["pages that take longer", { listMs: 1_000 }, "the list is incomplete after 1000 ms"],
    ["more objects", { objects: 3 }, "the list has more than 3 objects"],
  ])("B4: discards a list of %s than allowed, and repeats it", async (_, bound, problem) => {
    start({ client: { ...t.client, limits: { ...ownLimits, ...bound } } });
    for (const page of [1, 2]) {
      const request = await nextList();
      t.time.pass(600);
      request.list([object(`a${page}`, "1"), object(`b${page}`, "1")], "5", { continue: "c" });
    }
    (await nextList()).list([object("a", "1")], "5");
    await nextWatch();
    expect(t.states).toMatchObject([
      { kind: "failing", error: new Error(`GET ${path}: ${problem}`) },
      { kind: "current" },
    ]);
    expect([...t.reflector.objects.keys()]).toEqual(["default/a"]);
  });

  it("waits twice as long after each failure, up to a limit", async () => {
    start({ backOff: { firstMs: 100, longestMs: 500 } });
    for (let failures = 0; failures < 5; failures++) (await nextList()).refuse(500);
    await nextList();
    expect(t.time.waits).toEqual([100, 200, 400, 500, 500]);
  });

  it("waits for the server's retry time", async () => {
    start();
    (await nextList()).refuse(429, { headers: { "retry-after": "7" } });
    await nextList();
    expect(t.time.waits).toEqual([7_000]);
  });

  it("reports that it may not list, and tries again", async () => {
    start();
    (await nextList()).refuse(403);
    const again = await nextList();
    expect(t.reflector.state).toMatchObject({ kind: "failing", forbidden: true });
    expect(t.reflector.synced).toBe(false);
    again.list([], "5");
    await nextWatch();
    expect(t.reflector.synced).toBe(true);
  });

  it("reports an entry that is not an object, and continues", async () => {
    start();
    for (const items of [[{}], [null], [{ metadata: { name: 7 } }]])
      (await nextList()).list(items as object[], "5");
    (await nextList()).list([object("a", "1")], "5");
    (await nextWatch()).write('{"type":"ADDED","object":null}\n{}');
    (await nextWatch()).event("ADDED", { metadata: { resourceVersion: "6" } });
    (await nextWatch()).event("ADDED", object("b", "6"));
    await told("added default/b b@6");
    expect(t.states.map((state) => ("error" in state ? state.error.message : state.kind))).toEqual([
      `GET ${path}: an item of the list has no metadata.name`,
      "current",
      "an event without metadata.resourceVersion",
      "current",
      "an event without metadata.name",
      "current",
    ]);
  });

  it("finds objects that were deleted, recreated or changed without a watch", async () => {
    const before = [
      object("gone", "1"),
      object("anew", "2"),
      object("same", "3"),
      object("new", "4"),
    ];
    const watch = await startWatching(before);
    t.changes = [];
    watch.refuse(410);
    (await nextList()).list(
      [
        object("anew", "6", "another"),
        object("same", "3"),
        object("new", "8"),
        object("more", "9"),
      ],
      "9",
    );
    await nextWatch();
    expect(t.changes).toEqual([
      "deleted default/gone gone@1",
      "deleted default/anew anew@2",
      "added default/anew anew@6",
      "modified default/new new@8",
      "added default/more more@9",
    ]);
  });
});

describe("watching", () => {
  it("applies events and resumes after the last one", async () => {
    const watch = await startWatching([object("a", "1")]);
    watch.event("MODIFIED", object("a", "6"));
    watch.event("ADDED", object("b", "7"));
    watch.event("DELETED", object("a", "8"));
    watch.event("BOOKMARK", { metadata: { resourceVersion: "11" } });
    watch.end();
    expect((await nextWatch()).query.get("resourceVersion")).toBe("11");
    expect(t.changes).toEqual([
      "added default/a a@1",
      "modified default/a a@6",
      "added default/b b@7",
      "deleted default/a a@6",
    ]);
    expect(t.time.waits).toEqual([]);
  });

  it.each([
    ["a broken connection", (watch: Awaited<ReturnType<typeof nextWatch>>) => watch.break()],
    [
      "a line that is not JSON",
      (watch: Awaited<ReturnType<typeof nextWatch>>) => watch.write("{\n"),
    ],
    [
      "half an event",
      (watch: Awaited<ReturnType<typeof nextWatch>>) => {
        watch.write('{"type":"ADDED","obj');
        watch.end();
      },
    ],
    [
      "an event without a version",
      (watch: Awaited<ReturnType<typeof nextWatch>>) => watch.event("ADDED", { metadata: {} }),
    ],
    [
      "an event of an unknown type",
      (watch: Awaited<ReturnType<typeof nextWatch>>) => watch.event("GONE", object("a", "9")),
    ],
  ])("resumes after %s with the known objects", async (_, fail) => {
    const watch = await startWatching([object("a", "1")]);
    watch.event("ADDED", object("b", "6"));
    await told("added default/b b@6");
    fail(watch);
    const again = await nextWatch();
    expect(again.query.get("resourceVersion")).toBe("6");
    expect(t.reflector.state.kind).toBe("failing");
    expect([...t.reflector.objects.values()]).toEqual(["a@1", "b@6"]);
    again.event("DELETED", object("b", "7"));
    await told("deleted default/b b@6");
    expect(t.reflector.state.kind).toBe("current");
  });

  it("is current as soon as the server accepts a watch, even without changes", async () => {
    (await startWatching([object("a", "1")])).break();
    const again = await nextWatch();
    expect(t.reflector.state.kind).toBe("failing");
    again.open();
    await vi.waitFor(() => expect(t.reflector.state.kind).toBe("current"));
    expect(t.reflector.resourceVersion).toBe("5");
  });

  it.each([500, 401, 403, 429])(
    "repeats the watch from the same version after %i",
    async (status) => {
      (await startWatching()).refuse(status);
      expect((await nextWatch()).query.get("resourceVersion")).toBe("5");
      expect(t.reflector.state).toMatchObject({ kind: "failing", forbidden: status === 403 });
      expect(t.reflector.synced).toBe(true);
    },
  );

  it("lists again if its version is too old, for a status and for an event", async () => {
    (await startWatching()).refuse(410);
    (await nextList()).list([], "20");
    const watch = await nextWatch();
    expect(watch.query.get("resourceVersion")).toBe("20");
    watch.event("ERROR", { kind: "Status", code: 410, message: "too old" });
    (await nextList()).list([], "30");
    expect((await nextWatch()).query.get("resourceVersion")).toBe("30");
    expect(t.states).toEqual([{ kind: "current" }]);
  });

  it("waits longer each time if every version is too old", async () => {
    let watch = await startWatching();
    for (let tries = 0; tries < 3; tries++) {
      watch.refuse(410);
      (await nextList()).list([], "5");
      watch = await nextWatch();
    }
    expect(t.time.waits).toEqual([500, 1_000, 2_000]);
  });

  it("waits longer each time if every watch ends immediately", async () => {
    let watch = await startWatching();
    for (let tries = 0; tries < 3; tries++) {
      watch.end();
      watch = await nextWatch();
    }
    expect(t.time.waits).toEqual([500, 1_000, 2_000]);
  });

  it("treats a new object with the name of an old one as a deletion and an addition", async () => {
    const watch = await startWatching([object("a", "1")]);
    watch.event("MODIFIED", object("a", "9", "another"));
    await told("added default/a a@9");
    expect(t.changes).toEqual([
      "added default/a a@1",
      "deleted default/a a@1",
      "added default/a a@9",
    ]);
  });

  it("lists again after ten minutes, at the end of a watch", async () => {
    const watch = await startWatching();
    watch.open();
    t.time.pass(599_000);
    watch.end();
    (await nextList()).list([], "5");
    const second = await nextWatch();
    t.time.pass(1_000);
    second.event("BOOKMARK", { metadata: { resourceVersion: "9" } });
    second.end();
    await nextList();
  });
});

describe("kinds that are not served", () => {
  it("is synced without objects, retries, and watches the kind once it is served", async () => {
    start({ probeIntervalMs: 1_000 });
    (await nextList()).refuse(404);
    const probe = await nextList();
    expect(t.reflector.state).toEqual({ kind: "absent" });
    expect(await t.reflector.whenSynced()).toBe(true);
    probe.refuse(404);
    (await nextList()).list([object("a", "1")], "5");
    await nextWatch();
    expect(t.time.waits).toEqual([1_000, 1_000]);
    expect(t.states).toEqual([{ kind: "absent" }, { kind: "current" }]);
    expect(t.reflector.objects.size).toBe(1);
  });

  it("removes the objects of a kind that is no longer served", async () => {
    (await startWatching([object("a", "1")])).refuse(404);
    (await nextList()).refuse(404);
    await nextList();
    expect(t.reflector.state).toEqual({ kind: "absent" });
    expect(t.changes).toEqual(["added default/a a@1", "deleted default/a a@1"]);
  });
});

describe("handlers", () => {
  it("continues if one throws, and reports the error", async () => {
    const watch = await startWatching([], {
      onChange: (some) => {
        t.take(some);
        throw new Error("handler");
      },
      onState: () => {
        throw new Error("state handler");
      },
    });
    watch.event("ADDED", object("a", "6"));
    watch.event("ADDED", object("b", "7"));
    await told("added default/b b@7");
    expect(t.errors.map(String)).toEqual([
      "Error: state handler",
      "Error: handler",
      "Error: handler",
    ]);
  });

  it("omits objects for which trim returns undefined or throws, calling it once for each version", async () => {
    const trimmed: string[] = [];
    const items = [object("good", "1"), object("bad", "2"), object("none", "3")];
    const watch = await startWatching(items, {
      trim: ({ metadata }) => {
        trimmed.push(metadata.name);
        if (metadata.name === "bad") throw new Error("unreadable");
        return metadata.name === "none" ? undefined : metadata.name;
      },
    });
    expect([...t.reflector.objects]).toEqual([["default/good", "good"]]);
    watch.refuse(410);
    (await nextList()).list(items, "9");
    await nextWatch();
    expect(trimmed).toEqual(["good", "bad", "none"]);
    expect(t.errors.map(String)).toEqual(["Error: unreadable"]);
  });

  it("survives temporary failures of the credentials", async () => {
    const watch = await startWatching();
    const apply = t.server.config.applyToHTTPSOptions.bind(t.server.config);
    let failures = 2;
    t.server.config.applyToHTTPSOptions = async (options) => {
      if (failures-- > 0) throw new Error("exec plugin: token expired");
      await apply(options);
    };
    watch.end();
    (await nextList()).list([], "5");
    await nextWatch();
    expect(t.states.map(({ kind }) => kind)).toContain("failing");
    expect(t.time.waits).toHaveLength(3);
  });
});

describe("starting and stopping", () => {
  it("refuses a second start", async () => {
    await startWatching();
    expect(() => t.reflector.start()).toThrow(/was already started/);
  });

  it("stops while it waits for a retry", async () => {
    t.time.held = true;
    start();
    (await nextList()).refuse(500);
    while (t.time.waits.length === 0) await new Promise(setImmediate);
    await t.reflector.stop();
    expect(t.server.count()).toBe(1);
    expect(await t.reflector.whenSynced()).toBe(false);
    expect(t.reflector.state).toEqual({ kind: "stopped" });
    expect(() => t.reflector.start()).toThrow(/was already started/);
  });

  it("ends an unanswered list", async () => {
    start();
    const list = await nextList();
    await t.reflector.stop();
    await list.closed;
    expect(t.states).toEqual([]);
  });

  it("ends its watch and reports nothing afterwards", async () => {
    const watch = await startWatching();
    watch.open();
    const stopped = t.reflector.stop();
    watch.event("ADDED", object("late", "9"));
    await Promise.all([stopped, watch.closed]);
    expect(t.changes).toEqual([]);
    expect(t.reflector.objects.size).toBe(0);
  });

  it("leaves no connections open after many watches", async () => {
    let watch = await startWatching();
    for (let ends = 0; ends < 30; ends++) {
      watch.event("BOOKMARK", { metadata: { resourceVersion: String(10 + ends) } });
      if (ends % 2 === 0) watch.end();
      else watch.break();
      watch = await nextWatch();
    }
    expect(await t.server.connections()).toBeLessThanOrEqual(2);
  });
});
