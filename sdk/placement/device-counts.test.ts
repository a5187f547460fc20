import { expect, it } from "vitest";
import { deviceCounts } from "./device-counts.ts";

const ready = [{ type: "Ready", status: "True" }];
const node = (allocatable: Record<string, string>) => ({
  metadata: { name: "n" },
  status: { allocatable, conditions: ready },
});

it.each([
  [{ cpu: "8", "nvidia.com/gpu": "8" }, [], { "nvidia.com/gpu": 8 }],
  [
    { "nvidia.com/gpu": "6", "nvidia.com/mig-1g.10gb": "14" },
    [],
    { "nvidia.com/gpu": 6, "nvidia.com/mig-1g.10gb": 14 },
  ],
  [
    { "aws.amazon.com/neuron": "16", "aws.amazon.com/neuroncore": "128" },
    [],
    { "aws.amazon.com/neuron": 16 },
  ],
  [
    { "aws.amazon.com/neuron": "16", "aws.amazon.com/neuroncore": "128" },
    ["aws.amazon.com/neuroncore"],
    { "aws.amazon.com/neuroncore": 128 },
  ],
  [{ "example.com/chip": "4" }, [], {}],
  [{ "example.com/chip": "4" }, ["example.com/chip"], { "example.com/chip": 4 }],
])("deviceCounts counts %j with %j requested as %j", (allocatable, requested, counts) => {
  const nodes = [node(allocatable)];
  expect(Object.fromEntries(deviceCounts(nodes, new Set(requested)))).toEqual(counts);
});

it.each([
  ["is cordoned", { ...node({ "nvidia.com/gpu": "8" }), spec: { unschedulable: true } }],
  [
    "reports no readiness",
    { metadata: { name: "n" }, status: { allocatable: { "nvidia.com/gpu": "8" } } },
  ],
])("deviceCounts omits a node that %s", (_, closed) => {
  const nodes = [closed, node({ "nvidia.com/gpu": "2" })];
  expect([...deviceCounts(nodes, new Set())]).toEqual([["nvidia.com/gpu", 2]]);
});
