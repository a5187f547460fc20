import { describe, expect, it } from "vitest";
import { readImport } from "./read-import.ts";

const clusterA = {
  name: "cluster-a",
  routingMode: "EndpointMode",
  targetPortNumber: 8080,
  endpointPicker: {
    name: "epp",
    service: [{ type: "LoadBalancer", addresses: ["1.2.3.4"], ports: [{ number: 9002 }] }],
    health: { port: 9003 },
    metrics: { port: 9090 },
  },
};
const remoteA = {
  name: "cluster-a",
  mode: "EndpointMode",
  picker: {
    service: "epp",
    addresses: [{ host: "1.2.3.4", port: 9002 }],
    healthPort: 9003,
    metricsPort: 9090,
  },
  parents: [],
  location: {},
  ready: "Unknown",
};

const object = (status?: unknown, metadata: object = {}) => ({
  apiVersion: "inference.networking.x-k8s.io/v1alpha1",
  kind: "InferencePoolImport",
  metadata: { name: "llm-pool", namespace: "example", uid: "u", ...metadata },
  ...(status !== undefined && { status }),
});

function read(clusters: readonly unknown[]) {
  const problems: string[] = [];
  const found = readImport(object({ clusters }), (problem) => problems.push(problem));
  return { clusters: found?.clusters, problems };
}

it("reads the proposal's example", () => {
  expect(read([clusterA])).toEqual({ clusters: [remoteA], problems: [] });
});

it("reads a cluster that is reached through its gateways", () => {
  const parent = (address: string, programmed?: string, ports = [{ number: 8443 }]) => ({
    name: "gw",
    namespace: "ns",
    service: [{ type: "LoadBalancer", addresses: [address], ports }],
    ...(programmed && { conditions: [{ type: "Programmed", status: programmed }] }),
  });
  const { clusters } = read([
    {
      name: "b",
      routingMode: "ParentMode",
      targetPortNumber: 8080,
      parents: [
        parent("gw.example.com", "True"),
        parent("5.6.7.8", "False"),
        parent("9.9.9.9", undefined, [{ number: 443 }, { number: 80 }]),
      ],
      conditions: [{ type: "Ready", status: "False", reason: "NoParentProgrammed" }],
    },
  ]);
  expect(clusters).toEqual([
    {
      name: "b",
      mode: "ParentMode",
      picker: undefined,
      parents: [
        { host: "gw.example.com", port: 8443 },
        { host: "9.9.9.9", port: 80 },
      ],
      location: {},
      ready: "False",
    },
  ]);
});

it.each([
  ["no address as absent", { ...clusterA.endpointPicker, service: [] }, undefined],
  [
    "no port, at the usual one",
    { name: "epp", service: [{ type: "ClusterIP", addresses: ["::1"] }] },
    { service: "epp", addresses: [{ host: "::1", port: 9002 }] },
  ],
  [
    "several ports, at the usual one",
    {
      name: "epp",
      service: [
        { type: "ClusterIP", addresses: ["a", "b"], ports: [{ number: 9003 }, { number: 9002 }] },
      ],
    },
    {
      service: "epp",
      addresses: [
        { host: "a", port: 9002 },
        { host: "b", port: 9002 },
      ],
    },
  ],
])("reads a picker with %s", (_, endpointPicker, picker) => {
  const [cluster] = read([{ ...clusterA, endpointPicker }]).clusters ?? [];
  if (picker === undefined) expect(cluster?.picker).toBeUndefined();
  else expect(cluster?.picker).toMatchObject(picker);
});

it("reports and skips a cluster that it cannot read", () => {
  const { clusters, problems } = read([
    { ...clusterA, routingMode: "ServiceMode" },
    { ...clusterA, name: "b", of: "the future" },
    { ...clusterA, name: "b" },
  ]);
  expect(clusters?.map(({ name }) => name)).toEqual(["b"]);
  expect(problems).toEqual([expect.stringMatching(/^clusters\[0\]: routingMode: /)]);
});

describe("clusters of an import", () => {
  const told = (text: string) => ({ annotations: { "pulumi-inference/import-detail": text } });
  const beside = told(
    JSON.stringify({ controller: "c/d", clusters: [{ ...clusterA, name: "beside" }] }),
  );

  it.each([
    ["taken from the status", { clusters: [clusterA] }, beside, ["cluster-a"]],
    [
      "taken from the annotation if the status has no field",
      { controllers: [] },
      beside,
      ["beside"],
    ],
    ["empty if the status lists none", { clusters: [] }, beside, []],
    ["unknown without status and annotation", { controllers: [] }, {}, undefined],
    ["unknown if the annotation cannot be read", { controllers: [] }, told("["), undefined],
  ])("clusters of an import are %s", (_, status, metadata, expected) => {
    const it_ = readImport(object(status, metadata), () => {});
    expect(it_?.clusters?.map(({ name }) => name)).toEqual(expected);
  });

  it("clusters of an import are not read while it is being deleted", () => {
    const going = { deletionTimestamp: "2026-01-01T00:00:00Z" };
    expect(readImport(object({ clusters: [clusterA] }, going), () => {})).toBeUndefined();
  });

  it("a problem in the annotation is reported", () => {
    const problems: string[] = [];
    readImport(object({}, told("{}")), (problem) => problems.push(problem));
    expect(problems).toEqual([
      expect.stringMatching(/^annotation pulumi-inference\/import-detail: clusters: /),
    ]);
  });
});
