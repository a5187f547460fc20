import { expect, it } from "vitest";
import { parseKind } from "../../../sdk/validate/spec-kind.ts";
import { importedPoolSpecKind } from "../../../sdk/validate/spec-kinds.ts";
import type { RemoteCluster } from "../imports/remote-cluster.ts";
import { withParents } from "./parents-of-import.ts";

const specOf = (spec: object) =>
  parseKind(importedPoolSpecKind, {
    metadata: { name: "pool", namespace: "ml" },
    spec: {
      gateway: { type: "agentgateway" },
      parentsAgent: {},
      parentRefs: [{ name: "gateway" }],
      ...spec,
    },
  }).spec;

const cluster = (name: string, change: Partial<RemoteCluster> = {}): RemoteCluster => ({
  ...{ name, mode: "ParentMode", picker: undefined, parents: [{ host: `gw.${name}`, port: 443 }] },
  ...{ networks: undefined, maxEndpoints: undefined, ready: "True" },
  location: { region: undefined, zone: undefined },
  ...change,
});

const shares = (spec: object, clusters: readonly RemoteCluster[], ...usable: string[]) => {
  const routed = withParents(specOf(spec), clusters, new Set(usable));
  return [
    routed.spec.local?.weight,
    ...(routed.spec.parents ?? []).map(({ cluster, weight }) => `${cluster} ${weight}`),
  ];
};

it("each cluster that responds gets the import's weight, and the local pool keeps its share", () => {
  const both = [cluster("b"), cluster("a")];
  const weights = { local: { weight: 9 }, weight: 2 };
  expect(shares(weights, both, "a", "b")).toEqual([18, "a 2", "b 2"]);
  expect(shares(weights, both, "b")).toEqual([9, "a 0", "b 2"]);
  expect(shares({}, both, "a")).toEqual([undefined, "a 1", "b 0"]);
  expect(shares(weights, [])).toEqual([9]);
  expect(shares({ local: { weight: 1_000_000 } }, both, "a", "b")).toEqual([
    1_000_000,
    "a 1",
    "b 1",
  ]);
});

it("the local pool gets all requests if no cluster responds; without a local share, clusters that are Ready get them", () => {
  const clusters = [
    cluster("a"),
    cluster("b", { ready: "False" }),
    cluster("c", { ready: "Unknown" }),
  ];
  expect(shares({}, clusters)).toEqual([undefined, "a 1", "b 0", "c 0"]);
  expect(shares({ local: { weight: 0 } }, clusters)).toEqual([0, "a 1", "b 0", "c 0"]);
  expect(shares({ local: { weight: 9 } }, clusters)).toEqual([9, "a 0", "b 0", "c 0"]);
});

it("each gateway of a cluster gets its own name, and the certificate name of the cluster", () => {
  const parents = ["10.0.0.1", "10.0.0.2"].map((host) => ({ host, port: 443 }));
  const parentsAgent = { tls: { caConfigMap: "ca", hostname: "{cluster}.example" } };
  const { spec, problems } = withParents(
    specOf({ parentsAgent }),
    [cluster("a", { parents })],
    new Set(["a"]),
  );
  expect(spec.parents).toEqual([
    {
      ...{ cluster: "a", host: "10.0.0.1", port: 443, weight: 1 },
      tls: { caConfigMap: "ca", hostname: "a.example" },
    },
    {
      ...{ cluster: "a-2", host: "10.0.0.2", port: 443, weight: 1 },
      tls: { caConfigMap: "ca", hostname: "a.example" },
    },
  ]);
  expect(problems).toEqual([]);
});

it("gateways and clusters that the local gateway does not support are omitted, with a reason", () => {
  const { spec, problems } = withParents(
    specOf({ gateway: { type: "ngf" } }),
    [
      cluster("a", { parents: [{ host: "10.0.0.1", port: 80 }] }),
      cluster("b.example"),
      cluster("c"),
    ],
    new Set(["c"]),
  );
  expect(spec.parents?.map(({ cluster }) => cluster)).toEqual(["c"]);
  expect(problems).toEqual([
    "gateway 10.0.0.1 of cluster a is omitted: gateway.type ngf needs DNS names",
    "cluster b.example is omitted: its name is not a DNS label of 40 characters",
  ]);
});
