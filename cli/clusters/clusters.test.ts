import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { ClustersPage } from "../../sdk/multi-cluster/clusters-page.ts";
import { printPolls } from "../output/print-polls.ts";
import { folderOf, run } from "../sample.fixture.ts";
import { clustersView } from "./clusters.ts";

const east = {
  name: "east",
  state: "current",
  age: 0,
  queued: 0,
  exports: [{ pool: "ml/qwen", exported: true, reason: "Exported", message: "all members" }],
  imports: [],
};
const west = {
  name: "west",
  state: "unreachable",
  age: 61,
  queued: 0,
  problem: "connect ECONNREFUSED",
  exports: [
    { pool: "ml/other", exported: false, reason: "NotSupported", message: 'export is "All"' },
  ],
  imports: [{ name: "ml/qwen", clusters: ["east"], ready: "True" }],
};
const page = (...members: ClustersPage["members"]): ClustersPage => ({
  controllerName: "example.com/controller",
  leading: true,
  members,
});

let server: Server | undefined;
let folder: ReturnType<typeof folderOf> | undefined;
afterEach(() => {
  server?.close();
  folder?.[Symbol.dispose]();
});

/** Serves a value at one path, and a Status with code 404 at all other paths. */
async function serve(path: string, value: unknown, otherwise = 404): Promise<string> {
  server = createServer((request, response) => {
    const isIt = request.url === path;
    const status = { kind: "Status", message: "scripted" };
    response.writeHead(isIt ? 200 : otherwise).end(JSON.stringify(isIt ? value : status));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const throughHub = (namespace: string) =>
  `/api/v1/namespaces/${namespace}/services/inference-multi-cluster-controller:9090/proxy/debug/clusters`;

function kubeconfigOf(url: string): string {
  const config = {
    clusters: [{ name: "hub", cluster: { server: url, "insecure-skip-tls-verify": true } }],
    users: [{ name: "me", user: {} }],
    contexts: [{ name: "hub", context: { cluster: "hub", user: "me", namespace: "system" } }],
    "current-context": "hub",
  };
  folder = folderOf({ kubeconfig: JSON.stringify(config) });
  return join(folder.path, "kubeconfig");
}

it("C9: clusters escapes control characters from a member's API server, and keeps its own colours", async () => {
  const hostile = "403 \u001b]52;c;cm0gLXJmIH4=\u0007\u009b2J\u001b[31mred\rover";
  const url = await serve("/debug/clusters", page({ ...west, problem: hostile }));
  const written = "403 \\u001b]52;c;cm0gLXJmIH4=\\u0007\\u009b2J";
  for (const format of ["table", "json", "yaml"]) {
    const { out } = await run(["clusters", "--url", url, "--format", format]);
    expect(out).not.toMatch(/(?![\n\t])\p{Cc}/u);
  }
  const { out } = await run(["clusters", "--url", url], "", true);
  expect(out).toContain(written);
  expect(out).toContain("\u001b[33munreachable\u001b[39m");
  const refusal = await serve("/elsewhere", {}, 403);
  const { err } = await run(["clusters", "--url", `${refusal}/\u001b]0;title\u0007`]);
  expect(err).not.toContain("\u001b");
});

it("clusters shows members, exports and imports, and ends with 1 if one of them has a problem", async () => {
  const url = await serve("/debug/clusters", page(east, west));
  expect(await run(["clusters", "--url", url])).toEqual({
    code: 1,
    err: "",
    out: `Controller example.com/controller

MEMBER  STATE        AGE  EXPORTS  IMPORTS  PROBLEM
east    current      -    1        0
west    unreachable  61s  1        1        connect ECONNREFUSED

EXPORT    MEMBER  EXPORTED  REASON        MESSAGE
ml/qwen   east    True      Exported      all members
ml/other  west    False     NotSupported  export is "All"

IMPORT   MEMBER  CLUSTERS  READY
ml/qwen  west    east      True
`,
  });
});

it("clusters prints changes with --watch, and continues if the controller is unavailable", async () => {
  const older = page(east, { ...west, age: 63 });
  async function* looks() {
    yield page(east, west);
    yield older;
    yield { error: "connect ECONNREFUSED" };
    yield page(east);
  }
  const written: string[] = [];
  const output = { write: (text: string) => void written.push(text), colour: false };
  const terminal = { out: output, err: output, readStdin: async () => "" };
  expect(
    await printPolls(looks(), clustersView, { format: "json", watch: true }, terminal, 0),
  ).toBe(0);
  expect(written.map((text) => JSON.parse(text))).toEqual([
    page(east, west),
    { error: "connect ECONNREFUSED" },
    page(east),
  ]);
});

it("clusters reads the page through the hub's API server, in the namespace of the context or a given one", async () => {
  const url = await serve(throughHub("system"), page(east));
  const kubeconfig = kubeconfigOf(url);
  const args = ["clusters", "--kubeconfig", kubeconfig, "--format", "json"];
  const { code, out } = await run(args);
  expect({ code, page: JSON.parse(out) }).toEqual({ code: 0, page: page(east) });
  expect(await run([...args, "-n", "elsewhere"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("inference-multi-cluster-controller does not exist"),
  });
});

it.each([
  [
    403,
    /scripted; allow get on services\/proxy and create on serviceaccounts\/token, or give --url/,
  ],
  [503, /answers 503 to \/api\/v1\/namespaces\/system\/.*: scripted; if it is not the API server/],
])(
  "clusters reports the error of a hub's API server that responds with %i",
  async (status, message) => {
    const kubeconfig = kubeconfigOf(await serve("/", {}, status));
    const { code, err } = await run(["clusters", "--kubeconfig", kubeconfig]);
    expect(code).toBe(2);
    expect(err).toMatch(message);
  },
);

it("clusters reports the problem of an invalid address", async () => {
  const url = await serve("/debug/clusters", []);
  expect((await run(["clusters", "--url", url])).err).toMatch(
    /the response is not from a multi-cluster controller/,
  );
  expect((await run(["clusters", "--url", `${url}/x/`])).code).toBe(2);
  expect((await run(["clusters", "--url", "hub"])).err).toMatch(/--url: hub is not a URL/);
  server?.close();
  const nobody = await serve("/", {});
  server?.close();
  expect(await run(["clusters", "--url", nobody])).toMatchObject({
    code: 2,
    err: expect.stringContaining("ECONNREFUSED"),
  });
});
