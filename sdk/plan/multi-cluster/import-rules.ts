import { isDeferred, mapDeferred } from "../../../kubernetes/values/deferred.ts";
import { present } from "../../../kubernetes/values/present.ts";
import { routeTimeouts } from "../../gateways/index.ts";
import { apiMatches } from "../../routing/api-paths.ts";
import type { ImportedPoolSpec } from "../../spec/imported-pool.ts";
import { hopsHeader } from "../../topology/multi-cluster-names.ts";

type Values = NonNullable<ImportedPoolSpec["matches"]>;

/** A request that was forwarded once is not forwarded again. */
const hopLimit = "1";

/**
 * Returns the rules of a route to an import. Requests from another cluster go only to the local pool, if there is one;
 * all other requests use the backends. A route to other clusters' gateways sets the hop header; pickers set it
 * themselves.
 *
 * @param backendRefs the local pool first, if there is one
 */
export function importRules(
  {
    matches = apiMatches(),
    filters,
    local,
    parents,
    picker,
    gateway,
  }: Pick<ImportedPoolSpec, "matches" | "filters" | "local" | "parents" | "picker" | "gateway">,
  backendRefs: ReadonlyArray<Record<string, unknown>>,
): object[] {
  const [here] = backendRefs;
  const isMarked = parents !== undefined;
  const timeouts = routeTimeouts(gateway.type);
  return [
    ...(local === undefined || here === undefined || !(isMarked || picker)
      ? []
      : [
          present({
            matches: matches.map(ofAnotherCluster),
            filters,
            backendRefs: [unweighted(here)],
            timeouts,
          }),
        ]),
    present({ matches, filters: isMarked ? marking(filters) : filters, backendRefs, timeouts }),
  ];
}

const unweighted = ({ weight: _, ...ref }: Record<string, unknown>) => ref;

/** Restricts a match to requests that another cluster forwarded. */
const ofAnotherCluster = (match: unknown): unknown =>
  isDeferred(match)
    ? mapDeferred(match, ofAnotherCluster)
    : {
        ...(match as { headers?: readonly unknown[] }),
        headers: [
          ...((match as { headers?: readonly unknown[] }).headers ?? []),
          { type: "Exact", name: hopsHeader, value: hopLimit },
        ],
      };

interface HeaderModifier {
  readonly requestHeaderModifier?: { readonly set?: readonly unknown[] };
}

const isHeaderModifier = (filter: unknown): filter is HeaderModifier & { type: string } =>
  !isDeferred(filter) && (filter as { type?: unknown }).type === "RequestHeaderModifier";

/**
 * Adds the hop header. A rule may have only one filter that sets headers; a filter that is still unknown stays
 * unchanged.
 */
function marking(filters: Values = []): unknown[] {
  const mark = { name: hopsHeader, value: hopLimit };
  const modifier: HeaderModifier | undefined = filters.find(isHeaderModifier);
  const { requestHeaderModifier }: HeaderModifier = modifier ?? {};
  const marked = {
    type: "RequestHeaderModifier",
    requestHeaderModifier: {
      ...requestHeaderModifier,
      set: [...(requestHeaderModifier?.set ?? []), mark],
    },
  };
  return [...filters.filter((filter) => filter !== modifier), marked];
}
