import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { runtimeBundle } from "../../../testing/processes/runtime-bundle.ts";
import { type ServerProcess, startServer } from "../../../testing/processes/server-process.ts";
import { readCommandLine } from "../../manager/program.ts";
import { program } from "./program.ts";

const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-import-agent-"));
const source = join(folder, "import.yaml");
const target = join(folder, "clusters.yaml");
let agent: ServerProcess | undefined;
afterEach(async () => {
  await agent?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function use(...gateways: string[]): void {
  const clusters = gateways.map((host, at) => ({
    name: `cluster-${at}`,
    routingMode: "ParentMode",
    targetPortNumber: 8000,
    parents: [
      {
        name: "gateway",
        namespace: "default",
        service: [{ type: "LoadBalancer", addresses: [host], ports: [{ number: 80 }] }],
      },
    ],
  }));
  const apiVersion = "inference.networking.x-k8s.io/v1alpha1";
  const metadata = { name: "pool", namespace: "ns" };
  const status = { clusters };
  writeFileSync(
    `${source}.new`,
    stringify({ apiVersion, kind: "InferencePoolImport", metadata, status }),
  );
  renameSync(`${source}.new`, source);
}

const written = () => {
  const { endpoints } = parse(readFileSync(target, "utf8")) as {
    endpoints: Array<{ address: string }>;
  };
  return endpoints.map(({ address }) => address);
};

it("the agent writes the clusters of an import, and writes them again when they change", async () => {
  use("10.0.0.1", "10.0.0.2");
  agent = startServer("import-agent", process.execPath, [
    ...[await runtimeBundle(), "import-agent", "--import=pool"],
    ...["--pool-namespace=ns", `--file-source=${source}`, `--write-clusters=${target}`],
  ]);
  const soon = { timeout: 20_000, interval: 20 };
  await expect.poll(written, soon).toEqual(["10.0.0.1", "10.0.0.2"]);
  use("10.0.0.2");
  await expect.poll(written, soon).toEqual(["10.0.0.2"]);
  await agent.stop();
  expect(agent.ended()).toBe("exit code 0");
  expect(written()).toEqual(["10.0.0.2"]);
});

it("the command line reports all problems together", () => {
  expect(readCommandLine(program, ["--import-agent"], {})).toEqual({
    kind: "wrong",
    problems: [
      "--import-agent: unknown flag; --help lists all",
      "no import: give --import",
      "nothing to write: give --write-clusters",
    ],
  });
  expect(
    readCommandLine(program, ["--import=pool", "--write-clusters=/f"], { NAMESPACE: "ns" }),
  ).toMatchObject({
    kind: "run",
    options: { location: { namespace: "ns", name: "pool", file: undefined }, clustersFile: "/f" },
  });
});
