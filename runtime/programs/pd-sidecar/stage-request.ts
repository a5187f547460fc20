import type { IncomingMessage } from "node:http";
import { readBody } from "../../../kubernetes/api/read-body.ts";
import { JsonError } from "../../epp/payload/json-scanner.ts";
import type { EngineClient, EngineRequest, Leg } from "./engine.ts";
import type { LocalReason, SidecarMetrics, Stage } from "./sidecar-metrics.ts";

/** A request to an engine that does a part of the work. */
export interface StageRequest<Answer> {
  readonly stage: Exclude<Stage, "decode">;
  readonly engines: EngineClient;
  readonly request: EngineRequest;
  readonly body: Buffer;
  readonly leg: Leg;
  /** Milliseconds that the engine may take. */
  readonly timeoutMs: number;
  /** What the answer's body says; undefined where only its status counts. Throws JsonError for one that it cannot read. */
  readonly read: ((bytes: Buffer) => Answer) | undefined;
  /** Called where an answer breaks off whose body does not count. */
  readonly onBroken?: () => void;
}

export type StageResult<Answer> =
  | { readonly kind: "done"; readonly answer: Answer | undefined }
  /** The client's own mistake, in the engine's words. */
  | { readonly kind: "refused"; readonly message: IncomingMessage; readonly body: Buffer }
  | {
      readonly kind: "failed";
      readonly reason: LocalReason;
      /** What the engine answered, not read yet: it ends within the time that the engine has. */
      readonly message?: IncomingMessage;
    };

/**
 * Statuses by which a server speaks of a request's body, and would so on every engine. By others it speaks of itself: of a
 * key, an adapter or a path that the engine beside the sidecar may have, which then says so itself where it has not.
 */
const ofBody: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** An answer holds one token and where the work lies. */
const longestAnswer = 16 * 2 ** 20;
const longestRefusal = 2 ** 20;

/** Asks an engine once. */
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
