import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { folderOf, run, sampleManifest } from "../sample.fixture.ts";

const capacity = (...args: string[]) => run(["capacity", "-f", "-", ...args], sampleManifest("a"));

it("capacity prints a table with a row for each number of GPUs", async () => {
  const { code, out, err } = await capacity("--gpus", "80,64,48,32,20");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toBe(`\
GPUS  STATUS             IDLE  NOTE
80    Full               0
64    Partial (1P + 1D)  16
48    Partial (1P + 1D)  0
32    Blocked            32    needs 48 GPUs for 1 prefill + 1 decode together
20    Blocked            20    needs 48 GPUs for 1 prefill + 1 decode together; the last node has 4 of 8 GPUs
`);
});

it("capacity accepts --gpus several times", async () => {
  const { out } = await capacity("--gpus", "80", "--gpus", "64,48", "--format", "json");
  expect(JSON.parse(out).map(({ gpus }: { gpus: number }) => gpus)).toEqual([80, 64, 48]);
});

it.each([
  ["80", "full", 0],
  ["80,64", "full", 1],
  ["80,64", "minimum", 0],
  ["80,64,32", "minimum", 1],
])("capacity on %s GPUs with --require %s ends with %i", async (gpus, required, code) => {
  expect(await capacity("--gpus", gpus, "--require", required)).toMatchObject({ code });
});

it("capacity prints the rows as one JSON array", async () => {
  const { out } = await capacity("--gpus", "64,32", "--format", "json");
  const replica = (role: string, index: number, scheduledPods: number, size: number) => ({
    role,
    index,
    scheduledPods,
    size,
  });
  expect(JSON.parse(out)).toEqual([
    {
      gpus: 64,
      status: "Partial",
      replicas: [
        replica("prefill", 0, 2, 2),
        replica("decode", 0, 4, 4),
        replica("decode", 1, 0, 4),
      ],
      idleGpus: 16,
      note: "",
    },
    {
      gpus: 32,
      status: "Blocked",
      replicas: [
        replica("prefill", 0, 0, 2),
        replica("decode", 0, 0, 4),
        replica("decode", 1, 0, 4),
      ],
      idleGpus: 32,
      note: "needs 48 GPUs for 1 prefill + 1 decode together",
    },
  ]);
});

describe("capacity", () => {
  it("has nodes of --gpus-per-node", async () => {
    const { out } = await capacity("--gpus", "80", "--gpus-per-node", "4", "--format", "json");
    expect(JSON.parse(out)).toMatchObject([{ status: "Blocked", idleGpus: 80 }]);
  });

  it("accepts the nodes of --nodes, with --binpack gpu", async () => {
    const mixed = sampleManifest("a")
      .replace("nodeCount: 4", "nodeCount: 2")
      .replace("replicas: 2", "replicas: 1")
      .replace(/"8"(?=[^"]*$)/, '"4"');
    const on = async (...args: string[]) =>
      JSON.parse((await run(["capacity", "-f", "-", "--format", "json", ...args], mixed)).out)[0];
    expect(await on("--nodes", "8,8,4,4", "--binpack", "gpu")).toMatchObject({ status: "Full" });
    expect(await on("--nodes", "8,8,4,4")).toMatchObject({
      gpus: 24,
      status: "Blocked",
      note: expect.stringContaining("Full with Volcano's binpack scoring nvidia.com/gpu"),
    });
  });
});

it("capacity reports the clusters of a kubeconfig in which the service fits", async () => {
  const nodesOf = (...gpus: number[]) =>
    gpus.map((count) => ({
      status: {
        allocatable: { "nvidia.com/gpu": String(count) },
        conditions: [{ type: "Ready", status: "True" }],
      },
    }));
  const items = { east: nodesOf(...Array(10).fill(8)), west: nodesOf(8, 8, 8, 8) };
  const server = createServer(({ url }, response) => {
    const cluster = (["east", "west"] as const).find((name) => url?.startsWith(`/${name}/`));
    if (cluster === undefined) response.writeHead(403).end("{}");
    else response.writeHead(200).end(JSON.stringify({ items: items[cluster] }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const names = ["east", "west", "south"];
  using folder = folderOf({
    kubeconfig: JSON.stringify({
      clusters: names.map((name) => ({
        name,
        cluster: { server: `${url}/${name}`, "insecure-skip-tls-verify": true },
      })),
      users: [{ name: "me", user: {} }],
      contexts: names.map((name) => ({ name, context: { cluster: name, user: "me" } })),
    }),
  });
  const fits = (...contexts: string[]) =>
    capacity(
      ...["--kubeconfig", `${folder.path}/kubeconfig`, "--require", "full"],
      ...contexts.flatMap((name) => ["--context", name]),
    );
  const { code, out } = await fits("east", "west", "south");
  expect(code).toBe(0);
  expect(out.split("\n")).toEqual([
    "CLUSTER  GPUS  STATUS   IDLE  NOTE",
    "east     80    Full     0",
    "west     32    Blocked  32    needs 48 GPUs for 1 prefill + 1 decode together",
    expect.stringMatching(/^south {4}- {5}Unknown {2}- {5}--context south: nodes cannot be read: /),
    "",
  ]);
  expect((await fits("west", "south")).code).toBe(1);
  expect((await fits("nowhere")).out).toMatch(/^nowhere .*Unknown .*nowhere/m);
  expect(await capacity("--context", "east", "--gpus", "8")).toMatchObject({ code: 2 });
  server.close();
});

it("capacity colours the status only on a terminal", async () => {
  const args = ["capacity", "-f", "-", "--gpus", "80,64,32"];
  const { out } = await run(args, sampleManifest("a"), true);
  expect(out).toContain("\u001b[32mFull\u001b[39m               0");
  expect(out).toContain("\u001b[33mPartial (1P + 1D)\u001b[39m  16");
  expect(out).toContain("\u001b[31mBlocked\u001b[39m");
  expect((await run(args, sampleManifest("a"), false)).out).not.toContain("\u001b");
});

it("capacity accepts only one service", async () => {
  const two = `${sampleManifest("a")}---\n${sampleManifest("b")}`;
  const { code, err } = await run(["capacity", "-f", "-", "--gpus", "8"], two);
  expect(code).toBe(2);
  expect(err).toContain("takes one InferenceService, found 2: a (standard input, document 1), b");
});

it("capacity ends with 1 if the service is invalid", async () => {
  const { code, out, err } = await run(
    ["capacity", "-f", "-", "--gpus", "8"],
    sampleManifest("a").replace("nodeCount: 4", "nodeCount: -4"),
  );
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toMatch(
    /^standard input:22: spec\.roles\[1\]\.multinode\.nodeCount: is -4; allowed: /,
  );
});

it("capacity names three services of too many, and counts the rest", async () => {
  const all = [...Array(5).keys()].map((at) => sampleManifest(`s${at}`)).join("---\n");
  const { code, err } = await run(["capacity", "-f", "-", "--gpus", "8"], all);
  expect(code).toBe(2);
  expect(err).toBe(
    "capacity takes one InferenceService, found 5: s0 (standard input, document 1), s1 (standard input, document 2), s2 (standard input, document 3) and 2 more\n",
  );
});
