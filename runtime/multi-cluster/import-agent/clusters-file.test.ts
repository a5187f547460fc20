import { expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import type { RemoteCluster } from "../imports/remote-cluster.ts";
import { clustersFile } from "./clusters-file.ts";

/**
 * Schema of the reader (llm-d-router, datalayer/discovery/file): only strings, also for ports, and a namespace per
 * entry.
 */
const readable = z.strictObject({
  endpoints: z.array(
    z.strictObject({
      name: z.string().min(1),
      namespace: z.string(),
      address: z.union([
        z.ipv4(),
        z.ipv6(),
        z.string().regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/),
      ]),
      port: z.string().regex(/^[1-9]\d{0,4}$/),
      labels: z.record(z.string(), z.string()),
    }),
  ),
});

/** Reads YAML 1.1, as Go programs do. */
const read = (text: string) => readable.parse(parse(text, { version: "1.1" })).endpoints;

const cluster = (name: string, more: Partial<RemoteCluster> = {}): RemoteCluster => ({
  name,
  mode: "ParentMode",
  picker: undefined,
  parents: [{ host: "10.0.0.1", port: 443 }],
  networks: undefined,
  maxEndpoints: undefined,
  location: { region: undefined, zone: undefined },
  ready: "Unknown",
  ...more,
});
const picker = {
  service: "epp",
  addresses: [{ host: "10.1.0.1", port: 9002 }],
  healthPort: 9003,
  metricsPort: 9090,
};

it("the file contains the gateways, and the address from which the load is read", () => {
  const { text, problems } = clustersFile("ns", [
    cluster("b", { parents: [{ host: "gw.b.example", port: 8443 }] }),
    cluster("a", { picker }),
  ]);
  expect(text).toBe(`endpoints:
  - name: "a"
    namespace: "ns"
    address: "10.0.0.1"
    port: "443"
    labels:
      cluster: "a"
      metricsAddress: "10.1.0.1"
      metricsPort: "9090"
  - name: "b"
    namespace: "ns"
    address: "gw.b.example"
    port: "8443"
    labels:
      cluster: "b"
`);
  expect(problems).toEqual([]);
  expect(read(text).map(({ name }) => name)).toEqual(["a", "b"]);
});

it("each gateway of a cluster gets its own name", () => {
  const parents = ["10.0.0.1", "fd00::1"].map((host) => ({ host, port: 80 }));
  const { text } = clustersFile("ns", [cluster("a", { parents })]);
  expect(read(text).map(({ name, address }) => [name, address])).toEqual([
    ["a", "10.0.0.1"],
    ["a-2", "fd00::1"],
  ]);
});

it("cluster names that are special words or numbers in YAML stay strings", () => {
  const names = ["on", "no", "null", "1e3", "0x10", "12", "1_000", "12:30"];
  const { text } = clustersFile(
    "ns",
    names.map((name) => cluster(name)),
  );
  expect(read(text).map(({ name }) => name)).toEqual(names.sort());
});

it("clusters that cannot be reached through a gateway are omitted, with a reason", () => {
  const { text, problems } = clustersFile("ns", [
    cluster("a", { mode: "EndpointMode", parents: [], picker }),
    cluster("b", { parents: [{ host: "GW_b", port: 80 }] }),
    cluster("c", { ready: "False" }),
  ]);
  expect(read(text)).toEqual([]);
  expect(problems).toEqual([
    "cluster a (EndpointMode) is omitted: it has no gateway; export the pool there in ParentMode",
    "cluster b is omitted: GW_b is neither an IP address nor a DNS name",
  ]);
});

it("a file that is too large for its reader is not written", () => {
  const many = Array.from({ length: 12_000 }, (_, at) => cluster(`cluster-${at}`));
  expect(() => clustersFile("ns", many)).toThrow(/readers accept 1048576/);
});
