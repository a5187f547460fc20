import type { ExplainPage } from "../../../sdk/routing/explained-decision.ts";
import type { OperatorPages } from "../../manager/pages/operator-server.ts";
import type { PoolRegistry } from "./pool-registry.ts";

const pagesOfPools = ["/debug/state", "/debug/flows", "/debug/kv-events"];

/** The pages of each pool's picker, selected by `?pool=NAME`, and a page that lists the pools. */
export function poolPages(
  served: Pick<PoolRegistry, "pickers" | "refused">,
): OperatorPages["debug"] {
  const page = (path: string) => (query: URLSearchParams) => {
    const { pickers } = served;
    const wanted = query.get("pool");
    const all = [...pickers].filter(([name]) => wanted === null || name === wanted);
    if (wanted !== null && all.length === 0)
      return { problem: `no pool ${wanted} is served; /debug/pools lists the served pools` };
    return Object.fromEntries(
      all.flatMap(([name, { pages }]) => {
        const debug = pages.debug[path];
        return debug === undefined ? [] : [[name, debug(query)]];
      }),
    );
  };
  return {
    "/debug/pools": () => ({
      served: [...served.pickers.keys()],
      refused: Object.fromEntries(served.refused),
    }),
    // Searches every pool, so that the operator does not need to know the pool of a request.
    "/debug/explain": (query): ExplainPage => {
      const pages = [...served.pickers.values()].map(
        ({ pages }) => pages.debug["/debug/explain"]?.(query) as ExplainPage,
      );
      return {
        kept: Math.max(0, ...pages.map(({ kept }) => kept)),
        ...(query.has("request-id")
          ? { decisions: pages.flatMap(({ decisions = [] }) => decisions) }
          : { last: pages.flatMap(({ last = [] }) => last) }),
      };
    },
    ...Object.fromEntries(pagesOfPools.map((path) => [path, page(path)])),
  };
}
