import type { RequestError } from "../../../scheduling/requests/request-error.ts";
import type {
  ExplainedDecision,
  ExplainedProfile,
} from "../../../sdk/routing/explained-decision.ts";
import type { ActiveSpan, TraceCarrier, Tracing } from "../../manager/tracing/tracing.ts";
import type { Clock } from "../clock.ts";
import type { ResponseSummary } from "../observer.ts";
import type { DecisionRecord } from "./decision-ring.ts";
import { explained } from "./explain-page.ts";

/** Shorter waits get no span. */
const shortestWaitMs = 1;

interface TracedPicker {
  readonly tracing?: Tracing;
  readonly clock: Clock;
}

/** Starts the spans of a request; undefined if tracing is off. */
export const beginTrace = (
  { tracing, clock }: TracedPicker,
  headers: TraceCarrier,
  startedAt: number,
): RequestTrace | undefined =>
  tracing && new RequestTrace(tracing.receive("gateway.request", headers, startedAt), clock);

/**
 * Spans of a request: one from its first message to its end, and child spans for the decision, the wait and the
 * scheduling. Their attributes contain the data of `/debug/explain`, under the names that llm-d-router uses, if any.
 */
export class RequestTrace {
  readonly #span: ActiveSpan;
  readonly #clock: Clock;
  #isDecided = false;
  #isOver = false;

  constructor(span: ActiveSpan, clock: Clock) {
    this.#span = span;
    this.#clock = clock;
  }

  /** Trace headers for the model server. */
  get headers(): ActiveSpan["headers"] {
    return this.#span.headers;
  }

  /** Called when the request has its endpoint or was refused. */
  decided(record: DecisionRecord): void {
    if (this.#isDecided || !this.#span.isRecorded) return;
    this.#isDecided = true;
    const now = this.#clock.now();
    const decision = explained(record, now);
    this.#span.set(requestAttributes(decision));
    const { at, scheduledAt } = record;
    const orchestration = this.#span.child(
      "gateway.request_orchestration",
      {
        target_model: decision.targetModel,
        request_prio: decision.flow.priority,
        "llm_d.epp.flow_control.fairness_id": decision.flow.fairnessId,
      },
      at,
    );
    const leftAt = scheduledAt ?? now;
    if (leftAt - at >= shortestWaitMs)
      orchestration.child("llm_d.epp.flow_control.wait", waitAttributes(decision), at).end(leftAt);
    if (scheduledAt !== undefined) traceScheduling(orchestration, decision, scheduledAt, now);
    if (decision.refusal !== null) orchestration.fail(decision.refusal.message);
    orchestration.end(now);
  }

  /** Called when the picker responded to the client instead of a server. */
  refused({ code, reason, status, message }: RequestError): void {
    this.#span.set({
      "error.type": code,
      "http.response.status_code": status,
      "llm_d.epp.request_dropped_reason": reason,
    });
    this.#span.fail(message);
  }

  /** @param response undefined if the picker did not see it */
  end(response: ResponseSummary | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (response !== undefined && this.#span.isRecorded)
      this.#span.set(responseAttributes(response));
    this.#span.end(this.#clock.now());
  }
}

const requestAttributes = ({
  requestId,
  targetModel,
  model,
  service,
  rewrite,
  chosen,
}: ExplainedDecision) => ({
  "gen_ai.request.id": requestId,
  "gen_ai.request.model": targetModel,
  "llm_d.epp.incoming_model": model,
  "llm_d.epp.service": service ?? undefined,
  "llm_d.epp.rewrite": rewrite ?? undefined,
  "llm_d.epp.target_endpoints": chosen,
});

const responseAttributes = ({ status, usage, served, firstTokenSeconds }: ResponseSummary) => ({
  "http.response.status_code": status,
  "llm_d.epp.served_endpoint": served?.address,
  "llm_d.epp.time_to_first_token_ms":
    firstTokenSeconds === undefined ? undefined : firstTokenSeconds * 1000,
  "gen_ai.usage.input_tokens": usage?.inputTokens,
  "gen_ai.usage.output_tokens": usage?.outputTokens,
});

const waitAttributes = ({ flow, queue }: ExplainedDecision) => ({
  "llm_d.epp.flow_control.fairness_id": queue?.flow ?? flow.fairnessId,
  "llm_d.epp.flow_control.priority": queue?.band ?? flow.priority,
  "llm_d.epp.flow_control.saturation": queue?.saturation ?? undefined,
  "llm_d.epp.flow_control.ceiling": queue?.ceiling ?? undefined,
});

/**
 * Emits one span for all of scheduling. Filters, scorers and picks take microseconds, so they are events of this span.
 */
function traceScheduling(
  parent: ActiveSpan,
  { candidates, prefix, profiles }: ExplainedDecision,
  from: number,
  to: number,
): void {
  const cached = candidates.map(({ cachedBlocks }) => cachedBlocks ?? 0);
  const span = parent.child(
    "llm_d.epp.scheduling",
    {
      "llm_d.epp.scheduling.candidates": candidates.map(({ endpoint }) => endpoint),
      "llm_d.epp.scheduling.candidate_endpoints": candidates.length,
      ...(prefix !== null && {
        "llm_d.epp.producer.total_blocks": prefix.totalBlocks,
        "llm_d.epp.producer.max_match_blocks": Math.max(0, ...cached),
        "llm_d.epp.producer.match_blocks": cached,
      }),
    },
    from,
  );
  for (const profile of profiles) traceProfile(span, profile, candidates.length, to);
  span.end(to);
}

function traceProfile(
  span: ActiveSpan,
  { name, dropped, scorers, scored, picked }: ExplainedProfile,
  candidates: number,
  at: number,
): void {
  const profile = { "llm_d.epp.scheduling.profile.name": name };
  span.event(
    "filter_endpoints",
    {
      ...profile,
      "llm_d.epp.filter.candidate_endpoints": candidates,
      "llm_d.epp.filter.filtered_endpoints": scored.length,
      "llm_d.epp.filter.dropped": dropped.map(({ endpoint, by }) => `${endpoint} by ${by}`),
    },
    at,
  );
  for (const [index, { type, name: scorer, weight }] of scorers.entries()) {
    const scores = scored.map((each) => each.scores[index] ?? 0);
    span.event(
      `llm_d.epp.scorer.${type}`,
      {
        ...profile,
        "llm_d.epp.scorer.type": type,
        "llm_d.epp.scorer.name": scorer,
        "llm_d.epp.scorer.weight": weight,
        "llm_d.epp.scorer.candidate_endpoints": scored.length,
        "llm_d.epp.scorer.endpoints": scored.map(({ endpoint }) => endpoint),
        "llm_d.epp.scorer.scores": scores,
        ...(scores.length > 0 && {
          "llm_d.epp.scorer.score.max": Math.max(...scores),
          "llm_d.epp.scorer.score.avg": scores.reduce((sum, each) => sum + each, 0) / scores.length,
        }),
      },
      at,
    );
  }
  span.event("pick_endpoints", { ...profile, "llm_d.epp.picker.picked": picked }, at);
}
