import type { Reflector } from "../../../kubernetes/cache/reflector.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import { type ModelRoutes, modelRoutes } from "../../../sdk/routing/model-routes.ts";
import { readModelRewrite } from "../../../sdk/routing/read-model-rewrite.ts";
import { type ModelRouteObject, readModelRoute } from "../../../sdk/routing/read-model-route.ts";
import type { ModelRewriteObject } from "../../../sdk/routing/rewrite-table.ts";
import type { RoutedPool } from "../../../sdk/routing/routed-pool.ts";
import type { ServiceObject } from "../../epp/datastore/pool-objects.ts";
import { readPool } from "../../epp/sources/read-objects.ts";
import { readServiceAndReport } from "../../epp/sources/read-or-report.ts";
import { ReflectedKinds, type SourceOptions } from "../../epp/sources/reflected-kinds.ts";
import type { ReflectedList } from "../../epp/sources/reflected-list.ts";

export interface RouteSourceOptions extends SourceOptions {
  /** `namespace/name` of the Gateways whose routes are used; undefined for all Gateways. */
  readonly gateways: readonly string[] | undefined;
  readonly onRoutes: (routes: ModelRoutes) => void;
}

/** Minimum time for which changes are collected, in ms. */
const collectMs = 20;

/** Reads the routes of gateways, and the objects with the models of their pools, from an API server. */
export class RouteSource {
  readonly #options: RouteSourceOptions;
  readonly #routes: Reflector<ModelRouteObject>;
  readonly #pools: Reflector<RoutedPool>;
  readonly #services: Reflector<ServiceObject>;
  readonly #rewrites: ReflectedList<ModelRewriteObject>;
  readonly #reflected: ReflectedKinds;

  constructor(options: RouteSourceOptions) {
    this.#options = options;
    const { group } = kinds.InferencePool;
    const report = () => this.synced() && this.#report();
    const reflected = new ReflectedKinds(options, report, collectMs);
    const required = true;
    this.#routes = reflected.one<ModelRouteObject>(kinds.HTTPRoute, readModelRoute, { required });
    this.#pools = reflected.one<RoutedPool>(
      kinds.InferencePool,
      (object) => readPool(object, group),
      {
        required,
      },
    );
    this.#services = reflected.one(kinds.LLMService, readServiceAndReport(options.onProblem));
    this.#rewrites = reflected.everyVersion<ModelRewriteObject>(
      kinds.InferenceModelRewrite,
      readModelRewrite,
    );
    this.#reflected = reflected;
  }

  start(): void {
    for (const reflector of this.#all) reflector.start();
  }

  /** Reports whether every kind was read once. */
  synced(): boolean {
    return this.#all.every(({ synced }) => synced);
  }

  async stop(): Promise<void> {
    this.#reflected.stop();
    await Promise.all(this.#all.map((reflector) => reflector.stop()));
  }

  get #all(): ReadonlyArray<Pick<Reflector<unknown>, "start" | "stop" | "synced">> {
    return [this.#routes, this.#pools, this.#services, ...this.#rewrites.reflectors];
  }

  #report(): void {
    const { gateways, onRoutes } = this.#options;
    const isOurs = (route: ModelRouteObject) =>
      route.gateways.some(
        ({ namespace, name }) => gateways?.includes(`${namespace}/${name}`) ?? true,
      );
    onRoutes(
      modelRoutes({
        routes: [...this.#routes.objects.values()].filter(isOurs),
        pools: [...this.#pools.objects.values()],
        services: [...this.#services.objects.values()],
        rewrites: this.#rewrites.list,
      }),
    );
  }
}
