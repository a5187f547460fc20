import { z } from "zod";
import { parseDuration } from "../../../kubernetes/values/duration.ts";
import type { DataPlugin } from "./data-plugin.ts";

/** Time for which a request waits for its tokens, in ms. After that they are estimated. */
const defaultTimeoutMs = 300;

const vllm = z.looseObject({
  url: z
    .string()
    .default("")
    .describe("Server that tokenizes. Default: the pool's endpoints in turn."),
  timeout: z
    .string()
    .default("")
    .refine((text) => text === "" || parseDuration(text) !== undefined, {
      message: "must be a duration such as 300ms",
    })
    .describe("How long a request waits for its tokens. Default 300ms."),
});

/** Parameters of token-producer (llm-d-router, dataproducer/tokenizer). */
export const tokenProducerParameters = z.looseObject({
  estimate: z
    .looseObject({})
    .optional()
    .describe("Estimates tokens from the length of the text, and therefore every cache."),
  vllm: vllm.optional().describe("How the picker gets tokens."),
});

export type TokenProducerParameters = z.infer<typeof tokenProducerParameters>;

export const tokenProducer = {
  type: "token-producer",
  summary: "Gets a prompt's tokens from model servers if precise-prefix-cache-producer needs them.",
  parameters: tokenProducerParameters,
} satisfies DataPlugin;

/** The servers that tokenize prompts. */
export interface TokenSource {
  /** Undefined for the pool's endpoints in turn. */
  readonly url: string | undefined;
  readonly timeoutMs: number;
}

/** Returns undefined if tokens are estimated. */
export function tokenSourceOf({
  estimate,
  vllm,
}: TokenProducerParameters): TokenSource | undefined {
  if (estimate !== undefined && vllm === undefined) return undefined;
  const url = vllm?.url || undefined;
  return { url, timeoutMs: parseDuration(vllm?.timeout ?? "") ?? defaultTimeoutMs };
}
