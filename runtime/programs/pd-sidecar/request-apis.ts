import { type Members, RequestBody } from "./request-body.ts";

/** An API whose requests can be prefilled elsewhere. */
export interface DisaggregatedApi {
  readonly name: string;
  /** The members by which a prefiller answers after one token, whatever the client asked for. */
  oneToken(body: RequestBody): Members;
}

const limits = (...names: readonly string[]): Members =>
  Object.fromEntries(names.map((name) => [name, "1"]));

const ofTokens = limits("max_tokens", "max_completion_tokens", "min_tokens");

/** A `min_tokens` of 1 keeps an end at once from being no answer: NIXL then hands over no blocks. */
const samplingLimits = limits("max_tokens", "min_tokens");
const noParams = Buffer.from("{}");
const openBrace = 0x7b;

function samplingParams(body: RequestBody): Members {
  const given = body.value("sampling_params") ?? noParams;
  const params = given[0] === openBrace ? given : noParams;
  return { sampling_params: RequestBody.read(params).with(samplingLimits) };
}

/** By path, as llm-d-router's sidecar has them. */
const apis: ReadonlyMap<string, DisaggregatedApi> = new Map([
  ["/v1/chat/completions", { name: "chat", oneToken: () => ofTokens }],
  ["/v1/completions", { name: "completions", oneToken: () => ofTokens }],
  ["/v1/messages", { name: "messages", oneToken: () => ofTokens }],
  ["/v1/responses", { name: "responses", oneToken: () => limits("max_output_tokens") }],
  ["/inference/v1/generate", { name: "generate", oneToken: samplingParams }],
]);

/** The API of a request; undefined where its prompt is not prefilled elsewhere. */
export function disaggregatedApi(method: string, url: string): DisaggregatedApi | undefined {
  if (method !== "POST") return undefined;
  const query = url.indexOf("?");
  return apis.get(query < 0 ? url : url.slice(0, query));
}
