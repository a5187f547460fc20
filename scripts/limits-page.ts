import { limits } from "../runtime/limits.ts";
import type { Limit } from "../scheduling/limits.ts";

/** Returns the page of limits, generated from the limits in the code. */
export function limitsPage(): string {
  return [
    "# Limits",
    "",
    "This page lists the limits that protect the programs of this project. They bound the cost that one client, model server or",
    "member of a cluster set can impose on others, and [the attack suite](../test/attacks) tests them. `npm run generate` writes",
    "the table from [the code](../runtime/limits.ts).",
    "",
    "| What | Limit | Flag | Beyond the limit |",
    "|---|---|---|---|",
    ...Object.values<Limit>(limits).map((limit) => row(limit)),
    "",
    "All incomplete bodies together may use a quarter of the heap (`--max-buffered-body-size`): 140 MiB in a pod of 1 GiB. When this",
    "buffer is full, a new request gets 503 with the reason `rejected-no-room-for-body`.",
    "",
    "A body has the priority of the InferenceObjective that its request names, or 0 without one. For a registered model, the model's",
    "priority (0 if `Critical`, otherwise -1) replaces it once the body is complete. Until then, a body for a model that is not critical",
    "is not evicted for one of priority 0. A stream that waits for its turn uses another 256 KiB of the buffer, so ten streams of equal",
    "priority need 2.5 MiB.",
    "",
  ].join("\n");
}

const row = ({ of, value, unit, flag, beyond }: Limit): string =>
  `| ${of} | ${shown(value, unit)} | ${flag === undefined ? "" : `\`${flag}\``} | ${beyond} |`;

function shown(value: number, unit: Limit["unit"]): string {
  if (unit === "count") return value.toLocaleString("en-US");
  if (unit === "ms") return `${value / 1_000} s`;
  if (unit === "characters") return `${value.toLocaleString("en-US")} characters`;
  if (value >= 2 ** 20) return `${value / 2 ** 20} MiB`;
  return value >= 2 ** 10 ? `${value / 2 ** 10} KiB` : `${value} bytes`;
}
