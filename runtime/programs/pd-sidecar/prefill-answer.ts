import { isUtf8 } from "node:buffer";
import { JsonError, JsonScanner, MemberNames } from "../../epp/payload/json-scanner.ts";
import { UsageReader } from "../../epp/payload/usage.ts";
import type { PrefillAnswer } from "./connectors/connector.ts";

export interface ReadPrefillAnswer extends PrefillAnswer {
  /** Tokens of the prompt that the prefiller had in its cache. */
  readonly cachedTokens: number;
}

const transferField = "kv_transfer_params";
const noMembers = new MemberNames([]);
const nullJson = Buffer.from("null");

/**
 * Returns the JSON of the member with an engine's transfer parameters; undefined if it is missing or null.
 *
 * @throws JsonError if the response is not a JSON object in UTF-8
 */
export function transferOf(bytes: Buffer, name: string): Buffer | undefined {
  if (!isUtf8(bytes)) throw new JsonError("it is not valid UTF-8");
  const scanner = new JsonScanner(noMembers);
  scanner.scan(bytes, 0, bytes.length);
  const field = scanner.end().engineFields.findLast((each) => each.name === name);
  const value = field && bytes.subarray(field.start, field.end);
  return value === undefined || value.equals(nullJson) ? undefined : value;
}

/** @throws JsonError if the response is not a JSON object in UTF-8 */
export function readPrefillAnswer(bytes: Buffer): ReadPrefillAnswer {
  const transfer = transferOf(bytes, transferField);
  const usage = new UsageReader();
  usage.push(bytes);
  return {
    transfer,
    // vLLM omits the details if nothing was cached.
    cachedTokens: wholeNumber(usage.usage()?.cachedTokens),
  };
}

const wholeNumber = (count: number | undefined) =>
  count !== undefined && Number.isSafeInteger(count) ? count : 0;
