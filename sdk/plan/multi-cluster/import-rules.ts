import { isDeferred, mapDeferred } from "../../../kubernetes/values/deferred.ts";
import { present } from "../../../kubernetes/values/present.ts";
import { routeTimeouts } from "../../gateways/index.ts";
import { apiMatches } from "../../routing/api-paths.ts";
import type { ImportedPoolSpec } from "../../spec/imported-pool.ts";
import { hopsHeader } from "../../topology/multi-cluster-names.ts";

type Values = NonNullable<ImportedPoolSpec["matches"]>;

/** A cluster that a request was sent on to sends it no further. */
const hopLimit = "1";

/**
 * The rules of a route to an import: what came from another cluster stays in the pool here, where there is one, and all else
 * has the backends. Gateways that are told of other clusters' gateways mark what they send there; a picker marks it by itself.
 *
 * @param backendRefs the pool here first, where there is one
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

/** A match of the same requests, as far as another cluster sent them on. */
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

/** A rule has at most one filter that sets headers; one that is not known yet is left as it is. */
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
