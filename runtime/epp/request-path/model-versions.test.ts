import { expect, it } from "vitest";
import { metrics } from "../../../scheduling/cycles.fixture.ts";
import { objects, pod, pool } from "../datastore/objects.fixture.ts";
import { emptySnapshot, snapshotOf } from "../datastore/snapshot.ts";
import { servingModel } from "./model-versions.ts";

/** Endpoints that report these models, named after their position. */
function reporting(models: ReadonlyArray<string | undefined>) {
  const pods = models.map((_, at) => pod(String(at)));
  const { endpoints } = snapshotOf(objects({ pool: pool(), pods }), emptySnapshot);
  for (const endpoint of endpoints) {
    const servedModel = models[Number(endpoint.pod)];
    endpoint.live.metrics = servedModel === undefined ? undefined : metrics({ servedModel });
  }
  return endpoints;
}

it.each([
  ["the version that a pod reports", ["v1", "v1", "v2"], "v2", ["2"]],
  ["a version, without a pod that reports nothing", ["v1", undefined, "v2"], "v1", ["0"]],
  ["an adapter, on all pods", ["v1", "v2"], "lora", ["0", "1"]],
  ["the only model of the pool, on all pods", ["v1", undefined], "v1", ["0", "1"]],
  ["a model of a pool that reports nothing", [undefined, undefined], "v1", ["0", "1"]],
])("a request may be sent for %s", (_, models, model, expected) => {
  const endpoints = reporting(models);
  const names = servingModel(endpoints, endpoints, model).map((endpoint) => endpoint.pod);
  expect(names.sort()).toEqual(expected);
});

it("no pod of a part of the pool may serve a version that only another part reports", () => {
  const endpoints = reporting(["v1", "v2"]);
  const part = endpoints.filter(({ live }) => live.metrics?.servedModel === "v1");
  expect(servingModel(part, endpoints, "v2")).toEqual([]);
});
