import { outcomes } from "../../scheduling/flow-control/outcomes.ts";
import { refusals } from "../../scheduling/requests/request-error.ts";
import { code as asCode, table } from "./table.ts";

/** The outcomes of flow control. */
export const outcomesTable = (): string[] =>
  table(
    ["outcome", "status", "reason", "`Retry-After`", "when"],
    Object.entries(outcomes).map(([outcome, { code, reason, mayRetry, when }]) => [
      asCode(outcome),
      refusals[code],
      asCode(reason),
      mayRetry ? "yes" : "",
      when,
    ]),
  );
