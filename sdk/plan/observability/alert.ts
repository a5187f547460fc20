import type { Duration, Expression } from "../../observability/promql.ts";

/** A recording rule. */
export interface Recording {
  readonly record: string;
  readonly expr: Expression;
  readonly labels: Readonly<Record<string, string>>;
}

/** An alert, without the labels and annotations that all alerts have. */
export interface Alert {
  /** Name of the alert, in camel case with the prefix Inference. */
  readonly alert: string;
  readonly expr: Expression;
  /** Time for which the expression must hold before the alert fires. */
  readonly for: Duration;
  /** `page` needs a person within minutes, `ticket` within days. */
  readonly severity: "page" | "ticket";
  readonly labels?: Readonly<Record<string, string>>;
  /** One sentence with the object's name. */
  readonly summary: string;
  /** Cause and effect. The next command is appended. */
  readonly description: string;
}

/** Returns a number without the digits that binary fractions add, for expressions and texts. */
export const rounded = (value: number): number => Number(value.toPrecision(6));
