import { isMap } from "../../../kubernetes/values/records.ts";
import type { Finding, Invariant } from "../../invariant.ts";
import { apiPaths } from "../../routing/api-paths.ts";
import type { RawSpec } from "../helpers/raw-spec.ts";

const source = "Gateway API, HTTPRouteRule matches";

/** Maximum number of matches in all rules of an HTTPRoute. */
const mostMatches = 128;

const recordsOf = (value: unknown) => (Array.isArray(value) ? value.filter(isMap) : []);

const replacesPrefix = (filter: Record<string, unknown>): boolean =>
  [filter.urlRewrite, filter.requestRedirect].some(
    (change) => isMap(change) && isMap(change.path) && change.path.replacePrefixMatch !== undefined,
  );

function* replacedWithoutMatch(
  { matches, filters }: Readonly<Record<string, unknown>>,
  path: Finding["path"],
): Iterable<Finding> {
  if (matches !== undefined || !recordsOf(filters).some(replacesPrefix)) return;
  yield {
    path: [...path, "matches"],
    given: "is missing, but a filter replaces a prefix",
    allowed: "exactly one match, of type PathPrefix",
    fix: 'Add the prefix, for example `matches: [{ path: { type: "PathPrefix", value: "/" } }]` for all paths.',
  };
}

const replaced = {
  id: "route-names-the-prefix-that-it-replaces",
  title: "A rule with a filter that replaces a prefix has a match with that prefix",
  why: "Without matches a rule serves all API paths of clients, which have different prefixes.",
  source,
  code: "conflict",
} as const;

/** The same rule for a spec that is itself one route rule. */
export const importReplacesANamedPrefix: Invariant<RawSpec> = {
  ...replaced,
  check: ({ spec }) => replacedWithoutMatch(spec, []),
};

const routeReplacesNamedPrefixes: Invariant<RawSpec> = {
  ...replaced,
  *check({ spec }) {
    for (const [at, rule] of recordsOf(spec.rules).entries())
      yield* replacedWithoutMatch(rule, ["rules", at]);
  },
};

const routeHasMatchesThatFit: Invariant<RawSpec> = {
  id: "route-has-at-most-128-matches",
  title: "The rules of a route have at most 128 matches in total",
  why: `The API server rejects more. A rule without \`matches\` has ${apiPaths.length}, one for each API path of clients.`,
  source,
  code: "count",
  *check({ spec }) {
    const counts = recordsOf(spec.rules).map(({ matches }) =>
      Array.isArray(matches) ? matches.length : apiPaths.length,
    );
    const all = counts.reduce((sum, count) => sum + count, 0);
    if (all <= mostMatches) return;
    yield {
      path: ["rules"],
      given: `have ${all} matches, ${apiPaths.length} for each rule without \`matches\``,
      allowed: `at most ${mostMatches}`,
      fix: 'Set fewer `matches` in the rules, such as `[{ path: { value: "/v1/chat/completions" } }]`, or create a second route.',
    };
  },
};

export const inferenceRouteRules: ReadonlyArray<Invariant<RawSpec>> = [
  routeReplacesNamedPrefixes,
  routeHasMatchesThatFit,
];
