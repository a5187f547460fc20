import { expect, it } from "vitest";
import { object, type ScriptedRequest } from "../api/api-server.fixture.ts";
import type { KubernetesObject } from "../values/object.ts";
import { reflectorTest } from "./reflector.fixture.ts";

/** Reflectors of a server whose data was restored or replaced. */

const t = reflectorTest();
const { nextList, nextWatch, startWatching } = t;

const isFailing = () => t.states.some(({ kind }) => kind === "failing");

it("a reflector lists again after a server did not respond for a second", async () => {
  (await startWatching([object("a", "1"), object("b", "2")])).break();
  (await nextWatch()).refuse(503);
  (await nextList()).list([object("a", "1")], "9");
  expect((await nextWatch()).query.get("resourceVersion")).toBe("9");
  expect([...t.reflector.objects.keys()]).toEqual(["default/a"]);
});

it("a reflector lists again if a watch waited for a server that did not respond for a second", {
  timeout: 5_000,
}, async () => {
  (await startWatching([object("a", "1"), object("b", "2")])).break();
  const watch = await nextWatch();
  t.time.pass(900);
  watch.open();
  (await nextList()).list([object("a", "1")], "9");
  expect((await nextWatch()).query.get("resourceVersion")).toBe("9");
  expect([...t.reflector.objects.keys()]).toEqual(["default/a"]);
});

it("a reflector lists again if a server refuses a request after it did not respond for a second", async () => {
  (await startWatching([object("a", "1"), object("b", "2")])).break();
  const watch = await nextWatch();
  t.time.pass(900);
  watch.refuse(403);
  (await nextList()).list([object("a", "1")], "9");
  expect((await nextWatch()).query.get("resourceVersion")).toBe("9");
  expect([...t.reflector.objects.keys()]).toEqual(["default/a"]);
});

it.each(["ADDED", "BOOKMARK"])(
  "a reflector lists again if the version of an event of type %s goes back",
  async (type) => {
    const watch = await startWatching([object("a", "3")]);
    watch.event("MODIFIED", object("a", "12"));
    watch.event(type, object("b", "9"));
    watch.event("ADDED", object("c", "13"));
    (await nextList()).list([object("a", "4")], "9");
    expect((await nextWatch()).query.get("resourceVersion")).toBe("9");
    expect([...t.reflector.objects.values()]).toEqual(["a@4"]);
  },
);

it("a reflector lists again after a watch without an event if the version of the collection goes back", async () => {
  const watch = await startWatching([object("a", "1")]);
  watch.open();
  t.time.pass(34_000);
  watch.end();
  const check = await nextList();
  expect(check.query.get("limit")).toBe("1");
  check.list([], "4");
  (await nextList()).list([], "4");
  await nextWatch();
  expect(t.reflector.objects.size).toBe(0);
});

it("a reflector continues after a watch without an event if the collection's version increases", async () => {
  const watch = await startWatching([object("a", "1")]);
  watch.open();
  t.time.pass(34_000);
  watch.end();
  (await nextList()).list([], "20");
  expect((await nextWatch()).query.get("resourceVersion")).toBe("5");
  expect(isFailing()).toBe(false);
});

it("a reflector lists again if a watch exceeds its time limit", async () => {
  const watch = await startWatching([object("a", "1")]);
  watch.open();
  t.time.pass(34_000);
  watch.break();
  (await nextList()).list([], "20");
  await nextWatch();
  expect(t.reflector.objects.size).toBe(0);
});

it("a reflector lists again if another cluster responds to a watch", async () => {
  const open = (watch: ScriptedRequest, cluster: string) => {
    watch.response.setHeader("x-kubernetes-pf-flowschema-uid", cluster);
    watch.event("BOOKMARK", { metadata: { resourceVersion: "6" } });
  };
  const first = await startWatching([object("a", "1")]);
  open(first, "one");
  first.end();
  const second = await nextWatch();
  open(second, "one");
  second.end();
  open(await nextWatch(), "other");
  (await nextList()).list([object("b", "1")], "3");
  expect((await nextWatch()).query.get("resourceVersion")).toBe("3");
  expect([...t.reflector.objects.keys()]).toEqual(["default/b"]);
});

it("a reflector lists again once if a server that sent an id sends none, as after its start", async () => {
  const open = (watch: ScriptedRequest, cluster: string | undefined) => {
    if (cluster !== undefined) watch.response.setHeader("x-kubernetes-pf-flowschema-uid", cluster);
    watch.event("BOOKMARK", { metadata: { resourceVersion: "6" } });
  };
  const first = await startWatching([object("a", "1")]);
  open(first, "one");
  first.end();
  open(await nextWatch(), undefined);
  (await nextList()).list([object("b", "1")], "3");
  const second = await nextWatch();
  expect(second.query.get("resourceVersion")).toBe("3");
  open(second, undefined);
  second.end();
  open(await nextWatch(), "one");
  expect([...t.reflector.objects.keys()]).toEqual(["default/b"]);
});

it("a reflector parses an object again that has a known version but different content", async () => {
  let content = "before";
  const trim = ({ metadata }: KubernetesObject) => `${metadata.name} ${content}`;
  (await startWatching([object("a", "5"), object("b", "5")], { trim })).break();
  (await nextWatch()).refuse(503);
  content = "after";
  (await nextList()).list([object("a", "5")], "5");
  await nextWatch();
  expect([...t.reflector.objects.values()]).toEqual(["a after"]);
  expect(t.changes.slice(2)).toEqual(["deleted default/b b before", "modified default/a a after"]);
});
