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

it("B4: a member that reports another member's uid later is refused, at any position in the list", () => {
  const liar = member("liar", { ...claims, isLate: true });
  expect(refused(liar, victim)).toEqual(["liar"]);
  expect(refused(victim, liar)).toEqual(["liar"]);
  expect(sameClusters([liar, victim]).refused.get("liar")).toBe(
    "is the same cluster as victim (kube-system has the uid uid of victim); name it once",
  );
});

it("B4: a member that reports another member's uid from the start, on another server, causes no refusal", () => {
  expect(refused(member("liar", claims), victim)).toEqual([]);
  expect(doubtful(member("liar", claims), victim)).toEqual(["victim"]);
});

it("B4: a member with a pinned uid is accepted, and a member with another uid than the pinned one is refused", () => {
  const pinned = { ...victim, pinned: "uid of victim" };
  expect(refused(member("liar", claims), pinned)).toEqual(["liar"]);
  expect(refused(member("liar", { ...claims, pinned: "uid of liar" }), victim)).toEqual(["liar"]);
});

const known = (name: string, more: Partial<Claimant> = {}) =>
  member(name, { established: `uid of ${name}`, ...more });

it("B4: a member that reports another member's uid after a restart of the hub is refused, at any position in the list", () => {
  const liar = known("liar", claims);
  const before = known("victim");
  expect(refused(liar, before)).toEqual(["liar"]);
  expect(refused(before, liar)).toEqual(["liar"]);
  // A new member is refused too, although it has reported the uid since its first response.
  expect(refused(member("new", claims), before)).toEqual(["new"]);
});

it("B4: a member that cannot be read keeps its established uid", () => {
  const silent = known("victim", { identity: undefined });
  expect(refused(known("liar", claims), silent)).toEqual(["liar"]);
  expect(refused(member("new", claims), silent)).toEqual(["new"]);
});

it("a recreated cluster is accepted, and so are two clusters that swapped names", () => {
  expect(refused(known("a", { identity: "new" }), known("b"))).toEqual([]);
  expect(
    refused(known("a", { identity: "uid of b" }), known("b", { identity: "uid of a" })),
  ).toEqual([]);
});

it("the second name of a cluster is refused, by its server or its CA", () => {
  expect(refused(victim, { ...victim, name: "again" })).toEqual(["again"]);
  expect(refused(victim, { ...victim, name: "again", server: "https://10.0.0.1" })).toEqual([
    "again",
  ]);
  expect(refused(victim, { ...victim, name: "again", identity: undefined })).toEqual(["again"]);
});

it("clusters with the same CA and different uids are accepted", () => {
  expect(refused(victim, member("other", { ca: victim.ca }))).toEqual([]);
});
