import { limits } from "../../runtime/limits.ts";
import type { Limit } from "../../scheduling/limits.ts";
import { code, table } from "./table.ts";

export const limitsTable = (): string[] =>
  table(
    ["What", "Limit", "Flag", "Beyond the limit"],
    Object.values<Limit>(limits).map(({ of, value, unit, flag, beyond }) => [
      of,
      shown(value, unit),
      flag === undefined ? "" : code(flag),
      beyond,
    ]),
  );

function shown(value: number, unit: Limit["unit"]): string {
  if (unit === undefined) return value.toLocaleString("en-US");
  if (unit === "ms") return `${value / 1_000} s`;
  if (unit === "characters") return `${value.toLocaleString("en-US")} characters`;
  if (value >= 2 ** 20) return `${value / 2 ** 20} MiB`;
  return value >= 2 ** 10 ? `${value / 2 ** 10} KiB` : `${value} bytes`;
}
