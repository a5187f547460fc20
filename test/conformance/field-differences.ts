/** A place where two values may differ, and why. */
export interface Rule {
  readonly path: string | RegExp;
  readonly reason: string;
}

interface Tolerance {
  /** Fields of both that may have different values. */
  readonly departures: readonly Rule[];
  /** Fields that only the second may have. */
  readonly additions: readonly Rule[];
  /** Collects the rules that were needed. */
  readonly used: Set<Rule>;
}

/** Every leaf that differs between the example and the plan, and that no rule tolerates. */
export function differences(shown: unknown, planned: unknown, tolerance: Tolerance): string[] {
  const expected = leaves(shown);
  const actual = leaves(planned);
  const found: string[] = [];
  for (const [path, value] of expected) {
    if (actual.get(path) === value || tolerates(tolerance.departures, path, tolerance.used))
      continue;
    found.push(
      `${path}: shown ${JSON.stringify(value)}, planned ${JSON.stringify(actual.get(path))}`,
    );
  }
  for (const [path, value] of actual) {
    if (expected.has(path) || tolerates(tolerance.additions, path, tolerance.used)) continue;
    found.push(`${path}: not shown, planned ${JSON.stringify(value)}`);
  }
  return found;
}

function tolerates(rules: readonly Rule[], path: string, used: Set<Rule>): boolean {
  const rule = rules.find((each) =>
    typeof each.path === "string" ? each.path === path : each.path.test(path),
  );
  if (rule !== undefined) used.add(rule);
  return rule !== undefined;
}

function leaves(value: unknown, path = "", found = new Map<string, unknown>()) {
  if (Array.isArray(value)) {
    for (const [at, entry] of value.entries()) leaves(entry, `${path}[${at}]`, found);
  } else if (value !== null && typeof value === "object") {
    for (const [key, entry] of Object.entries(value)) {
      leaves(entry, path === "" ? key : `${path}.${key}`, found);
    }
  } else {
    found.set(path, value);
  }
  return found;
}
