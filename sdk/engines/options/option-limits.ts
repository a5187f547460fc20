/** The values that an engine's parser accepts for an option without a fixed set of values. */
export interface OptionLimit {
  /**
   * `count` is a whole number that may have a unit, such as 32k, or `auto`. `json|text` is a string that must be JSON if it is
   * in braces.
   */
  readonly type: "int" | "count" | "float" | "json" | "json|text";
  /** Bounds, such as `>0` or `<=1`. */
  readonly bounds: readonly string[];
  /** Number of which the value must be a multiple. Default: 1. */
  readonly step: number;
}

/** Returns the limits of options from lists of options by limit, such as `"int >=1": ["--a", "--b"]`. */
export const limitsOf = (
  lists: Readonly<Record<string, readonly string[]>>,
): ReadonlyMap<string, OptionLimit> =>
  new Map(
    Object.entries(lists).flatMap(([text, names]) => {
      const [type, ...words] = text.split(" ");
      const step = words.find((word) => word.startsWith("*"));
      const limit: OptionLimit = {
        type: type as OptionLimit["type"],
        bounds: words.filter((word) => word !== step),
        step: Number(step?.slice(1) ?? 1),
      };
      return names.map((name) => [name, limit] as const);
    }),
  );

const patterns = {
  int: /^[+-]?\d[\d_]*$/,
  count: /^(auto|-?\d[\d_]*(\.\d+)?[kKmMgGtT]?)$/,
  float: /^[+-]?(\d[\d_]*\.?\d*|\.\d+)(e[+-]?\d+)?$/i,
} as const;

/** Values that mean no value. */
const unset = /^(none)?$/i;

/** Returns whether an engine's parser accepts a value. */
export function accepts({ type, bounds, step }: OptionLimit, text: string): boolean {
  if (unset.test(text)) return true;
  if (type === "json" || type === "json|text") {
    const isObject = /^\s*\{.*\}\s*$/s.test(text);
    return type === "json|text" && !isObject ? true : isJson(text);
  }
  if (!patterns[type].test(text)) return false;
  const number = Number(text.replaceAll("_", ""));
  // A number with a unit is at least 1,000, and the engine chooses for `auto`.
  if (Number.isNaN(number)) return true;
  return bounds.every((bound) => isWithin(number, bound)) && (step === 1 || number % step === 0);
}

function isWithin(number: number, bound: string): boolean {
  const [, sign, limit] = /^([<>]=?)(.*)$/.exec(bound) ?? [];
  const border = Number(limit);
  return (
    (sign?.endsWith("=") && number === border) ||
    (sign?.startsWith("<") ? number < border : number > border)
  );
}

/** Numbers in vLLM's objects may have a unit, such as 32k. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text.replaceAll(/(?<=[:[,\s]-?\d+(\.\d+)?)[kKmMgGtT]\b/g, ""));
    return true;
  } catch {
    return false;
  }
}

const words: Readonly<Record<string, string>> = {
  ">": "more than",
  ">=": "at least",
  "<": "less than",
  "<=": "at most",
};

/** Returns the accepted values as text, such as `a number of more than 0 and at most 1`. */
export function limitText({ type, bounds, step }: OptionLimit): string {
  if (type === "json" || type === "json|text") return "JSON";
  const kind = type === "float" ? "a number" : "a whole number";
  const range = bounds.map((bound) => {
    const [, sign = "", limit] = /^([<>]=?)(.*)$/.exec(bound) ?? [];
    return `${words[sign]} ${Number(limit)}`;
  });
  const multiple = step === 1 ? [] : [`a multiple of ${step}`];
  const text = [...range, ...multiple].join(" and ");
  return text === "" ? kind : `${kind} of ${text}`;
}
