import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { run } from "../sample.fixture.ts";

/** The command against a fake gateway with scripted responses; no cluster is involved. */

const stops: Array<() => void> = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

interface Given {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

async function gateway(given: Given = {}): Promise<{ url: string; seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    seen.push(request);
    const { status = 200, headers = {}, body = chat("Hi.") } = given;
    const models = request.method === "GET" && status === 200;
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(models ? '{"data":[{"id":"qwen"}]}' : body);
  };
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  stops.push(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, seen };
}

const chat = (content: string) =>
  JSON.stringify({
    choices: [{ message: { content }, finish_reason: "stop" }],
    usage: { prompt_tokens: 4, completion_tokens: 2 },
  });

const request = (url: string, ...args: string[]) =>
  run(["request", "qwen", "Hello", "--url", url, ...args]);

describe("a response", () => {
  it("is on stdout, and its details are on stderr", async () => {
    const { url, seen } = await gateway();
    const { code, out, err } = await request(url, "-H", "Authorization: Bearer secret");
    expect({ code, out }).toEqual({ code: 0, out: "Hi.\n" });
    expect(err.replace(/\d+\.\d+ s/, "1 s").replace(url, "URL")).toBe(
      [
        "MODEL   qwen",
        "URL     URL (--url)",
        "POD     unknown: the gateway does not send responses to the picker, or another picker runs",
        `ID      ${seen[1]?.headers["x-request-id"]}`,
        "TIME    total 1 s",
        "TOKENS  4 in, 2 out",
        "",
      ].join("\n"),
    );
    expect(seen.map(({ method, url: path }) => `${method} ${path}`)).toEqual([
      "GET /v1/models",
      "POST /v1/chat/completions",
    ]);
    expect(seen[1]?.headers).toMatchObject({
      authorization: "Bearer secret",
      "x-gateway-destination-endpoint-served": "?",
    });
  });

  it("contains the id that explain takes: the id of the gateway, else the id of the client, else a new id", async () => {
    const idOf = async (given: Given, ...args: string[]) => {
      const { url } = await gateway(given);
      return JSON.parse((await request(url, "--format", "json", ...args)).out).requestId;
    };
    expect(await idOf({ headers: { "x-request-id": "by-gateway" } })).toBe("by-gateway");
    expect(await idOf({}, "-H", "X-Request-Id: mine")).toBe("mine");
    expect(await idOf({})).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("has no control characters on a terminal, but keeps them in a pipe", async () => {
    const { url } = await gateway({ body: chat("a\u001b[31mb\u0007\u009b2J\u007f\r\n\tc\u00e9") });
    const args = ["request", "qwen", "Hello", "--url", url, "--model", "qwen"];
    expect((await run(args, "", true)).out).toBe("a[31mb2J\n\tc\u00e9\n");
    expect((await run(args)).out).toBe("a\u001b[31mb\u0007\u009b2J\u007f\r\n\tc\u00e9\n");
  });

  it("is written in pieces as a stream", async () => {
    const events = [
      '{"choices":[{"delta":{"content":"H"}}]}',
      '{"choices":[{"delta":{"content":"i"}}]}',
      "[DONE]",
    ];
    const { url } = await gateway({
      headers: { "content-type": "text/event-stream" },
      body: events.map((event) => `data: ${event}\n\n`).join(""),
    });
    const { out, err } = await request(url, "--stream", "--model", "qwen");
    expect(out).toBe("Hi\n");
    expect(err).toMatch(/TIME +first token \d\.\d+ s, total \d\.\d+ s\n/);
  });
});

describe("a request without a result ends with 1, the reason and a fix in one line", () => {
  const reason = "x-llm-d-request-dropped-reason";
  it.each([
    [{ status: 401, body: "" }, /: 401; the gateway requires credentials; .*--header/],
    [
      { status: 404, body: "" },
      /: 404; no route of the gateway matches the request: kubectl describe httproute/,
    ],
    [
      { status: 404, body: '{"error":{"message":"no such model"}}' },
      /: 404: no such model; npx pulumi-inference explain "qwen" --pool qwen-pool -n default/,
    ],
    [
      { status: 429, headers: { [reason]: "rejected-saturated" }, body: "inference error" },
      /: 429 \(rejected-saturated\): inference error; the pool is full/,
    ],
    [
      { status: 503, headers: { [reason]: "rejected-no-endpoints" }, body: "" },
      /: 503 \(rejected-no-endpoints\); no model server is ready: npx pulumi-inference status qwen -n default/,
    ],
    [
      { status: 503, body: "no healthy\nupstream" },
      /: 503: no healthy upstream; the gateway reached no picker/,
    ],
    [{ status: 418, body: "" }, /: 418; see what was sent/],
    [{ body: "<html>" }, /the response ended early or is not of the OpenAI API/],
  ])("%j", async (given, line) => {
    const { url } = await gateway(given);
    const { code, out, err } = await request(url, "--model", "qwen", "-n", "default");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(line);
    expect(err.trim().split("\n")).toHaveLength(1);
  });

  it("an address without a listener ends with 1, the reason and a fix in one line", async () => {
    const { code, err } = await request("http://127.0.0.1:1/v1");
    expect(code).toBe(1);
    expect(err).toMatch(/^http:\/\/127.0.0.1:1\/v1 \(--url\): connection refused; .*\n$/);
  });
});

describe("misuse ends with 2", () => {
  it.each([
    [["--url", "nonsense"], /--url "nonsense": write a URL/],
    [["--url", "http://127.0.0.1:1/v1", "-H", "nonsense"], /is not a header; write 'Name: value'/],
    [["--url", "http://127.0.0.1:1/v1", "--max-tokens", "none"], /is not a whole number/],
  ])("%j", async (args, message) => {
    const { code, err } = await run(["request", "qwen", "Hello", ...args]);
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });
});
