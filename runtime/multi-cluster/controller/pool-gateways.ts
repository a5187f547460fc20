import type { Change } from "../../../kubernetes/cache/object-cache.ts";
import type { GatewayView } from "../../../sdk/multi-cluster/view.ts";
import { limits } from "../../limits.ts";
import type { GatewayObject, RouteObject } from "./read-network.ts";
import { ReferenceIndex } from "./reference-index.ts";

const mostGateways = limits.poolGateways.value;

/** The objects of a cluster, by `namespace/name`. */
interface Objects<T> {
  readonly objects: ReadonlyMap<string, T>;
}

/** Finds the Gateways in front of each pool, through HTTPRoutes. */
export class PoolGateways {
  readonly #routes: Objects<RouteObject>;
  readonly #gateways: Objects<GatewayObject>;
  readonly #routesOfPools = new ReferenceIndex();
  readonly #routesOfGateways = new ReferenceIndex();

  constructor(routes: Objects<RouteObject>, gateways: Objects<GatewayObject>) {
    this.#routes = routes;
    this.#gateways = gateways;
  }

  /** Returns the Gateways in front of a pool, with the ports of the listeners that its routes are attached to. */
  of(pool: string): GatewayView[] {
    const references = [...this.#routesOfPools.referrersOf(pool)].flatMap(
      (route) => this.#routes.objects.get(route)?.gateways ?? [],
    );
    const keys = [...new Set(references.map(({ key }) => key))].sort();
    return keys.slice(0, mostGateways).flatMap((key) => {
      const gateway = this.#gateways.objects.get(key);
      if (gateway === undefined) return [];
      const [namespace = "", name = ""] = key.split("/");
      const { addresses, listeners, programmed } = gateway;
      const attached = listeners.filter((listener) =>
        references.some(
          ({ key: at, section, port }) =>
            at === key &&
            (section ?? listener.name) === listener.name &&
            (port ?? listener.port) === listener.port,
        ),
      );
      const ports = [...new Set(attached.map(({ port }) => port))].sort((a, b) => a - b);
      const acceptsRoute = references.some(({ key: at, accepted }) => at === key && accepted);
      return { namespace, name, addresses, ports, programmed, acceptsRoute };
    });
  }

  /** Applies a change of a route, and returns the affected pools. */
  routeChanged(change: Change<RouteObject>): ReadonlySet<string> {
    const pools = new Set<string>(change.type === "added" ? [] : change.previous.pools);
    const route = change.type === "deleted" ? undefined : change.object;
    for (const pool of route?.pools ?? []) pools.add(pool);
    this.#routesOfPools.set(change.key, route?.pools ?? []);
    this.#routesOfGateways.set(change.key, [...new Set(route?.gateways.map(({ key }) => key))]);
    return pools;
  }

  poolsBehind(gateway: string): ReadonlySet<string> {
    const routes = [...this.#routesOfGateways.referrersOf(gateway)];
    return new Set(routes.flatMap((route) => this.#routes.objects.get(route)?.pools ?? []));
  }
}
