import type { IncomingMessage } from "node:http";
import { setTimeout as after } from "node:timers/promises";
import { readBody } from "../../../kubernetes/api/read-body.ts";
import { JsonError } from "../../endpoint-picker/payload/json-scanner.ts";
import { discard } from "./discard.ts";
import type { EngineRequest, Leg } from "./engine.ts";
import { type ReadPrefillAnswer, readPrefillAnswer } from "./prefill-answer.ts";
import type { Sidecar } from "./sidecar.ts";
import type { LocalReason } from "./sidecar-metrics.ts";

/** What came of asking a prefiller. */
export type PrefillResult =
  | { readonly kind: "done"; readonly answer: ReadPrefillAnswer }
  /** The client's own mistake, in the prefiller's words. */
  | { readonly kind: "refused"; readonly message: IncomingMessage }
  | {
      readonly kind: "failed";
      readonly reason: LocalReason;
      /** What the prefiller answered, not read yet. */
      readonly message?: IncomingMessage;
    };

export interface PrefillRequest {
  readonly request: EngineRequest;
  readonly body: Buffer;
  readonly leg: Leg;
  /** The answer's body says where the cache lies; else only its status counts. */
  readonly readsAnswer: boolean;
  /** Called where an answer breaks off whose body does not count. */
  readonly onBroken: () => void;
}

/** Failures that may be over in a moment: those that llm-d-router's sidecar tries again. */
const passing: ReadonlySet<number> = new Set([502, 503, 504]);

/** Statuses by which a server speaks of itself, not of the request. */
const ofServer: ReadonlySet<number> = new Set([408, 425, 429]);

/** A prefiller's answer holds one token and where the blocks lie. */
const longestAnswer = 16 * 2 ** 20;

/** Asks a prefiller, again after a failure that may pass, as often as the flags say. */
export async function prefill(sidecar: Sidecar, asked: PrefillRequest): Promise<PrefillResult> {
  const { prefillMaxRetries, prefillRetryBackoffMs, metrics } = sidecar;
  for (let attempt = 0; ; attempt += 1) {
    const since = performance.now();
    const result = await ask(sidecar, asked);
    metrics.ended("prefill", result.kind === "failed" ? "failed" : "ok", since);
    const again = result.kind === "failed" && mayPass(result) && attempt < prefillMaxRetries;
    if (!again || asked.leg.cancelled) return result;
    if (result.message !== undefined) discard(result.message);
    await after(prefillRetryBackoffMs);
  }
}

const mayPass = ({ reason, message }: Extract<PrefillResult, { kind: "failed" }>) =>
  reason === "unreachable" || passing.has(message?.statusCode ?? 0);

async function ask(
  { prefillers, prefillTimeoutMs, metrics }: Sidecar,
  { request, body, leg, readsAnswer, onBroken }: PrefillRequest,
): Promise<PrefillResult> {
  const late = setTimeout(() => leg.abandon(), prefillTimeoutMs);
  try {
    metrics.moved("prefill", "sent", body.length);
    const message = await prefillers.send(request, body, leg);
    const status = message.statusCode as number;
    if (status >= 500 || ofServer.has(status))
      return { kind: "failed", reason: "server-error", message };
    if (status >= 400) return { kind: "refused", message };
    if (!readsAnswer) {
      message.resume().once("close", () => {
        if (!message.complete) onBroken();
      });
      return { kind: "done", answer: { transfer: undefined, cachedTokens: 0 } };
    }
    const bytes = await readBody(message, { what: "the answer", maxBytes: longestAnswer });
    metrics.moved("prefill", "received", bytes.length);
    return { kind: "done", answer: readPrefillAnswer(bytes) };
  } catch (error) {
    const reason = error instanceof JsonError ? "unreadable" : "unreachable";
    return { kind: "failed", reason };
  } finally {
    clearTimeout(late);
  }
}
