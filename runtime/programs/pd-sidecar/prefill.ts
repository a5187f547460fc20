import type { IncomingMessage } from "node:http";
import { setTimeout as after } from "node:timers/promises";
import { discard } from "./discard.ts";
import type { EngineRequest, Leg } from "./engine.ts";
import { type ReadPrefillAnswer, readPrefillAnswer } from "./prefill-answer.ts";
import type { Sidecar } from "./sidecar.ts";
import type { LocalReason } from "./sidecar-metrics.ts";
import { askStage, type StageResult } from "./stage-request.ts";

/** Outcome of a request to a prefiller. */
export type PrefillResult =
  | { readonly kind: "done"; readonly answer: ReadPrefillAnswer }
  | Exclude<StageResult<never>, { kind: "done" }>;

export interface PrefillRequest {
  readonly request: EngineRequest;
  readonly body: Buffer;
  readonly leg: Leg;
  /** Whether to read the response's body for transfer parameters; if false, only its status matters. */
  readonly readsAnswer: boolean;
  /** Called if a response whose body is not read is incomplete. */
  readonly onBroken: () => void;
}

/** Statuses of transient failures, which llm-d-router's sidecar also retries. */
const passing: ReadonlySet<number> = new Set([502, 503, 504]);

const nothingReported: ReadPrefillAnswer = { transfer: undefined, cachedTokens: 0 };

/** Sends a request to a prefiller, with up to `prefillMaxRetries` retries after transient failures. */
export async function prefill(sidecar: Sidecar, asked: PrefillRequest): Promise<PrefillResult> {
  const { prefillers: engines, metrics, prefillTimeoutMs: timeoutMs } = sidecar;
  const { prefillMaxRetries, prefillRetryBackoffMs } = sidecar;
  const read = asked.readsAnswer ? readPrefillAnswer : undefined;
  for (let attempt = 0; ; attempt += 1) {
    const since = performance.now();
    const result = await askStage(metrics, {
      ...asked,
      stage: "prefill",
      engines,
      timeoutMs,
      read,
    });
    metrics.ended("prefill", result.kind === "failed" ? "failed" : "ok", since);
    if (result.kind === "done") return { kind: "done", answer: result.answer ?? nothingReported };
    const again = result.kind === "failed" && mayPass(result) && attempt < prefillMaxRetries;
    if (!again || asked.leg.cancelled) return result;
    if (result.message !== undefined) discard(result.message);
    await after(prefillRetryBackoffMs);
  }
}

const mayPass = ({
  reason,
  message,
}: {
  readonly reason: LocalReason;
  readonly message?: IncomingMessage;
}) => reason === "unreachable" || passing.has(message?.statusCode ?? 0);
