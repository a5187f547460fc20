import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connectExtProc, type ExtProcClient } from "../../testing/ext-proc/client.ts";
import { type PickerProcess, startPicker } from "../../testing/pods/picker-process.ts";

/**
 * B5: a team in a namespace that a shared pool admits, against everybody else. The picker is the real one, with the
 * objects as an API server would return them.
 */

const base = "meta-llama/Llama-2-7b-hf";

/** A model server that is full: only requests that may not be refused are sent to it. */
const full = createServer((_, response) =>
  response.end("vllm:num_requests_waiting 1000\nvllm:kv_cache_usage_perc 1\n"),
);
const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-teams-"));
const pickers: PickerProcess[] = [];
const clients: ExtProcClient[] = [];
let port: number;

beforeAll(async () => {
  full.listen(0, "127.0.0.1");
  await once(full, "listening");
  port = (full.address() as AddressInfo).port;
});
afterAll(async () => {
  for (const client of clients) client.close();
  await Promise.all(pickers.map((picker) => picker.stop()));
  full.close();
  rmSync(folder, { recursive: true });
});

const poolWith = (annotations: object) => ({
  apiVersion: "inference.networking.k8s.io/v1",
  kind: "InferencePool",
  metadata: { name: "pool", namespace: "platform", annotations },
  spec: { selector: { matchLabels: { app: "m" } }, targetPorts: [{ number: port }] },
});
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "platform", labels: { app: "m" } },
  status: { podIP: "127.0.0.1" },
};
const important = {
  apiVersion: "inference.networking.x-k8s.io/v1alpha2",
  kind: "InferenceObjective",
  metadata: { name: "important", namespace: "platform" },
  spec: { poolRef: { name: "pool" }, priority: 10 },
};
const registering = (namespace: string, models: object[]) => ({
  apiVersion: "inference.x-k8s.io/v1alpha1",
  kind: "LLMService",
  metadata: { name: "s", namespace, creationTimestamp: "2026-01-01T00:00:00Z" },
  spec: { models, poolRef: [{ name: "pool", namespace: "platform" }] },
});

const open = { "pulumi-inference/allowed-namespaces": "team-a" };
const reserved = { ...open, "pulumi-inference/reserved-models": JSON.stringify([base]) };
const granted = {
  ...open,
  "pulumi-inference/allowed-models": JSON.stringify({ "team-a": ["team-a-*"] }),
};

/** Returns the picker's answers by requested model: the model sent on, or the status. */
async function asks(objects: readonly object[]): Promise<(model: string) => Promise<string>> {
  const file = join(folder, `${pickers.length}.yaml`);
  writeFileSync(file, objects.map((each) => `${JSON.stringify(each)}\n`).join("---\n"));
  const picker = await startPicker({
    args: [
      "--secure-serving=false",
      `--file-source=${file}`,
      "--pool-name=pool",
      "--pool-namespace=platform",
    ],
  });
  pickers.push(picker);
  const client = connectExtProc(`127.0.0.1:${picker.ports.grpc}`);
  clients.push(client);
  // A load counts once it was read.
  await sleep(500);
  return async (model) => {
    const stream = client.open();
    stream.requestHeaders({
      ":method": "POST",
      ":path": "/v1/completions",
      "x-llm-d-inference-objective": "important",
    });
    stream.requestBody(JSON.stringify({ model, prompt: "hello" }), { endOfStream: true });
    const replies = await stream.take(1);
    const immediate = replies[0]?.immediate;
    if (immediate !== undefined) {
      stream.cancel();
      return String(immediate.status);
    }
    replies.push(await stream.next());
    stream.cancel();
    const body = Buffer.concat(replies.flatMap((reply) => reply.body?.bytes ?? []));
    return body.length === 0 ? model : (JSON.parse(body.toString()) as { model: string }).model;
  };
}

it("B5: a registration makes only requests for its own models sheddable", async () => {
  const ask = await asks([
    poolWith(granted),
    pod,
    important,
    registering("team-a", [{ name: "team-a-chat" }]),
  ]);
  expect(await ask(base)).toBe(base);
  // Waits until the picker has read how full the model server is.
  await expect.poll(() => ask("team-a-chat"), { timeout: 20_000 }).toBe("429");
});

it.each([
  ["reserves it", reserved],
  ["lists what the team may register", granted],
  ["sets nothing and names need not be registered", open],
])(
  "B5: a team can neither take nor close the base model's name if its owner %s",
  async (_, annotations) => {
    const [taking, closing] = await Promise.all(
      [[{ name: "team-a-lora" }], [{ name: "any", weight: 0 }]].map((targetModels) =>
        asks([
          poolWith(annotations),
          pod,
          important,
          registering("team-a", [{ name: base, targetModels }]),
        ]),
      ),
    );
    expect(await taking?.(base)).toBe(base);
    expect(await closing?.(base)).toBe(base);
  },
);

it("B5: the pool's namespace gets a model name even if a team registered it earlier", async () => {
  const late = registering("platform", [{ name: base, objective: {} }]);
  late.metadata.creationTimestamp = "2026-02-01T00:00:00Z";
  const ask = await asks([
    poolWith({ ...open, "pulumi-inference/registration": "required" }),
    pod,
    registering("team-a", [{ name: base, targetModels: [{ name: "team-a-lora" }] }]),
    late,
  ]);
  expect(await ask(base)).toBe(base);
});
