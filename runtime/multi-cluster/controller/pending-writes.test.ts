import { beforeEach, expect, it } from "vitest";
import { PendingWrites } from "./pending-writes.ts";

const object = (resourceVersion: string, uid = "u", deleting = false) => ({
  ...{ uid, resourceVersion, deleting },
});

let heard: string | undefined;
let written: PendingWrites<ReturnType<typeof object>>;

beforeEach(() => {
  heard = "5";
  written = new PendingWrites(() => heard);
});

it("a written object is returned until the watch has reported its version or a newer one", () => {
  written.put("ns/a", object("7"));
  expect(written.newest("ns/a", object("5"))).toEqual(object("7"));
  expect(written.newest("ns/a", undefined)).toEqual(object("7"));
  heard = "7";
  expect(written.newest("ns/a", object("7"))).toEqual(object("7"));
  heard = "9";
  expect(written.newest("ns/a", object("9"))).toEqual(object("9"));
});

it("a written object is forgotten if its deletion was reported before the response to the write arrived", () => {
  heard = "8";
  written.put("ns/a", object("7"));
  expect(written.newest("ns/a", undefined)).toBeUndefined();
});

it("a written object is forgotten if a new list does not contain it", () => {
  written.put("ns/a", object("7"));
  heard = undefined;
  expect(written.newest("ns/a", undefined)).toEqual(object("7"));
  heard = "20";
  expect(written.newest("ns/a", undefined)).toBeUndefined();
});

it("a write is forgotten if the version of the collection went back, as after a restore", () => {
  heard = "100";
  expect(written.newest("ns/a", object("90"))).toEqual(object("90"));
  written.put("ns/a", object("101"));
  expect(written.newest("ns/a", object("90"))).toEqual(object("101"));
  heard = undefined;
  expect(written.newest("ns/a", object("90"))).toEqual(object("101"));
  heard = "80";
  expect(written.newest("ns/a", object("70"))).toEqual(object("70"));
});

it("versions are compared as numbers", () => {
  heard = "9";
  written.put("ns/a", object("10"));
  expect(written.newest("ns/a", undefined)).toEqual(object("10"));
});

it("a deleted object is hidden, but a new object of its name and an object with finalizers are not", () => {
  written.deleted("ns/a", "u");
  expect(written.newest("ns/a", object("5"))).toBeUndefined();
  expect(written.newest("ns/a", object("9", "other"))).toEqual(object("9", "other"));
  written.deleted("ns/a", "u");
  expect(written.newest("ns/a", object("9", "u", true))).toEqual(object("9", "u", true));
  expect(written.newest("ns/a", object("9"))).toEqual(object("9"));
});
