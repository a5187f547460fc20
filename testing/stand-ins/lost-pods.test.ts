import { expect, it } from "vitest";
import { lostPods } from "./lost-pods.ts";
import type { Pod } from "./objects.ts";

const pod = (uid: string, owner: string) =>
  ({ metadata: { uid, name: uid, ownerReferences: [{ uid: owner }] } }) as unknown as Pod;

it("a leader that lost a pod is reported until it is deleted", () => {
  const bereft = lostPods();
  const leader = pod("leader", "set");
  expect([...bereft([leader, pod("worker", "leader")])]).toEqual([]);
  expect([...bereft([leader, pod("another", "leader")])]).toEqual(["leader"]);
  expect([...bereft([leader, pod("another", "leader")])]).toEqual(["leader"]);
  expect([...bereft([pod("new", "set")])]).toEqual([]);
  expect([...bereft([pod("new", "set"), pod("worker", "new")])]).toEqual([]);
});
