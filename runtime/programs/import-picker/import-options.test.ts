import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { planImportedPool } from "../../../sdk/plan/pools/imported-pool.ts";
import { importedPoolSpecKind } from "../../../sdk/validate/imported-pool.ts";
import { parseKind } from "../../../sdk/validate/spec-kind.ts";
import { repositoryRoot } from "../../../testing/repository.ts";
import { readOptions } from "../endpoint-picker/options.ts";
import { importTable } from "./import-table.ts";

const page = readFileSync(join(repositoryRoot, "docs", "multi-cluster.md"), "utf8");

const importing = (...args: readonly string[]) => readOptions(["--import=p", ...args], {});

it("reads an import with defaults", () => {
  const invocation = importing();
  expect(invocation).toMatchObject({
    kind: "import",
    warnings: [],
    options: {
      import: {
        namespace: "default",
        name: "p",
        file: undefined,
        localCluster: undefined,
        failBackAfter: 5_000,
      },
      selection: { selection: "metric-based", preference: "PreferLocal", order: [] },
      remote: {
        plaintext: false,
        metricsTls: false,
        tls: {
          caFile: undefined,
          certificateDirectory: undefined,
          serverName: undefined,
          insecure: false,
        },
      },
      serving: { port: 9_002 },
      metrics: { port: 9_090, auth: true },
    },
  });
  expect(invocation).not.toHaveProperty("options.pool");
});

it("takes the arguments of a planned Deployment", () => {
  const pool = parseKind(importedPoolSpecKind, {
    metadata: { name: "p", namespace: "ns" },
    spec: {
      parentRefs: [{ name: "gateway" }],
      picker: {
        ...{ selection: "active-passive", order: ["b"], localCluster: "a", preference: "Any" },
        tls: { caConfigMap: "ca", clientCertificateSecret: "client", hostname: "epp" },
      },
    },
  });
  const [{ spec }] = planImportedPool(pool).filter(
    ({ kind }) => kind === "Deployment",
  ) as unknown as [{ spec: { template: { spec: { containers: Array<{ args: string[] }> } } } }];
  expect(readOptions(spec.template.spec.containers[0]?.args ?? [], {})).toMatchObject({
    kind: "import",
    warnings: [],
    options: {
      import: { namespace: "ns", name: "p", localCluster: "a" },
      selection: { selection: "active-passive", preference: "Any", order: ["b"] },
      remote: {
        tls: {
          caFile: "/certificates/remote/ca.crt",
          certificateDirectory: "/certificates/client",
          serverName: "epp",
        },
      },
      metrics: { auth: true },
    },
  });
});

it("reads all that is said of it", () => {
  expect(
    importing(
      ...["--pool-namespace=ns", "--file-source=f", "--local-cluster=a", "--import-fail-back=1m"],
      ...["--import-selection=active-passive", "--import-order=b,c", "--import-preference=Any"],
      ...["--remote-ca-file=ca.pem", "--remote-cert-path=dir", "--remote-server-name=epp"],
      "--remote-metrics-tls",
    ),
  ).toMatchObject({
    kind: "import",
    options: {
      import: { namespace: "ns", file: "f", localCluster: "a", failBackAfter: 60_000 },
      selection: { selection: "active-passive", preference: "Any", order: ["b", "c"] },
      remote: {
        metricsTls: true,
        tls: { caFile: "ca.pem", certificateDirectory: "dir", serverName: "epp" },
      },
    },
  });
});

it.each([
  ["--remote-insecure", /NOT verified/],
  ["--remote-plaintext", /NOT encrypted/],
  ["--config-text=x", /no effect/],
])("%s warns", (flag, warning) => {
  expect(importing(flag)).toMatchObject({ warnings: [expect.stringMatching(warning)] });
});

describe("contradictions", () => {
  it.each([
    ["--pool-name=p", "--pool-name: is for a pool of this cluster; leave it or --import out"],
    [
      "--endpoint-selector=a=b --endpoint-target-ports=80",
      "--endpoint-selector: is for a pool of this cluster; leave it or --import out",
    ],
    [
      "--ha-enable-leader-election",
      "--ha-enable-leader-election: is for a pool of this cluster; leave it or --import out",
    ],
    [
      "--remote-plaintext --remote-ca-file=f",
      "--remote-ca-file: is for TLS; leave it or --remote-plaintext out",
    ],
    [
      "--remote-insecure --remote-ca-file=f",
      "--remote-ca-file: nothing is verified by it; leave it or --remote-insecure out",
    ],
    [
      "--import-selection=best",
      '--import-selection: "best" was given; give one of metric-based, health-based, active-passive',
    ],
  ])("%s", (flags, problem) => {
    expect(importing(...flags.split(" "))).toEqual({ kind: "wrong", problems: [problem] });
  });
});

it.each(Object.values(importTable))("the page on several clusters has --$name", ({ name }) => {
  expect(page).toContain(`| \`--${name}\` |`);
});
