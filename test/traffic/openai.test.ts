import OpenAI from "openai";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { findEnvoy } from "../../testing/envoy/install.ts";
import {
  objectiveOf,
  rewriteOf,
  startTraffic,
  type TrafficOptions,
  type TrafficStack,
} from "./stack.ts";

/** OpenAI's client through a real Envoy, each request picked by the runtime, served by simulated servers. */

beforeAll(async () => {
  await findEnvoy();
}, 300_000);

const messages = (text: string) => [{ role: "user" as const, content: text }];
const chat = { model: "base", max_tokens: 3 };
const served = (stack: TrafficStack) => stack.servers.map((server) => server.served.length);

describe("requests of every kind", () => {
  let stack: TrafficStack;
  beforeAll(async () => {
    const servers = [1, 2, 3].map(() => ({ adapters: ["adapter"] }));
    const objects = [rewriteOf("alias", "adapter"), objectiveOf("shed", -1)];
    stack = await startTraffic({ servers, objects });
  });
  afterAll(() => stack.stop());

  it("chat", async () => {
    const answer = await stack.client.chat.completions.create({
      ...chat,
      messages: messages("hi"),
    });
    expect(answer.choices[0]?.message.content).toBe("the quick brown ");
    expect(answer.usage?.completion_tokens).toBe(3);
  });

  it("a stream", async () => {
    const stream = await stack.client.chat.completions.create({
      ...chat,
      messages: messages("hi"),
      stream: true,
    });
    const words: string[] = [];
    for await (const { choices } of stream) words.push(choices[0]?.delta.content ?? "");
    expect(words.join("")).toBe("the quick brown ");
  });

  it("completions and responses", async () => {
    const { client } = stack;
    const completion = await client.completions.create({ ...chat, prompt: "hi" });
    expect(completion.choices[0]?.text).toBe("the quick brown ");
    const response = await client.responses.create({
      model: "base",
      input: "hi",
      max_output_tokens: 2,
    });
    expect(response.output_text).toBe("the quick ");
  });

  it("a list of models, which has no body", async () => {
    expect((await stack.client.models.list()).data.map(({ id }) => id)).toEqual([
      "base",
      "adapter",
    ]);
  });

  it("a prompt of 300 KB arrives as it was sent", async () => {
    const prompt = "ü".repeat(150_000);
    await stack.client.completions.create({ ...chat, prompt });
    const bodies = stack.servers.flatMap((server) => server.served.map(({ body }) => body));
    expect(bodies.some((body) => body === JSON.stringify({ ...chat, prompt }))).toBe(true);
  });

  it("a rewritten model: the server sees the target's name, and the client sees the name that it sent", async () => {
    const { client, servers } = stack;
    const answer = await client.chat.completions.create({
      ...chat,
      model: "alias",
      messages: messages("hi"),
    });
    expect(answer.model).toBe("alias");
    expect(servers.flatMap((server) => server.served.map(({ model }) => model))).toContain(
      "adapter",
    );
    const stream = await client.chat.completions.create({
      ...chat,
      model: "alias",
      messages: messages("hi"),
      stream: true,
    });
    const names = new Set<string>();
    for await (const { model } of stream) names.add(model);
    expect([...names]).toEqual(["alias"]);
  });

  it("a conversation stays on the pod that caches its prefix", async () => {
    const prompt = "Once upon a time. ".repeat(1_100);
    const pods = new Set<string | null>();
    const state = `http://127.0.0.1:${stack.picker.ports.metrics}/debug/state`;
    // A turn counts at its pod until metrics report its end. Without other requests, a few counted turns outweigh a
    // cached copy.
    const ended = () =>
      expect
        .poll(async () => (await fetch(state)).text(), { timeout: 20_000 })
        .not.toMatch(/"runningTokens":\s*[1-9]/);
    for (let turn = 0; turn < 6; turn += 1) {
      const response = await stack.client.completions
        .create({ ...chat, prompt: prompt + "And then. ".repeat(turn) })
        .asResponse();
      pods.add(response.headers.get("x-inference-pod"));
      await response.text();
      await ended();
    }
    expect(pods.size).toBe(1);
  });

  it.each([
    ["JSON that is cut", '{"model":"base"', 400, "inference error: BadRequest - "],
    [
      "no model",
      '{"prompt":"x"}',
      400,
      "inference error: BadRequest - model not found in request body",
    ],
    ["no prompt", '{"model":"base"}', 400, "inference error: BadRequest - "],
  ])("a refusal: %s", async (_, body, status, text) => {
    const response = await fetch(`${stack.envoy.url}/v1/completions`, { method: "POST", body });
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(text);
  });

  it("an error of the server reaches the client", async () => {
    await expect(
      stack.client.completions.create({ ...chat, model: "none", prompt: "x" }),
    ).rejects.toMatchObject({ status: 404 });
  });

  it("an answer that breaks off ends the client's stream, and the next request is served", async () => {
    for (const server of stack.servers) server.breakNext = true;
    const broken = async () => {
      const stream = await stack.client.completions.create({
        ...chat,
        max_tokens: 20,
        prompt: "x",
        stream: true,
      });
      for await (const _ of stream);
    };
    await expect(broken()).rejects.toThrow();
    for (const server of stack.servers) server.breakNext = false;
    await stack.client.completions.create({ ...chat, prompt: "x" });
  });

  it("a request of a client that disconnects is no longer counted as running", async () => {
    const abort = new AbortController();
    const stream = await stack.client.completions.create(
      { ...chat, max_tokens: 100_000, prompt: "x", stream: true },
      { signal: abort.signal },
    );
    for await (const _ of stream) abort.abort();
    const running = async () => {
      const page = await fetch(`http://127.0.0.1:${stack.picker.ports.metrics}/metrics`);
      return [...(await page.text()).matchAll(/^llm_d_epp_inflight_requests\{.*\} (\d+)$/gm)].map(
        ([, n]) => Number(n),
      );
    };
    await expect.poll(running).toEqual([0, 0, 0]);
  });
});

describe("other gateways and pools", () => {
  let stack: TrafficStack | undefined;
  afterEach(async () => {
    await stack?.stop();
    stack = undefined;
  });
  const start = async (options: TrafficOptions) => {
    stack = await startTraffic(options);
    return stack;
  };
  const rewrites = { objects: [rewriteOf("alias", "base")] };
  const ask = ({ client }: TrafficStack, model = "alias") =>
    client.chat.completions.create({ ...chat, model, messages: messages("hi") });

  it("BUFFERED bodies are rewritten and restored", async () => {
    const { servers } = await start({ ...rewrites, gateway: { bodyMode: "BUFFERED" } });
    expect((await ask(stack as TrafficStack)).model).toBe("alias");
    expect(servers.flatMap((server) => server.served.map(({ model }) => model))).toEqual(["base"]);
  });

  it("STREAMED bodies reach the server, with the endpoint chosen from the headers", async () => {
    await start({ gateway: { bodyMode: "STREAMED" } });
    expect((await ask(stack as TrafficStack, "base")).model).toBe("base");
  });

  it("bodies reach the server if the gateway does not send them to the picker", async () => {
    await start({ gateway: { bodyMode: "NONE" } });
    expect((await ask(stack as TrafficStack, "base")).model).toBe("base");
  });

  it("responses reach the client if the gateway does not send them to the picker", async () => {
    const { picker } = await start({ gateway: { responsePhase: false } });
    await ask(stack as TrafficStack, "base");
    const page = async () =>
      (await fetch(`http://127.0.0.1:${picker.ports.metrics}/metrics`)).text();
    // A request counts for half a second, in which it is on its way.
    const none = /llm_d_epp_inflight_requests\{endpoint_name="pod-0-rank-0".*\} 0/;
    await expect.poll(page, { timeout: 5_000 }).toMatch(none);
  });

  it("a pool without pods returns 503, and serves once it has a pod", async () => {
    const { servers, client, use } = await start({});
    await use([]);
    await expect(client.models.list()).rejects.toMatchObject({ status: 503 });
    await expect(ask(stack as TrafficStack, "base")).rejects.toMatchObject({ status: 503 });
    const [server] = servers;
    const pod = {
      kind: "Pod",
      metadata: { name: "late", labels: { app: "model" } },
      status: { podIP: server?.ip },
    };
    await use([pod]);
    expect((await ask(stack as TrafficStack, "base")).model).toBe("base");
  });

  it("a full pool sheds sheddable requests", async () => {
    const servers = [{ maxSequences: 1, stepMs: 50 }];
    const { client } = await start({ servers, objects: [objectiveOf("shed", -1)] });
    const abort = new AbortController();
    const load = Array.from({ length: 12 }, () =>
      client.completions
        .create({ ...chat, max_tokens: 1000, prompt: "x" }, { signal: abort.signal })
        .catch(() => {}),
    );
    const headers = { "x-llm-d-inference-objective": "shed" };
    const shed = () =>
      client.completions
        .create(
          { ...chat, max_tokens: 1, prompt: "x" },
          { headers, signal: AbortSignal.timeout(2_000) },
        )
        .then(
          () => "served",
          (error: unknown) => (error instanceof OpenAI.APIError ? error.status : "waiting"),
        );
    await expect.poll(shed, { timeout: 10_000 }).toBe(429);
    abort.abort();
    await Promise.all(load);
  });

  it("a proxy that knows the pods reports the serving pod and uses only its subset", async () => {
    const known = await start({ knownPods: true, pickerArgs: ["--conformance-headers"] });
    const headers = { "test-epp-endpoint-selection": known.servers[1]?.ip ?? "" };
    const response = await known.client.completions
      .create({ ...chat, prompt: "x" }, { headers })
      .asResponse();
    expect(response.headers.get("x-inference-pod")).toBe("pod-1");
    expect(served(known)).toEqual([0, 1]);
  });
});
