/**
 * An exact Kubernetes quantity: a whole number of nano-units, the finest step that Kubernetes keeps
 * (k8s.io/apimachinery/pkg/api/resource), and the suffix family in which it was written.
 */
export interface Quantity {
  readonly nanos: bigint;
  readonly format: "decimal" | "binary";
}

const nano = 1_000_000_000n;
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"] as const;
const decimalExponents: Record<string, number> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};

const syntax =
  /^(?<sign>[+-]?)(?<whole>\d*)(?:\.(?<fraction>\d*))?(?<suffix>[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/;

/**
 * Parses a quantity as written in YAML. Returns undefined for an invalid one. Fractions of a nano-unit are rounded up,
 * as upstream.
 */
export function parseQuantity(written: unknown): Quantity | undefined {
  if (typeof written !== "string" && typeof written !== "number") return undefined;
  const groups = syntax.exec(String(written).trim())?.groups;
  if (groups === undefined) return undefined;
  const { sign, whole = "", fraction = "", suffix = "" } = groups;
  if (whole + fraction === "") return undefined;
  const digits = BigInt(whole + fraction);
  const power = binarySuffixes.indexOf(suffix as "Ki");
  const format = power > 0 ? "binary" : "decimal";
  const exponent = power > 0 ? 0 : decimalExponent(suffix);
  // digits * 1024^power * 10^(exponent - fraction.length + 9), kept whole by dividing last
  const scale = exponent - fraction.length + 9;
  const scaled = digits * 1024n ** BigInt(Math.max(power, 0)) * 10n ** BigInt(Math.max(scale, 0));
  const divisor = 10n ** BigInt(Math.max(-scale, 0));
  const nanos = (scaled + divisor - 1n) / divisor;
  return { nanos: sign === "-" ? -nanos : nanos, format };
}

function decimalExponent(suffix: string): number {
  return decimalExponents[suffix] ?? Number(suffix.slice(1));
}

export const zero: Quantity = { nanos: 0n, format: "decimal" };

/** Adds two quantities. The sum keeps the suffix family of the first operand that is not zero. */
export function add(a: Quantity, b: Quantity): Quantity {
  return { nanos: a.nanos + b.nanos, format: a.nanos === 0n ? b.format : a.format };
}

export function times(quantity: Quantity, factor: number): Quantity {
  return { ...quantity, nanos: quantity.nanos * BigInt(factor) };
}

export function larger(a: Quantity, b: Quantity): Quantity {
  return b.nanos > a.nanos ? b : a;
}

/** Returns the value rounded up to whole units, for counting devices. */
export function toUnits(quantity: Quantity): number {
  return Number((quantity.nanos + nano - 1n) / nano);
}

/** Returns the canonical text, with the largest suffix that leaves a whole number. */
export function formatQuantity({ nanos, format }: Quantity): string {
  return (format === "binary" && formatBinary(nanos)) || formatDecimal(nanos);
}

function formatBinary(nanos: bigint): string | undefined {
  if (nanos % nano !== 0n) return undefined;
  let value = nanos / nano;
  let power = 0;
  while (value !== 0n && value % 1024n === 0n && power < binarySuffixes.length - 1) {
    value /= 1024n;
    power += 1;
  }
  return `${value}${binarySuffixes[power]}`;
}

function formatDecimal(nanos: bigint): string {
  if (nanos === 0n) return "0";
  const suffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
  let value = nanos;
  let at = 0;
  while (value % 1000n === 0n && at < suffixes.length - 1) {
    value /= 1000n;
    at += 1;
  }
  return `${value}${suffixes[at]}`;
}
