import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { connectExtProc, type ExtProcClient } from "../../../testing/ext-proc/client.ts";
import { type KvPublisher, startKvPublisher } from "../../../testing/kv-publisher/start.ts";
import { newLog } from "../../manager/log.ts";
import { readCommandLine } from "../../manager/program.ts";
import { program } from "./program.ts";
import type { RunningPicker } from "./start.ts";

/**
 * The picker with libzmq publishers and fake engines, which respond to `/tokenize` as vLLM does, with one token per
 * word.
 */

const stops: Array<() => unknown> = [];
const hosts = ["127.0.0.1", "127.0.0.2"] as const;
const publishers: KvPublisher[] = [];
let picker: RunningPicker;
let client: ExtProcClient;
let enginePort: number;
let tokenizes = true;

const tokenOf = (word: string): number => Number.parseInt(word, 36);
const tokensOf = (text: string): number[] => text.split(" ").map(tokenOf);

/** Words of a prompt; three words are a block. */
const words = (count: number, first: string) =>
  Array.from({ length: count }, (_, at) => `${first}${at}`).join(" ");

async function startEngine(host: string, port: number): Promise<number> {
  const server = http.createServer(async (request, response) => {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (request.url === "/metrics") {
      response.end(
        'vllm:num_requests_waiting{model_name="m"} 0\nvllm:num_requests_running{model_name="m"} 0\n',
      );
      return;
    }
    let text = "";
    for await (const piece of request) text += piece;
    if (request.url !== "/tokenize") answer(request.url?.endsWith("/render") ? 403 : 404, {});
    else if (!tokenizes) answer(500, {});
    else {
      const { model, prompt } = JSON.parse(text);
      const tokens = tokensOf(prompt);
      answer(model === "m" ? 200 : 404, { count: tokens.length, tokens });
    }
  });
  server.listen(port, host);
  await once(server, "listening");
  stops.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

const podOf = (name: string, ip: string) => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: default, uid: ${name}, labels: {app: m}}
status: {podIP: ${ip}, phase: Running, conditions: [{type: Ready, status: "True"}]}
---`;

beforeAll(async () => {
  const [first] = [await startKvPublisher({ host: hosts[0] })];
  publishers.push(first);
  const { port, replayPort } = first;
  publishers.push(await startKvPublisher({ host: hosts[1], port, replayPort }));
  for (const each of publishers) stops.push(() => each.stop());
  enginePort = await startEngine(hosts[0], 0);
  await startEngine(hosts[1], enginePort);

  const folder = mkdtempSync(join(tmpdir(), "kv-events-"));
  stops.push(() => rmSync(folder, { recursive: true }));
  const pool = join(folder, "pool.yaml");
  writeFileSync(
    pool,
    `${hosts.map((ip, at) => podOf(`engine-${at}`, ip)).join("")}
apiVersion: inference.networking.k8s.io/v1
kind: InferencePool
metadata: {name: pool, namespace: default}
spec: {selector: {matchLabels: {app: m}}, targetPorts: [{number: ${enginePort}}], endpointPickerRef: {name: epp, port: {number: 9002}}}
`,
  );
  const config = {
    apiVersion: "llm-d.ai/v1alpha1",
    kind: "EndpointPickerConfig",
    plugins: [
      {
        type: "precise-prefix-cache-producer",
        parameters: {
          kvEventsConfig: {
            podDiscoveryConfig: { socketPort: port, replaySocketPort: replayPort },
          },
        },
      },
      { type: "token-producer", parameters: { vllm: { timeout: "30s" } } },
      { type: "precise-prefix-cache-scorer" },
      { type: "max-score-picker" },
    ],
    schedulingProfiles: [
      {
        name: "default",
        plugins: [
          { pluginRef: "precise-prefix-cache-scorer", weight: 1 },
          { pluginRef: "max-score-picker" },
        ],
      },
    ],
  };
  const invocation = readCommandLine(program, [
    ...["--grpc-port=0", "--grpc-health-port=0", "--metrics-port=0", "--secure-serving=false"],
    ...["--metrics-endpoint-auth=false", `--file-source=${pool}`],
    `--config-text=${JSON.stringify(config)}`,
  ]);
  if (invocation.kind !== "run") throw new Error(JSON.stringify(invocation));
  const log = newLog({ verbosity: 0, now: Date.now, write: () => {} });
  picker = (await program.start(invocation.options, log)) as RunningPicker;
  stops.push(() => picker.stop("SIGINT"));
  client = connectExtProc(`127.0.0.1:${picker.ports.grpc}`);
  stops.push(() => client.close());
}, 120_000);

afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
});

/** Returns the index of the engine that a request is sent to. */
async function asked(body: object, path = "/v1/completions"): Promise<number> {
  const stream = client.open();
  stream.requestHeaders({ ":path": path, ":method": "POST", "content-type": "application/json" });
  stream.requestBody(JSON.stringify({ model: "m", ...body }), { endOfStream: true });
  const reply = await stream.next();
  stream.cancel();
  const address = reply.setHeaders["x-gateway-destination-endpoint"] ?? "";
  return hosts.findIndex((host) => address === `${host}:${enginePort}`);
}

interface KvEventsPage {
  readonly tokens: { readonly problem: string | null };
  readonly endpoints: ReadonlyArray<{
    readonly answers: string;
    readonly state: string;
    readonly blocks: number;
  }>;
}

const page = async (path: string) =>
  await (await fetch(`http://127.0.0.1:${picker.ports.metrics}${path}`)).text();
const debug = async (): Promise<KvEventsPage> => JSON.parse(await page("/debug/kv-events"));
const eventually = (check: () => Promise<void>) =>
  vi.waitFor(check, { timeout: 60_000, interval: 50 });

const stored = (text: string, hash: number, change: object = {}) => {
  const tokens = tokensOf(text);
  return {
    type: "BlockStored",
    block_hashes: Array.from({ length: tokens.length / 3 }, (_, at) => BigInt(hash + at)),
    parent_block_hash: null,
    token_ids: tokens,
    block_size: 3,
    medium: "GPU",
    ...change,
  };
};

it("requests are sent to the engine that reported their prompt as cached, until it reports its removal", async () => {
  const [first, second] = publishers as [KvPublisher, KvPublisher];
  first.publish([stored(words(6, "a"), 100)]);
  second.publish([
    stored(words(6, "b"), 200),
    stored(words(6, "c"), 300, { extra_keys: [["salt"], null] }),
  ]);
  await eventually(async () =>
    expect((await debug()).endpoints.map(({ answers, blocks }) => [answers, blocks])).toEqual([
      ["events", 2],
      ["events", 4],
    ]),
  );
  // Each prompt is sent there several times, which rules out chance.
  for (const round of [1, 2, 3]) {
    const rest = ` ${words(round, "x")}`;
    expect(await asked({ prompt: words(6, "a") + rest })).toBe(0);
    expect(await asked({ prompt: words(6, "b") + rest })).toBe(1);
    expect(await asked({ prompt: tokensOf(words(6, "b") + rest) })).toBe(1);
    expect(await asked({ prompt: words(6, "c") + rest, cache_salt: "salt" })).toBe(1);
  }
  expect((await debug()).tokens.problem).toBeNull();
  const metrics = await page("/metrics");
  expect(metrics).toMatch(/llm_d_epp_prefix_indexer_lookups_total\{.*source="events"\} 12/);
  expect(metrics).toMatch(/llm_d_epp_prompt_tokenizations_total\{outcome="server"\} 9/);
  expect(metrics).toMatch(/llm_d_epp_kv_event_streams\{state="live"\} 2/);
  expect(metrics).toMatch(/llm_d_epp_prefix_indexer_size\{.*precise-prefix-cache-producer.*\} 6/);

  // The other engine now has the block.
  first.publish([{ type: "BlockRemoved", block_hashes: [100n, 101n], medium: "GPU" }]);
  second.publish([stored(words(6, "a"), 400)]);
  await eventually(async () => expect(await asked({ prompt: `${words(6, "a")} y` })).toBe(1));
}, 120_000);

it("without tokens or events the cache is estimated, and every request is routed", async () => {
  tokenizes = false;
  const prompt = words(300, "q");
  const chosen = await asked({ prompt });
  expect(chosen).toBeGreaterThanOrEqual(0);
  expect((await debug()).tokens.problem).toMatch(/HTTP status 500/);
  for (const _ of [1, 2, 3]) expect(await asked({ prompt: `${prompt} z` })).toBe(chosen);
  tokenizes = true;

  await publishers[1]?.stop();
  await eventually(async () =>
    expect((await debug()).endpoints.map(({ answers, state }) => [answers, state])).toEqual([
      ["events", "live"],
      ["estimate", "down"],
    ]),
  );
  expect(await asked({ prompt: tokensOf(prompt) })).toBeGreaterThanOrEqual(0);
  expect(await page("/metrics")).toMatch(
    /llm_d_epp_prefix_indexer_lookups_total\{.*source="estimate"\}/,
  );
}, 120_000);
