import { JsonScanner, MemberNames } from "../../endpoint-picker/payload/json-scanner.ts";
import { UsageReader } from "../../endpoint-picker/payload/usage.ts";
import type { PrefillAnswer } from "./connectors/connector.ts";

export interface ReadPrefillAnswer extends PrefillAnswer {
  /** Tokens of the prompt that the prefiller had in its cache. */
  readonly cachedTokens: number;
}

const transferField = "kv_transfer_params";
const noMembers = new MemberNames([]);
const nullJson = Buffer.from("null");

/** @throws JsonError for an answer that is not a JSON object */
export function readPrefillAnswer(bytes: Buffer): ReadPrefillAnswer {
  const scanner = new JsonScanner(noMembers);
  scanner.scan(bytes, 0, bytes.length);
  const field = scanner.end().engineFields.findLast(({ name }) => name === transferField);
  const value = field && bytes.subarray(field.start, field.end);
  const usage = new UsageReader();
  usage.push(bytes);
  return {
    transfer: value === undefined || value.equals(nullJson) ? undefined : value,
    // vLLM leaves the details out where nothing was cached.
    cachedTokens: usage.usage()?.cachedTokens ?? 0,
  };
}
