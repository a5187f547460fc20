import { expect, it } from "vitest";
import { type Claimant, sameClusters } from "./same-cluster.ts";

const member = (name: string, more: Partial<Claimant> = {}): Claimant => ({
  name,
  server: `https://${name}`,
  ca: `ca of ${name}`,
  identity: `uid of ${name}`,
  pinned: undefined,
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
