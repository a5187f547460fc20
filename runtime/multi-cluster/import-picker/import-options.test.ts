import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { planImportedPool } from "../../../sdk/plan/multi-cluster/imported-pool.ts";
import { parseKind } from "../../../sdk/validate/spec-kind.ts";
import { importedPoolSpecKind } from "../../../sdk/validate/spec-kinds.ts";
import { repositoryRoot } from "../../../testing/repository.ts";
import { readCommandLine } from "../../manager/program.ts";
import { program } from "../../programs/endpoint-picker/program.ts";
import { importFlags, parentFlags, remoteFlags } from "./flags.ts";

const page = readFileSync(join(repositoryRoot, "docs", "multi-cluster.md"), "utf8");

const importing = (...args: readonly string[]) =>
  readCommandLine(program, ["--import=p", ...args], {});

it("--import alone sets the default options", () => {
  const invocation = importing();
  expect(invocation).toMatchObject({
    kind: "run",
    warnings: [],
    options: {
      mode: "import",
      location: { namespace: "default", name: "p", file: undefined },
      import: {
        ...{ selection: "metric-based", preference: "PreferLocal", order: [] },
        ...{ localCluster: undefined, failbackDelayMs: 5_000 },
      },
      remote: {
        ...{ plaintext: false, metricsTls: false, insecure: false },
        ...{ caFile: undefined, certificateDirectory: undefined, serverName: undefined },
      },
      serving: { port: 9002 },
      operations: { metricsPort: 9090, metricsAuth: true },
    },
  });
  expect(invocation).not.toHaveProperty("options.pool");
});

it("the arguments of a planned Deployment are valid", () => {
  const pool = parseKind(importedPoolSpecKind, {
    metadata: { name: "p", namespace: "ns" },
    spec: {
      parentRefs: [{ name: "gateway" }],
      tls: { caConfigMap: "gateways", hostname: "gw.example" },
      picker: {
        ...{ selection: "active-passive", order: ["b"], localCluster: "a", preference: "Any" },
        tls: { caConfigMap: "ca", clientCertificateSecret: "client", hostname: "epp" },
        parentProbe: { hostname: "chat.example" },
      },
    },
  });
  const [{ spec }] = planImportedPool(pool).filter(
    ({ kind }) => kind === "Deployment",
  ) as unknown as [{ spec: { template: { spec: { containers: Array<{ args: string[] }> } } } }];
  expect(readCommandLine(program, spec.template.spec.containers[0]?.args ?? [], {})).toMatchObject({
    kind: "run",
    warnings: [],
    options: {
      mode: "import",
      location: { namespace: "ns", name: "p" },
      import: {
        ...{ localCluster: "a", selection: "active-passive", preference: "Any", order: ["b"] },
      },
      remote: {
        caFile: "/certificates/remote/ca.crt",
        certificateDirectory: "/certificates/client",
        serverName: "epp",
      },
      parent: {
        serverName: "gw.example",
        caFile: "/certificates/parents/ca.crt",
        probePath: "/v1/models",
        probeHost: "chat.example",
      },
      operations: { metricsAuth: true },
    },
  });
});

it("flags of an import set its options", () => {
  expect(
    importing(
      ...[
        "--pool-namespace=ns",
        "--file-source=f",
        "--local-cluster=a",
        "--import-failback-delay=1m",
      ],
      ...["--import-selection=active-passive", "--import-order=b,c", "--import-preference=Any"],
      ...["--remote-ca-file=ca.pem", "--remote-cert-path=dir", "--remote-server-name=epp"],
      ...["--remote-metrics-tls", "--import-weights=b=3, c=0", "--local-region=eu"],
    ),
  ).toMatchObject({
    kind: "run",
    options: {
      mode: "import",
      location: { namespace: "ns", file: "f" },
      import: {
        ...{ localCluster: "a", failbackDelayMs: 60_000 },
        ...{ selection: "active-passive", preference: "Any", order: ["b", "c"] },
        weights: new Map([
          ["b", 3],
          ["c", 0],
        ]),
        location: { region: "eu", zone: undefined },
      },
      remote: {
        ...{ metricsTls: true, caFile: "ca.pem", certificateDirectory: "dir", serverName: "epp" },
      },
    },
  });
});

it.each([
  ["--remote-insecure", /NOT verified/],
  ["--remote-plaintext", /NOT encrypted/],
  ["--config-text=x", /no effect/],
])("%s causes a warning", (flag, warning) => {
  expect(importing(flag)).toMatchObject({ warnings: [expect.stringMatching(warning)] });
});

describe("contradictory flags", () => {
  it.each([
    [
      "--parent-ca-file=f",
      "--parent-ca-file: has no effect alone; give --parent-server-name as well",
    ],
    [
      "--parent-probe-host=a",
      "--parent-probe-host: has no effect alone; give --parent-probe-path as well",
    ],
    [
      "--parent-probe-path=v1",
      '--parent-probe-path: "v1" was given; give a path that begins with /',
    ],
    [
      "--import-weights=a=1,a=2",
      '--import-weights: "a=1,a=2" was given; give a comma-separated list of CLUSTER=N, each CLUSTER once with a whole number from 0 to 1000000',
    ],
    [
      "--pool-name=p",
      "--pool-name: is for a pool of this cluster; leave out this flag or --import",
    ],
    [
      "--endpoint-selector=a=b --endpoint-target-ports=80",
      "--endpoint-selector: is for a pool of this cluster; leave out this flag or --import",
    ],
    [
      "--ha-enable-leader-election",
      "--ha-enable-leader-election: is for a pool of this cluster; leave out this flag or --import",
    ],
    [
      "--remote-plaintext --remote-ca-file=f",
      "--remote-ca-file: is for TLS; leave out this flag or --remote-plaintext",
    ],
    [
      "--remote-insecure --remote-ca-file=f",
      "--remote-ca-file: has no effect; leave out this flag or --remote-insecure",
    ],
    [
      "--import-selection=best",
      '--import-selection: "best" was given; give one of metric-based, health-based, active-passive',
    ],
  ])("%s is refused", (flags, problem) => {
    expect(importing(...flags.split(" "))).toEqual({ kind: "wrong", problems: [problem] });
  });
});

it.each([
  ...Object.values(importFlags.flags),
  ...Object.values(remoteFlags.flags),
  ...Object.values(parentFlags.flags),
])("docs/multi-cluster.md lists the flag --$name", ({ name }) => {
  expect(page).toContain(`| \`--${name}\` |`);
});
