import { expect, it } from "vitest";
import { mostDetail, withinBudget } from "./detail-budget.ts";
import type { ImportedCluster } from "./import-schema.ts";

const cluster = (name: string, characters: number): ImportedCluster => ({
  name,
  routingMode: "EndpointMode",
  targetPortNumber: 8000,
  networks: ["x".repeat(characters)],
});
const names = (clusters: readonly ImportedCluster[]) =>
  withinBudget(clusters).map(({ name }) => name);

it("only the clusters with too much data are left out", () => {
  expect(names([cluster("a", 900), cluster("hostile", mostDetail), cluster("b", 900)])).toEqual([
    "a",
    "b",
  ]);
  const hostile = ["h1", "h2", "h3"].map((name) => cluster(name, mostDetail / 3));
  expect(names([...hostile, cluster("a", 900)])).toEqual(["h1", "h2", "a"]);
});

it("clusters of the same size fill the budget", () => {
  const many = Array.from({ length: 100 }, (_, at) => cluster(`c${at}`, 900));
  expect(names(many).length).toBeGreaterThan(40);
  expect(JSON.stringify(withinBudget(many)).length).toBeLessThan(mostDetail + 100);
});
