import { isDeepStrictEqual } from "node:util";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { readingOf } from "../../runtime/epp/payload/parse.ts";
import type { Payload } from "../../runtime/epp/payload/payload.ts";
import { ModelRestorer } from "../../runtime/epp/payload/restore.ts";
import { changedBody } from "../../runtime/epp/payload/splice.ts";
import { UsageReader } from "../../runtime/epp/payload/usage.ts";
import { promptTokens } from "../../scheduling/requests/prompt-tokens.ts";
import { parserPaths } from "../../sdk/routing/api-paths.ts";
import { inPieces, spoiled, spoiledObject } from "./arbitraries.ts";
import { refused, target } from "./target.ts";

/** Bodies of requests and responses, whatever content type they declare. */

const messages = [
  { role: "system", content: "be brief" },
  {
    role: "user",
    content: [
      { type: "text", text: "hi" },
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
      { type: "tool_use", input: { a: 1 } },
    ],
  },
  { role: "assistant", tool_calls: [{ function: { name: "f", arguments: "{}" } }] },
];
const engineFields = {
  kv_transfer_params: { do_remote_prefill: true },
  bootstrap_room: [1],
  cache_hit_threshold: 0.5,
};
const requests = fc.constantFrom<object[]>(
  { model: "m", prompt: "hello", stream: true, cache_salt: "s" },
  { model: "m", prompt: [[1, 2], [3]] },
  { model: "m", messages, tools: [{ type: "function", function: { name: "f" } }] },
  { model: "m", max_tokens: 1, system: "be brief", messages },
  { model: "m", input: [{ role: "user", content: "hi" }], instructions: "be brief" },
  { model: "m", input: ["a", "b"] },
  { model: "m", token_ids: [1, 2, 3], sampling_params: { extra_args: engineFields } },
  { model: "m", prompt: "hi", ...engineFields, vllm_xargs: engineFields },
);

export const bodyText = fc.oneof(
  fc.json({ maxDepth: 4 }),
  spoiledObject(requests).map((value) => JSON.stringify(value) ?? ""),
  fc.string(),
  fc.constantFrom(
    '{"model":"m"',
    "[".repeat(2_000),
    '{"model":"m","model":"n"}',
    '{"model":"\\ud800"}',
  ),
);

export const contentType = fc.constantFrom(
  "application/json",
  "application/json; charset=utf-16",
  "text/event-stream",
  "multipart/form-data; boundary=x",
  "application/x-www-form-urlencoded",
  "application/octet-stream",
  "application/x-msgpack",
  "",
);

export const path = fc.constantFrom(
  "/v1/completions",
  "/v1/chat/completions",
  "/v1/messages",
  "/v1/messages/count_tokens",
  "/v1/responses",
  "/v1/conversations",
  "/v1/embeddings",
  "/v1/images/generations",
  "/inference/v1/generate",
  "/v1/models",
  "//",
  "",
);

const body = fc.oneof(
  bodyText.map((text) => Buffer.from(text)),
  spoiled(bodyText.map((text) => Buffer.from(text))),
  bodyText.map((text) => Buffer.from(text, "utf16le")),
  bodyText.map((text) => gzipSync(text)),
  fc
    .tuple(fc.string(), bodyText)
    .map(([name, text]) =>
      Buffer.from(`--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n--x--`),
    ),
);

const parsers = Object.keys(parserPaths);

interface Inbound {
  readonly at: string | undefined;
  readonly type: string;
  readonly pieces: readonly Buffer[];
}

function read({ at, type, pieces }: Inbound, asItComes: boolean): Payload {
  const headers = new Map([["content-type", type]]);
  const reading = readingOf({ path: at, headers }, parsers);
  const whole = Buffer.concat(pieces);
  let length = 0;
  for (const piece of pieces) {
    length += piece.length;
    if (asItComes) reading.reader?.push(whole.subarray(0, length), 100);
  }
  return reading.payload(whole);
}

const said = ({ parser, model, streaming, cacheSalt, prompts, tokensBeyond }: Payload) => ({
  ...{ parser, model, streaming, cacheSalt, prompts, tokensBeyond },
});

const isJson = (bytes: Buffer): boolean => {
  try {
    JSON.parse(bytes.toString());
    return true;
  } catch {
    return false;
  }
};

/** A stripped body is JSON, has no engine fields at the levels where engines read them, and is otherwise unchanged. */
function assertStripped(whole: Payload): void {
  if (whole.modelSpans === undefined) return;
  const left = changedBody(whole, { withoutEngineFields: true }).toString();
  const sent: unknown = JSON.parse(whole.body.toString());
  if (!isDeepStrictEqual(JSON.parse(left), withoutEngineFields(sent)))
    throw new Error(`a body without fields of engines is ${left}`);
}

const holders = ["vllm_xargs", "sampling_params", "extra_args", "extra_body"];

function withoutEngineFields(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const left = Object.entries(value)
    .filter(([name]) => !(name in engineFields) && !name.startsWith("bootstrap_"))
    .map(([name, member]) => [name, holders.includes(name) ? withoutEngineFields(member) : member]);
  return Object.fromEntries(left);
}

const event = fc
  .tuple(bodyText, fc.constantFrom("data: ", "event: x\ndata: ", ": ", ""))
  .map(([text, prefix]) => `${prefix}${text}\n\n`);
const answer = fc.oneof(
  bodyText,
  fc.array(event, { maxLength: 5 }).map((events) => events.join("")),
  fc.constant('{"model":"m","usage":{"prompt_tokens":3,"completion_tokens":1e9},"x":"model"}'),
);

export const bodyTargets = [
  target(
    "bodies of requests, of all content types",
    fc.record({
      at: fc.option(path, { nil: undefined }),
      type: contentType,
      pieces: inPieces(body),
    }),
    (inbound) => {
      const whole = refused(() => read(inbound, false));
      const pieces = refused(() => read(inbound, true));
      if (whole === undefined || pieces === undefined) {
        if (whole !== pieces) throw new Error("what is read depends on how it came");
        return;
      }
      if (!isDeepStrictEqual(said(whole), said(pieces)))
        throw new Error("what is read depends on how it came");
      promptTokens({ payload: whole } as never);
      const renamed = changedBody(whole, { model: 'a "name"' });
      if (whole.isForm === true) {
        const again = read({ ...inbound, pieces: [renamed] }, false);
        if (again.isForm !== true || (whole.model !== undefined && again.model !== 'a "name"'))
          throw new Error("a form with another model is not one");
        return;
      }
      if (whole.modelSpans !== undefined && !isJson(renamed))
        throw new Error("a body with another model is not JSON");
      assertStripped(whole);
    },
  ),
  target(
    "bodies of responses, of all content types",
    fc.record({ pieces: inPieces(spoiled(answer.map(Buffer.from))), sse: fc.boolean() }),
    ({ pieces, sse }) => {
      const read = (parts: readonly Buffer[]) => {
        const usage = new UsageReader();
        for (const part of parts) usage.push(part);
        return usage.usage();
      };
      const restore = (parts: readonly Buffer[]) => {
        const restorer = new ModelRestorer({ from: "m", to: 'client "m"', sse });
        return Buffer.concat([
          ...parts.map((part) => restorer.push(part, false)),
          restorer.push(Buffer.alloc(0), true),
        ]);
      };
      const whole = [Buffer.concat(pieces)];
      if (!isDeepStrictEqual(read(pieces), read(whole)))
        throw new Error("the usage depends on how the answer came");
      if (!restore(pieces).equals(restore(whole)))
        throw new Error("the answer depends on how it came");
    },
  ),
];
