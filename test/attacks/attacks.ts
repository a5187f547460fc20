import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { headerBlock, openHttp2 } from "../../testing/ext-proc/http2-connection.ts";
import * as bodies from "./bodies.ts";
import { MiB } from "./bodies.ts";
import { changingObjects } from "./changing-objects.ts";
import { frameAttacks } from "./http2-frames.ts";
import { messageAttacks } from "./messages.ts";
import { flood, post } from "./senders.ts";
import type { Attack, Stage } from "./stage.ts";
import { streamAttacks } from "./streams.ts";
import { heldAttacks, pageAttacks } from "./unread.ts";

/**
 * All known attacks: `npm test` runs each for a moment, `npm run bench attacks` for longer. Numbers refer to findings
 * of the security review of this project; `M` marks messages to the picker's port, `H` connections and frames there. A
 * `+` marks another attack of the same kind.
 */
export const attacks: readonly Attack[] = [
  once("A1", "one body of 6.4 MiB, lists of one token", () => bodies.tokenLists(6.4 * MiB)),
  once("A1", "one body of 16 MiB, texts of a letter", () => bodies.texts(16 * MiB - 1)),
  once("A1", "one body of 51 MiB, lists of one token", () => bodies.tokenLists(51 * MiB)),
  once("A1+", "one body of 16 MiB, tokens", () => bodies.tokens(16 * MiB - 1)),
  once("A1+", "one body of 16 MiB, escapes in a string", () => bodies.escapes(16 * MiB - 1)),
  once("A1+", "one body of 16 MiB, empty tools", () => bodies.objects(16 * MiB - 1)),
  once("A1+", "one body of 16 MiB, members", () => bodies.members(16 * MiB - 1)),
  once("A1+", "one body of 16 MiB, a member that is read, over and over", () =>
    bodies.repeated(16 * MiB - 1),
  ),
  once("A1+", "one body of 16 MiB, nested", () => bodies.nested(16 * MiB - 1)),
  once("A1+", "one body of 16 MiB, a cache salt", () => bodies.salted(16 * MiB - 1)),
  chat("A1+", "one body of 12 MiB, parts of a message", bodies.parts),
  chat("A1+", "one body of 12 MiB, messages", bodies.messages),
  chat("A1+", "one body of 12 MiB, escapes in a message", bodies.escapesInMessage),
  chat("A1+", "one body of 12 MiB, calls of tools", bodies.toolCalls),
  once("A1+", "one body of 12 MiB, Anthropic's blocks", () => bodies.blocks(12 * MiB), {
    path: "/v1/messages",
  }),
  once("A1+", "one body of 12 MiB, items of a response", () => bodies.items(12 * MiB), {
    path: "/v1/responses",
  }),
  once("A1+", "one body of 12 MiB, inputs to embed", () => bodies.inputs(12 * MiB), {
    path: "/v1/embeddings",
  }),
  once("A1+", "one body of 16 MiB that is not JSON", () => Buffer.alloc(16 * MiB - 1, "{")),
  once("A1+", "one compressed body", () => gzipSync(bodies.texts(64 * MiB)), {
    headers: { "content-encoding": "gzip" },
  }),
  {
    finding: "A2",
    title: "bodies of 3 MiB, lists of one token, two at a time",
    run: (stage, signal) => {
      const body = bodies.tokenLists(3 * MiB);
      return flood(stage, signal, { inFlight: 2, next: () => ({ body }) });
    },
  },
  {
    finding: "A2",
    title: "bodies of 8 MiB, texts of a letter, two at a time",
    run: (stage, signal) => {
      const body = bodies.texts(8 * MiB);
      return flood(stage, signal, { inFlight: 2, next: () => ({ body }) });
    },
  },
  {
    finding: "A2+",
    title: "bodies of 15 MiB, parts of a message, 16 at a time",
    heavy: true,
    run: (stage, signal) => {
      const body = bodies.parts(15 * MiB);
      const path = "/v1/chat/completions";
      return flood(stage, signal, { inFlight: 16, next: () => ({ path, body }) });
    },
  },
  {
    finding: "A2+",
    title: "bodies of 15 MiB, a member that is read over and over, 16 at a time",
    heavy: true,
    run: (stage, signal) => {
      const body = bodies.repeated(15 * MiB);
      return flood(stage, signal, { inFlight: 16, next: () => ({ body }) });
    },
  },
  {
    finding: "O1",
    title: "bodies of 4 MiB, 60 at a time",
    heavy: true,
    run: (stage, signal) => {
      const body = bodies.texts(4 * MiB);
      return flood(stage, signal, { inFlight: 60, next: () => ({ body }) });
    },
  },
  {
    finding: "X1",
    title: "forms of 8 MiB of lines that begin like the boundary, two at a time",
    oursOnly: true,
    run: (stage, signal) => {
      const body = bodies.form(8 * MiB);
      const headers = {
        "content-type": "multipart/form-data; boundary=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxy",
      };
      const path = "/v1/audio/transcriptions";
      return flood(stage, signal, { inFlight: 2, next: () => ({ path, body, headers }) });
    },
  },
  {
    finding: "X1",
    title: "bodies of 4 MiB of text, which the picker refuses to pass on, eight at a time",
    oursOnly: true,
    run: (stage, signal) => {
      const body = Buffer.alloc(4 * MiB, "a");
      const headers = { "content-type": "text/plain" };
      return flood(stage, signal, {
        inFlight: 8,
        next: () => ({ path: "/generate", body, headers }),
      });
    },
  },
  {
    finding: "A4+",
    title: "20,000 tenants of 50 KB names from one address, as a gateway passes them on",
    flags: ["--tenant-header=x-tenant"],
    oursOnly: true,
    heavy: true,
    run: (stage, signal) => {
      const name = "t".repeat(50_000);
      return flood(stage, signal, {
        ...{ inFlight: 4, most: 20_000 },
        next: (at) => ({
          body: '{"model":"real","prompt":"a"}',
          headers: { "x-tenant": `${at}${name}` },
        }),
      });
    },
  },
  {
    finding: "A3",
    title: "model names of 5 MB, another each time",
    run: (stage, signal) =>
      flood(stage, signal, {
        inFlight: 1,
        most: 50,
        next: (at) => ({ body: bodies.filled(`{"prompt":"a","model":"${at}`, "m", '"}', 5e6) }),
      }),
  },
  {
    finding: "A3",
    title: "a model name of 1 MB, put into each of 2,000 events",
    async run(stage) {
      const body = bodies.filled('{"prompt":"a","stream":true,"model":"', "m", '"}', 1e6);
      return post(stage, {
        body,
        headers: { "x-llm-d-model-name-rewrite": "real", "x-events": "2000" },
      });
    },
  },
  {
    finding: "A3+",
    title: "a long name that the header rewrites, in 20,000 events",
    flags: ["--model-rewrite-header"],
    oursOnly: true,
    run: (stage) =>
      post(stage, {
        body: JSON.stringify({ prompt: "a", stream: true, model: "m".repeat(253) }),
        headers: { "x-llm-d-model-name-rewrite": "real", "x-events": "20000" },
      }),
  },
  {
    finding: "A4",
    title: "100 fairness ids of 50 KB, then the metrics are read",
    run: (stage, signal) => fairnessIds(stage, signal, 100),
  },
  {
    finding: "A4",
    heavy: true,
    title: "1,000 fairness ids of 50 KB, then the metrics are read",
    run: (stage, signal) => fairnessIds(stage, signal, 1_000),
  },
  {
    finding: "A5",
    title: "a body in frames of one byte that does not end",
    run: drippedBody,
  },
  {
    finding: "C2",
    title: "a pod's metrics page of 7.5 MiB, one label",
    run: (stage, signal) =>
      hostilePage(
        stage,
        signal,
        `vllm:lora_requests_info{running_lora_adapters="${"a".repeat(7.5 * MiB)}"} 1\n`,
      ),
  },
  {
    finding: "C2",
    title: "a pod's metrics page of 7.5 MiB, a list of adapters",
    run: (stage, signal) =>
      hostilePage(
        stage,
        signal,
        `vllm:lora_requests_info{running_lora_adapters="${listed(7.5 * MiB)}"} 1\n`,
      ),
  },
  {
    finding: "C2+",
    title: "a pod's metrics page of 7.5 MiB, empty lines",
    run: (stage, signal) => hostilePage(stage, signal, "\n".repeat(7.5 * MiB)),
  },
  ...streamAttacks,
  ...messageAttacks,
  ...frameAttacks,
  ...changingObjects,
  ...heldAttacks(),
  ...pageAttacks,
];

/** Posts one body, made when it is needed, and waits for the answer. */
function once(
  finding: string,
  title: string,
  body: () => Buffer,
  rest: Omit<Parameters<typeof post>[1], "body"> = {},
): Attack {
  return { finding, title, run: (stage) => post(stage, { body: body(), ...rest }) };
}

function chat(finding: string, title: string, body: (bytes: number) => Buffer): Attack {
  return once(finding, title, () => body(12 * MiB), { path: "/v1/chat/completions" });
}

async function fairnessIds(stage: Stage, signal: AbortSignal, most: number): Promise<string> {
  const id = "f".repeat(50_000);
  const told = await flood(stage, signal, {
    inFlight: 4,
    most,
    next: (at) => ({
      body: '{"model":"real","prompt":"a"}',
      headers: { "x-llm-d-inference-fairness-id": `${at}${id}` },
    }),
  });
  return `${told}; ${await readMetrics(stage)}`;
}

async function readMetrics({ ports }: Stage): Promise<string> {
  try {
    const response = await fetch(`http://127.0.0.1:${ports.metrics}/metrics`);
    let bytes = 0;
    for await (const chunk of response.body ?? []) bytes += chunk.length;
    return `a page of ${(bytes / MiB).toFixed(0)} MiB`;
  } catch (error) {
    return `no page: ${(error as Error).message}`;
  }
}

/** One byte per frame and one frame per byte: each byte costs the memory that the picker keeps for it. */
async function drippedBody({ url, ended }: Stage, signal: AbortSignal): Promise<string> {
  const { hostname, port } = new URL(url);
  const connection = await openHttp2(hostname, Number(port));
  let told: string | undefined;
  const stream = connection.open(
    headerBlock([
      [":method", "POST"],
      [":scheme", "http"],
      [":path", "/v1/completions"],
      [":authority", "gateway"],
      ["content-type", "application/json"],
    ]),
    {
      onData: () => {},
      onEnd: (failure) => {
        told = failure ?? "an answer";
      },
    },
  );
  const byte = Buffer.from(" ");
  let sent = 0;
  while (!signal.aborted && told === undefined && ended() === undefined && sent < 2_000_000) {
    for (let at = 0; at < 2_000; at += 1) stream.write(byte);
    sent += 2_000;
    await sleep(1);
  }
  connection.close();
  return told ?? `${sent} bytes taken`;
}

const listed = (bytes: number) => "a123,".repeat(bytes / 5);

/** A pod serves a page until the attack is over. */
async function hostilePage({ pods }: Stage, signal: AbortSignal, page: string): Promise<string> {
  await fetch(`http://${pods[0]}/metrics`, { method: "PUT", body: page });
  while (!signal.aborted) await sleep(50);
  return "read";
}
