import { outcomes } from "../scheduling/flow-control/outcomes.ts";
import { refusals } from "../scheduling/request-error.ts";

/** The outcomes of flow control, for its page. */
export const outcomesTable = (): string =>
  [
    "| outcome | status | reason | `Retry-After` | when |",
    "|---|---|---|---|---|",
    ...Object.entries(outcomes).map(
      ([outcome, { code, reason, mayRetry, when }]) =>
        `| \`${outcome}\` | ${refusals[code]} | \`${reason}\` | ${mayRetry ? "yes" : ""} | ${when} |`,
    ),
  ].join("\n");
