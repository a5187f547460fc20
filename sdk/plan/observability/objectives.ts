import { refusals } from "../../../scheduling/requests/request-error.ts";
import { metrics, modelServerError } from "../../observability/metrics.ts";
import {
  bucketsUpTo,
  type Duration,
  type Expression,
  expression,
  orZero,
  rate,
  select,
  sum,
  total,
} from "../../observability/promql.ts";
import type { LatencyObjective, ServiceObjectivesSpec } from "../../spec/service-objectives.ts";
import { ofPicker, type Target } from "./target.ts";

/** An objective: the requests that count, and the requests among them that miss it. */
export interface Objective {
  /** Value of the label `objective`. */
  readonly name: "availability" | "first_token" | "per_output_token";
  /** Name of the alerts on its error budget. */
  readonly alert: string;
  /** Share of requests that must meet it. */
  readonly share: number;
  /** The objective in words. */
  readonly title: string;
  /** Requests per second that count. */
  readonly requests: (window: Duration) => Expression;
  /** Requests per second that miss it. */
  readonly errors: (window: Duration) => Expression;
}

const tooMany = 429;

/** Refusals by the picker that are not the client's fault: the service is full, failed or absent. */
const refusedByService = Object.entries(refusals)
  .filter(([, status]) => status === tooMany || status >= 500)
  .map(([code]) => code);

export function objectivesOf(
  { objectives }: Pick<ServiceObjectivesSpec, "objectives">,
  target: Target,
): Objective[] {
  const { availability: share, firstToken, perOutputToken } = objectives;
  return [
    ...(share === undefined ? [] : [availability(target, share)]),
    ...(firstToken === undefined ? [] : [timeToFirstToken(target, firstToken)]),
    ...(perOutputToken === undefined ? [] : [timePerOutputToken(target, perOutputToken)]),
  ];
}

/**
 * A request counts once: when it is routed, or when the picker refuses it before. Errors of a client, such as an unknown
 * model, do not count.
 */
function availability(target: Target, share: number): Objective {
  const { requests, requestErrors } = metrics;
  const errors = (codes: readonly string[], window: Duration) =>
    orZero(
      sum(
        rate(
          select(
            requestErrors,
            ofPicker<typeof requestErrors>(target, { error_code: { matches: codes.join("|") } }),
          ),
          window,
        ),
      ),
    );
  return {
    name: "availability",
    alert: "InferenceAvailabilityBudgetBurn",
    share,
    title: `${percent(share)} of requests without an error`,
    requests: (window) =>
      expression(
        `(${orZero(sum(rate(select(requests, ofPicker(target)), window)))} + ${errors(refusedByService, window)})`,
      ),
    errors: (window) => errors([modelServerError, ...refusedByService], window),
  };
}

function timeToFirstToken(target: Target, { seconds, share }: LatencyObjective): Objective {
  const { firstToken } = metrics;
  const streamed = ofPicker<typeof firstToken>(target, { streaming: "true" });
  return {
    name: "first_token",
    alert: "InferenceFirstTokenBudgetBurn",
    share,
    title: `${percent(share)} of streamed responses with a first token within ${seconds} s`,
    requests: (window) => sum(rate(total(firstToken, "count", streamed), window)),
    errors: (window) =>
      slower(
        sum(rate(total(firstToken, "count", streamed), window)),
        sum(rate(bucketsUpTo(firstToken, seconds, streamed), window)),
      ),
  };
}

function timePerOutputToken(target: Target, { seconds, share }: LatencyObjective): Objective {
  const { perOutputToken } = metrics;
  const own = ofPicker<typeof perOutputToken>(target);
  return {
    name: "per_output_token",
    alert: "InferencePerOutputTokenBudgetBurn",
    share,
    title: `${percent(share)} of streamed responses with at most ${seconds} s per output token`,
    requests: (window) => sum(rate(total(perOutputToken, "count", own), window)),
    errors: (window) =>
      slower(
        sum(rate(total(perOutputToken, "count", own), window)),
        sum(rate(bucketsUpTo(perOutputToken, seconds, own), window)),
      ),
  };
}

const slower = (all: Expression, good: Expression): Expression => expression(`(${all} - ${good})`);

/** Returns a share in percent, without the digits that binary numbers add. */
export const percent = (share: number): string => `${Number((100 * share).toFixed(6))} %`;
