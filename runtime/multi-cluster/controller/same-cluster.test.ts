import { expect, it } from "vitest";
import { type Claimant, sameClusters } from "./same-cluster.ts";

const member = (name: string, more: Partial<Claimant> = {}): Claimant => ({
  name,
  server: `https://${name}`,
  ca: `ca of ${name}`,
  identity: `uid of ${name}`,
  pinned: undefined,
  established: undefined,
  isLate: false,
  ...more,
});
const victim = member("victim");
const claims = { identity: "uid of victim" };

const refused = (...members: Claimant[]) => [...sameClusters(members).refused.keys()];
const doubtful = (...members: Claimant[]) => [...sameClusters(members).doubtful.keys()];

it("B4: who says another's uid later is refused, wherever it stands in the list", () => {
  const liar = member("liar", { ...claims, isLate: true });
  expect(refused(liar, victim)).toEqual(["liar"]);
  expect(refused(victim, liar)).toEqual(["liar"]);
  expect(sameClusters([liar, victim]).refused.get("liar")).toBe(
    "is the same cluster as victim (kube-system has the uid uid of victim); name it once",
  );
});

it("B4: who says another's uid from the start, from another server, expels nobody", () => {
  expect(refused(member("liar", claims), victim)).toEqual([]);
  expect(doubtful(member("liar", claims), victim)).toEqual(["victim"]);
});

it("B4: the member whose uid the set gives keeps its place", () => {
  const pinned = { ...victim, pinned: "uid of victim" };
  expect(refused(member("liar", claims), pinned)).toEqual(["liar"]);
  expect(refused(member("liar", { ...claims, pinned: "uid of liar" }), victim)).toEqual(["liar"]);
});

const known = (name: string, more: Partial<Claimant> = {}) =>
  member(name, { established: `uid of ${name}`, ...more });

it("B4: who says another's uid after the hub was restarted is refused, wherever it stands in the list", () => {
  const liar = known("liar", claims);
  const before = known("victim");
  expect(refused(liar, before)).toEqual(["liar"]);
  expect(refused(before, liar)).toEqual(["liar"]);
  // A new member is refused too, although it has claimed the same from its first answer on.
  expect(refused(member("new", claims), before)).toEqual(["new"]);
});

it("B4: a member that cannot be read is still the cluster that it was", () => {
  const silent = known("victim", { identity: undefined });
  expect(refused(known("liar", claims), silent)).toEqual(["liar"]);
  expect(refused(member("new", claims), silent)).toEqual(["new"]);
});

it("takes a cluster that was made anew, and two that changed places", () => {
  expect(refused(known("a", { identity: "new" }), known("b"))).toEqual([]);
  expect(
    refused(known("a", { identity: "uid of b" }), known("b", { identity: "uid of a" })),
  ).toEqual([]);
});

it("refuses the second name of a cluster, by its server or its CA", () => {
  expect(refused(victim, { ...victim, name: "again" })).toEqual(["again"]);
  expect(refused(victim, { ...victim, name: "again", server: "https://10.0.0.1" })).toEqual([
    "again",
  ]);
  expect(refused(victim, { ...victim, name: "again", identity: undefined })).toEqual(["again"]);
});

it("takes clusters behind one CA, or one host, for two where they say so", () => {
  expect(refused(victim, member("other", { ca: victim.ca }))).toEqual([]);
});
