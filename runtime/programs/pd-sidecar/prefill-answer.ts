import {
  type JsonMember,
  JsonScanner,
  MemberNames,
} from "../../endpoint-picker/payload/json-scanner.ts";
import { UsageReader } from "../../endpoint-picker/payload/usage.ts";
import type { PrefillAnswer } from "./connectors/connector.ts";

const read = new MemberNames(["kv_transfer_params"]);

export interface ReadPrefillAnswer extends PrefillAnswer {
  /** Tokens of the prompt that the prefiller had in its cache. */
  readonly cachedTokens: number;
}

/** @throws JsonError where the answer is no JSON object */
export function readPrefillAnswer(bytes: Buffer): ReadPrefillAnswer {
  const scanner = new JsonScanner(read);
  scanner.scan(bytes, 0, bytes.length);
  const member: JsonMember | undefined = scanner.end().at(-1);
  const value = member && bytes.subarray(member.start, member.end);
  const usage = new UsageReader();
  usage.push(bytes);
  return {
    transfer: value === undefined || value.equals(nullJson) ? undefined : value,
    // vLLM leaves the details out where nothing was cached.
    cachedTokens: usage.usage()?.cachedTokens ?? 0,
  };
}

const nullJson = Buffer.from("null");
