import type { JsonObject } from "../../epp/payload/json-body.ts";
import { isObject } from "../../epp/payload/json-body.ts";
import { JsonError } from "../../epp/payload/json-scanner.ts";
import { discard } from "./discard.ts";
import { type EngineRequest, Leg } from "./engine.ts";
import { transferOf } from "./prefill-answer.ts";
import type { Members, RequestBody } from "./request-body.ts";
import type { Sidecar } from "./sidecar.ts";
import { askStage, type StageResult } from "./stage-request.ts";
import type { Target } from "./targets.ts";

/**
 * Connectors that transfer the output of encoders. With `ec-nixl`, the encoder's response contains its location; with
 * `ec-example`, the encoder writes it to storage that all engines share.
 */
export const encoderConnectorNames = ["ec-example", "ec-nixl"] as const;
export type EncoderConnectorName = (typeof encoderConnectorNames)[number];

export interface EncodeRequest {
  readonly body: RequestBody;
  readonly parts: readonly JsonObject[];
  readonly encoders: readonly Target[];
  /** Creates the request to an encoder; `at` is the index of the part. */
  readonly requestOf: (encoder: Target, body: Buffer, at: number) => EngineRequest;
  /** Receives the leg of each part, which is cancelled with the client's request. */
  readonly onLeg: (leg: Leg) => void;
}

/** Concurrent encode requests per client request. */
const atOnce = 16;

/**
 * Encodes each part, with the encoders in turn. Returns the members for the prefiller and the decoder. The first
 * failure cancels the remaining parts.
 */
export async function encode(
  sidecar: Sidecar,
  asked: EncodeRequest,
): Promise<StageResult<Members>> {
  const legs = asked.parts.map(() => new Leg());
  const found: Array<Buffer | undefined> = [];
  const queue = asked.parts.entries();
  let ended: Exclude<StageResult<unknown>, { kind: "done" }> | undefined;
  const work = async () => {
    for (const [at, part] of queue) {
      if (ended !== undefined) return;
      const leg = legs[at] as Leg;
      const result = await encodePart(sidecar, asked, { at, part, leg });
      if (result.kind === "done") found[at] = result.answer;
      else if (ended === undefined) {
        ended = result;
        for (const other of legs) if (other !== leg) other.cancel();
      } else if (result.message !== undefined) discard(result.message);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, asked.parts.length) }, work));
  return ended ?? { kind: "done", answer: merged(found) };
}

async function encodePart(
  { encoders: engines, encoderConnector, prefillTimeoutMs: timeoutMs, metrics }: Sidecar,
  { body, encoders, requestOf, onLeg }: EncodeRequest,
  { at, part, leg }: { readonly at: number; readonly part: JsonObject; readonly leg: Leg },
): Promise<StageResult<Buffer | undefined>> {
  onLeg(leg);
  const bytes = alone(body, part);
  const since = performance.now();
  const result = await askStage<Buffer | undefined>(metrics, {
    ...{ stage: "encode", engines, body: bytes, leg, timeoutMs },
    request: requestOf(encoders[at % encoders.length] as Target, bytes, at),
    read: encoderConnector === "ec-nixl" ? readTransfer : undefined,
  });
  metrics.ended("encode", result.kind === "failed" ? "failed" : "ok", since);
  return result;
}

/** Returns the client's request with this part as its only content, limited to one token. */
function alone(body: RequestBody, part: JsonObject): Buffer {
  const members = {
    messages: JSON.stringify([{ role: "user", content: [part] }]),
    ...{ stream: "false", max_tokens: "1" },
    ...(body.value("max_completion_tokens") !== undefined && { max_completion_tokens: "1" }),
  };
  return body.with(members, ["stream_options", "min_tokens"]);
}

const transferField = "ec_transfer_params";

/** @throws JsonError if the response is not a JSON object in UTF-8, or if its transfer parameters are not an object */
function readTransfer(bytes: Buffer): Buffer | undefined {
  const transfer = transferOf(bytes, transferField);
  if (transfer !== undefined && !isObject(JSON.parse(transfer.toString())))
    throw new JsonError(`${transferField} is not an object`);
  return transfer;
}

/** Merges all transfer objects into one; empty if no encoder returned any. */
function merged(objects: ReadonlyArray<Buffer | undefined>): Members {
  const members = objects.flatMap((json) => {
    if (json === undefined) return [];
    const text = json.toString().trim();
    const value: unknown = JSON.parse(text);
    return isObject(value) && Object.keys(value).length > 0 ? [text.slice(1, -1)] : [];
  });
  return members.length === 0 ? {} : { [transferField]: `{${members.join(",")}}` };
}
