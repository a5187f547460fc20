import { type Members, RequestBody } from "./request-body.ts";

/** An API whose prompts a prefiller can compute. */
export interface DisaggregatedApi {
  readonly name: string;
  /** Returns the members that limit the prefiller to one token, whatever limits the client set. */
  oneToken(body: RequestBody): Members;
}

const limits = (...names: readonly string[]): Members =>
  Object.fromEntries(names.map((name) => [name, "1"]));

const ofTokens = limits("max_tokens", "max_completion_tokens", "min_tokens");

/** With `min_tokens: 1`, the response is not empty if the first token ends it: NIXL would then transfer no blocks. */
const samplingLimits = limits("max_tokens", "min_tokens");
const noParams = Buffer.from("{}");
const openBrace = 0x7b;

function samplingParams(body: RequestBody): Members {
  const given = body.value("sampling_params") ?? noParams;
  const params = given[0] === openBrace ? given : noParams;
  return { sampling_params: RequestBody.read(params).with(samplingLimits) };
}

/** APIs by path, as in llm-d-router's sidecar. */
const apis: ReadonlyMap<string, DisaggregatedApi> = new Map([
  ["/v1/chat/completions", { name: "chat", oneToken: () => ofTokens }],
  ["/v1/completions", { name: "completions", oneToken: () => ofTokens }],
  ["/v1/messages", { name: "messages", oneToken: () => ofTokens }],
  ["/v1/responses", { name: "responses", oneToken: () => limits("max_output_tokens") }],
  ["/inference/v1/generate", { name: "generate", oneToken: samplingParams }],
]);

/** Returns the API of a request; undefined if a prefiller cannot compute its prompt. */
export function disaggregatedApi(method: string, url: string): DisaggregatedApi | undefined {
  if (method !== "POST") return undefined;
  const query = url.indexOf("?");
  return apis.get(query < 0 ? url : url.slice(0, query));
}
