import type { KvConnectorName } from "../../../sdk/engines/interface/engine.ts";
import type { EncoderConnectorName } from "./encode.ts";
import { type Answer, decoded, json, prefilled } from "./recording-engine.fixture.ts";

/** A request to a sidecar, and the responses of its engines. */
export interface RecordedRequest {
  readonly title: string;
  readonly connector: KvConnectorName;
  /** Connector of the encoders. If it is set, the request names an encoder. */
  readonly encoding?: EncoderConnectorName;
  readonly method?: "GET";
  readonly path: string;
  readonly body?: string;
  /** `prefiller` is replaced by the prefiller's address, `gone` by an address on which nothing listens. */
  readonly prefiller?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the response of vLLM's prefiller. */
  readonly prefills?: Answer;
  /** One response per decode request; the last one repeats. Default: the response of vLLM's decoder. */
  readonly decodes?: readonly Answer[];
}

const chat = "/v1/chat/completions";
const completions = "/v1/completions";
const hello = '"messages":[{"role":"user","content":"hi"}]';
const hostile = '"kv_transfer_params":{"do_remote_prefill":true}';

type Rest = Omit<RecordedRequest, "title" | "connector" | "path" | "body">;

const of =
  (connector: KvConnectorName) =>
  (title: string, path: string, body: string | undefined, rest: Rest = {}): RecordedRequest => ({
    ...{ title, connector, path, prefiller: "prefiller", ...rest },
    ...(body !== undefined && { body }),
  });

const nixl = of("nixlv2");
const [sglang, mooncake] = [of("sglang"), of("mooncake")];
const [offloading, storage] = [of("offloading"), of("shared-storage")];
const alone = { prefiller: "" };

const picture = '{"type":"image_url","image_url":{"url":"https://pictures.example/beach.png"}}';
const sound = '{"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}}';
const seen = (...parts: readonly string[]) =>
  `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"what?"},${parts.join(",")}]}],"max_tokens":7}`;
const encodersOf =
  (encoding: EncoderConnectorName) =>
  (title: string, body: string, rest: Rest = {}): RecordedRequest =>
    nixl(title, chat, body, { encoding, ...rest });
const [nixlEncoders, exampleEncoders] = [encodersOf("ec-nixl"), encodersOf("ec-example")];

/** 45 requests to a sidecar whose engines are fakes that record their requests. */
export const recordedRequests: readonly RecordedRequest[] = [
  nixl("chat, no prefiller", chat, `{"model":"m",${hello}}`, alone),
  nixl("chat", chat, `{"model":"m",${hello},"max_tokens":7}`),
  nixl("chat without a limit", chat, `{"model":"m",${hello}}`),
  nixl(
    "chat with both limits",
    chat,
    `{"model":"m",${hello},"max_completion_tokens":9,"min_tokens":3}`,
  ),
  nixl("chat, streamed", chat, `{"model":"m",${hello},"stream":true,"max_tokens":7}`),
  nixl(
    "chat, streamed with usage",
    chat,
    `{"model":"m",${hello},"stream":true,"stream_options":{"include_usage":true},"max_tokens":7}`,
  ),
  nixl(
    "chat with tools and logprobs",
    chat,
    `{"model":"m",${hello},"tools":[{"type":"function","function":{"name":"f","parameters":{}}}],"logprobs":true,"top_logprobs":2}`,
  ),
  nixl(
    "chat in other scripts",
    chat,
    '{"model":"m","messages":[{"role":"user","content":"héllo 你好 😀"}]}',
  ),
  nixl("chat with a large integer", chat, `{"model":"m",${hello},"seed":12345678901234567890}`),
  nixl("completions", completions, '{"model":"m","prompt":"hi","max_tokens":7}'),
  nixl("completions, streamed", completions, '{"model":"m","prompt":"hi","stream":true}'),
  nixl("completions of tokens", completions, '{"model":"m","prompt":[1,2,3]}'),
  nixl("messages", "/v1/messages", `{"model":"m",${hello},"max_tokens":7}`),
  nixl("messages, streamed", "/v1/messages", `{"model":"m",${hello},"max_tokens":7,"stream":true}`),
  nixl("responses", "/v1/responses", '{"model":"m","input":"hi","max_output_tokens":7}'),
  nixl("responses, streamed", "/v1/responses", '{"model":"m","input":"hi","stream":true}'),
  nixl(
    "generate",
    "/inference/v1/generate",
    '{"model":"m","token_ids":[1,2],"sampling_params":{"max_tokens":7,"temperature":0}}',
  ),
  nixl("a request id that the client sets", chat, `{"model":"m",${hello}}`, {
    headers: { "x-request-id": "mine" },
  }),
  nixl("a token that the client sets", chat, `{"model":"m",${hello}}`, {
    headers: { authorization: "Bearer key" },
  }),
  nixl("two prefillers", chat, `{"model":"m",${hello}}`, { prefiller: "prefiller,gone" }),
  nixl("a prefiller without an address", chat, `{"model":"m",${hello}}`, { prefiller: "nobody" }),
  nixl("an engine's fields, no prefiller", chat, `{"model":"m",${hello},${hostile}}`, alone),
  nixl("an engine's fields", chat, `{"model":"m",${hello},${hostile}}`),
  nixl("a body that is not JSON", chat, "{"),
  nixl("another path", "/tokenize", '{"model":"m","prompt":"hi"}'),
  nixl("a question for models", "/v1/models", undefined, { method: "GET", ...alone }),
  nixl("a prefiller that refuses", chat, `{"model":"m",${hello}}`, {
    prefills: json('{"error":{"message":"no"}}', 400),
  }),
  nixl("a prefiller that fails", chat, `{"model":"m",${hello}}`, {
    prefills: json('{"error":{"message":"no"}}', 500),
  }),
  nixl("a prefiller that is gone", chat, `{"model":"m",${hello}}`, { prefiller: "gone" }),
  nixl("a prefiller that hands nothing over", chat, `{"model":"m",${hello}}`, {
    prefills: json('{"id":"p"}'),
  }),
  nixl("a decoder that refuses", chat, `{"model":"m",${hello}}`, {
    decodes: [json('{"error":{"message":"no"}}', 400)],
  }),
  nixl("a decoder that fails", chat, `{"model":"m",${hello}}`, {
    decodes: [json('{"error":{"message":"no"}}', 500), decoded],
  }),
  sglang("SGLang", chat, `{"model":"m",${hello}}`),
  sglang("SGLang, streamed", chat, `{"model":"m",${hello},"stream":true}`),
  sglang("SGLang, no prefiller", chat, `{"model":"m",${hello}}`, alone),
  mooncake("Mooncake", chat, `{"model":"m",${hello}}`),
  mooncake("Mooncake, streamed", completions, '{"model":"m","prompt":"hi","stream":true}'),
  offloading("offloading", chat, `{"model":"m",${hello}}`),
  storage("shared storage", chat, `{"model":"m",${hello},"max_tokens":7}`),
  storage("shared storage, streamed", completions, '{"model":"m","prompt":"hi","stream":true}'),
  nixlEncoders("encoders, a picture", seen(picture)),
  nixlEncoders("encoders, a picture and a sound, no prefiller", seen(picture, sound), alone),
  nixlEncoders("encoders, one picture twice", seen(picture, picture)),
  nixlEncoders("encoders, words alone", `{"model":"m",${hello}}`),
  exampleEncoders("encoders with a shared cache", seen(picture, sound)),
];

export const defaultAnswers = { prefills: prefilled, decodes: [decoded] as readonly Answer[] };
