import type { FlagType } from "./flag-type.ts";

const suffixes = new Map([
  ["", 1],
  ["k", 1e3],
  ["M", 1e6],
  ["G", 1e9],
  ["Ki", 2 ** 10],
  ["Mi", 2 ** 20],
  ["Gi", 2 ** 30],
]);

/** Parses a size such as `25MB`, `10MiB` or `4194304`. Returns bytes; undefined if it is invalid. */
export function parseByteSize(text: string): number | undefined {
  const [, number, suffix] = /^(\d+)(|k|M|G|Ki|Mi|Gi)[Bb]?$/.exec(text.trim()) ?? [];
  const bytes = Number(number) * (suffixes.get(suffix ?? "") ?? Number.NaN);
  return bytes <= 2 ** 31 - 1 ? bytes : undefined;
}

/** A size in bytes. */
export const byteSize: FlagType<number> = {
  placeholder: "SIZE",
  allowed: "a size below 2GiB such as 25MB or 10MiB",
  parse: parseByteSize,
  show: String,
};
