import { beforeEach, expect, it, vi } from "vitest";
import { object, type ScriptedRequest } from "../api/api-server.fixture.ts";
import type { KubernetesObject } from "../values/object.ts";
import { type LargeReading, LargeReadings } from "./large-readings.ts";
import { reflectorTest } from "./reflector.fixture.ts";

/** Reflectors with objects that take long to parse. */

const t = reflectorTest();
const { told, nextList, nextWatch, startWatching } = t;

/** Holds readings until the test releases them. */
class HeldReadings extends LargeReadings {
  readonly held = new Set<LargeReading>();
  override put(reading: LargeReading): void {
    this.held.add(reading);
  }
  override delete(reading: LargeReading): void {
    this.held.delete(reading);
  }
  readAll(): void {
    const all = [...this.held];
    this.held.clear();
    for (const reading of all) reading.read();
  }
}

const filler = "x".repeat(40_000);
const large = (name: string, version: string, { uid = `uid-${name}`, generation = 1 } = {}) => ({
  metadata: { ...object(name, version, uid).metadata, generation },
  spec: filler,
});
let readings: HeldReadings;
beforeEach(() => {
  readings = new HeldReadings();
});
const arrived = (size: number) => vi.waitFor(() => expect(readings.held.size).toBe(size));
/** Sends a small object after the previous ones. */
const mark = async (watch: ScriptedRequest, version: string) => {
  watch.event("ADDED", object("mark", version));
  await told(`added default/mark mark@${version}`);
};

it("a reflector parses the newest version of an object when its turn comes", async () => {
  const watch = await startWatching([], { readings });
  for (const version of ["6", "7", "8"]) watch.event("MODIFIED", large("a", version));
  await mark(watch, "9");
  expect(t.reflector.objects.has("default/a")).toBe(false);
  expect(readings.held.size).toBe(1);
  readings.readAll();
  expect(t.changes.slice(1)).toEqual(["added default/a a@8"]);
});

it("a reflector's resourceVersion is the one from before the events that still wait", async () => {
  const watch = await startWatching([], { readings });
  watch.event("ADDED", large("a", "6"));
  watch.event("ADDED", large("b", "7"));
  await mark(watch, "8");
  expect(t.reflector.resourceVersion).toBe("5");
  readings.readAll();
  expect(t.reflector.resourceVersion).toBe("8");
});

it.each<[string, (watch: ScriptedRequest) => Promise<void>, string[]]>([
  ["its deletion", async (watch) => watch.event("DELETED", large("a", "7")), []],
  ["a small version", async (watch) => watch.event("MODIFIED", object("a", "7")), ["a@7"]],
  [
    "a list",
    async (watch) => {
      watch.refuse(410);
      (await nextList()).list([object("a", "9")], "10");
    },
    ["a@9"],
  ],
])("a reflector discards a waiting version because of %s", async (_, follow, expected) => {
  const watch = await startWatching([object("a", "5")], { readings });
  watch.event("MODIFIED", large("a", "6"));
  await arrived(1);
  if (expected[0] === "a@9") watch.end();
  await follow(expected[0] === "a@9" ? await nextWatch() : watch);
  await arrived(0);
  await vi.waitFor(() => expect([...t.reflector.objects.values()]).toEqual(expected));
});

it("a reflector does not parse an object with specOnly and a known generation", async () => {
  const trimmed: string[] = [];
  const trim = ({ metadata }: KubernetesObject) => {
    trimmed.push(`${metadata.name}@${metadata.resourceVersion}`);
    return metadata.name;
  };
  const watch = await startWatching([large("a", "5")], { readings, trim, specOnly: true });
  watch.event("MODIFIED", large("a", "6"));
  watch.event("MODIFIED", { metadata: { ...object("a", "7").metadata, generation: 1 } });
  watch.event("MODIFIED", large("a", "8", { generation: 2 }));
  watch.event("MODIFIED", large("a", "9", { generation: 2 }));
  watch.event("MODIFIED", large("b", "10", { uid: "other" }));
  await arrived(2);
  readings.readAll();
  expect(trimmed).toEqual(["a@5", "a@9", "b@10"]);
});

it("a reflector parses an object with a new status without specOnly", async () => {
  const watch = await startWatching([large("a", "5")], { readings });
  watch.event("MODIFIED", large("a", "6"));
  await arrived(1);
  readings.readAll();
  expect([...t.reflector.objects.values()]).toEqual(["a@6"]);
});

it("a reflector lists again after a large event that is not JSON", async () => {
  const watch = await startWatching([], { readings });
  const text = JSON.stringify({ type: "ADDED", object: large("a", "6") });
  watch.write(`${text.slice(0, -1)}!\n`);
  await arrived(1);
  readings.readAll();
  (await nextList()).list([object("a", "6")], "6");
  await nextWatch();
  expect(isFailingOnce()).toContain("an event is not JSON");
});
const isFailingOnce = () =>
  t.states.map((state) => (state.kind === "failing" ? state.error.message : "")).join();

it("a reflector limits the number of objects, including waiting ones", async () => {
  const watch = await startWatching([object("a", "5")], { readings, objects: 2 });
  watch.event("MODIFIED", large("a", "6"));
  watch.event("ADDED", large("b", "7"));
  watch.event("ADDED", large("c", "8"));
  await nextWatch();
  expect(isFailingOnce()).toContain("more than 2 objects");
});

it("a reflector parses nothing after it is stopped", async () => {
  const watch = await startWatching([], { readings });
  watch.event("ADDED", large("a", "6"));
  await arrived(1);
  await t.reflector.stop();
  expect(readings.held.size).toBe(0);
});
