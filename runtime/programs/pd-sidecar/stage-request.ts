import type { IncomingMessage } from "node:http";
import { readBody } from "../../../kubernetes/api/read-body.ts";
import { JsonError } from "../../epp/payload/json-scanner.ts";
import type { EngineClient, EngineRequest, Leg } from "./engine.ts";
import type { LocalReason, SidecarMetrics, Stage } from "./sidecar-metrics.ts";

/** A request to an engine for the encode or prefill stage. */
export interface StageRequest<Answer> {
  readonly stage: Exclude<Stage, "decode">;
  readonly engines: EngineClient;
  readonly request: EngineRequest;
  readonly body: Buffer;
  readonly leg: Leg;
  readonly timeoutMs: number;
  /** Parses the response's body and throws JsonError if it cannot. Undefined if only the status matters. */
  readonly read: ((bytes: Buffer) => Answer) | undefined;
  /** Called if a response whose body is not read is incomplete. */
  readonly onBroken?: () => void;
}

export type StageResult<Answer> =
  | { readonly kind: "done"; readonly answer: Answer | undefined }
  /** The engine refused the client's request; `body` contains the engine's error. */
  | { readonly kind: "refused"; readonly message: IncomingMessage; readonly body: Buffer }
  | {
      readonly kind: "failed";
      readonly reason: LocalReason;
      /** The engine's response with an unread body. It is destroyed after `timeoutMs`. */
      readonly message?: IncomingMessage;
    };

/**
 * Statuses that refuse the request's body, as every engine would. Other statuses concern one engine, such as a missing
 * key, adapter or path. The decoder may have what is missing, and otherwise reports the error itself.
 */
const ofBody: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** Longest response, in bytes. It contains one token and transfer parameters. */
const longestAnswer = 16 * 2 ** 20;
const longestRefusal = 2 ** 20;

/** Sends one request of a stage and classifies the outcome. */
export async function askStage<Answer>(
  metrics: SidecarMetrics,
  asked: StageRequest<Answer>,
): Promise<StageResult<Answer>> {
  const { stage, engines, request, body, leg, timeoutMs, read, onBroken } = asked;
  const late = setTimeout(() => leg.abandon(), timeoutMs);
  try {
    metrics.moved(stage, "sent", body.length);
    const message = await engines.send(request, body, leg);
    const status = message.statusCode as number;
    if (ofBody.has(status)) {
      const text = await readBody(message, { what: "the refusal", maxBytes: longestRefusal });
      return { kind: "refused", message, body: text };
    }
    if (status !== 200) {
      endWithin(message, timeoutMs);
      return { kind: "failed", reason: "server-error", message };
    }
    if (read === undefined) {
      message.resume().once("close", () => {
        if (!message.complete) onBroken?.();
      });
      return { kind: "done", answer: undefined };
    }
    const bytes = await readBody(message, { what: "the answer", maxBytes: longestAnswer });
    metrics.moved(stage, "received", bytes.length);
    return { kind: "done", answer: read(bytes) };
  } catch (error) {
    const reason = error instanceof JsonError ? "unreadable" : "unreachable";
    return { kind: "failed", reason };
  } finally {
    clearTimeout(late);
  }
}

function endWithin(message: IncomingMessage, ms: number): void {
  const late = setTimeout(() => message.destroy(), ms).unref();
  message.once("close", () => clearTimeout(late));
}
