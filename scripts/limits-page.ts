import { limits } from "../runtime/limits.ts";
import type { Limit } from "../scheduling/limits.ts";

/** The page of everything that one may ask of the programs that run in a cluster, from the limits themselves. */
export function limitsPage(): string {
  return [
    "# Limits",
    "",
    "What anybody may ask of an endpoint picker and of the pages of the other programs, made from",
    "[the limits themselves](../runtime/limits.ts) by `npm run generate`. Nothing that a client, a model server or a member of a",
    "cluster set sends costs others more than this; [the attack suite](../test/attacks) tries.",
    "",
    "| What | Limit | Flag | What is beyond |",
    "|---|---|---|---|",
    ...Object.values<Limit>(limits).map((limit) => row(limit)),
    "",
    "All bodies that are not whole yet have a quarter of the heap together (`--max-buffered-body-size`): 140 MiB in a pod of",
    "1 GiB. A request for which there is no room is refused with 503 and the reason `rejected-no-room-for-body`.",
    "",
    "A body has the priority of the InferenceObjective that its request names, and 0 without one. The priority of a registered model (0 for",
    "`Critical`, -1 for others) replaces it once the body is whole: until then a body for a model that is not critical does not give way",
    "to one of priority 0. A stream that waits for its turn takes 256 KiB of room besides, so that ten of equal priority need 2.5 MiB.",
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
