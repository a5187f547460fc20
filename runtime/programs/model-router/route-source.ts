import type { KubernetesClient } from "../../../kubernetes/api/client.ts";
import { type ReflectorTiming, reflectKind } from "../../../kubernetes/cache/reflect-kind.ts";
import type { Reflector } from "../../../kubernetes/cache/reflector.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import { addressesOf, type KindAddress } from "../../../kubernetes/kinds/kind.ts";
import type { KubernetesObject } from "../../../kubernetes/values/object.ts";
import { type ModelRoutes, modelRoutes } from "../../../sdk/routing/model-routes.ts";
import { readModelRewrite } from "../../../sdk/routing/read-model-rewrite.ts";
import { type ModelRouteObject, readModelRoute } from "../../../sdk/routing/read-model-route.ts";
import type { ModelRewriteObject } from "../../../sdk/routing/rewrite-table.ts";
import type { RoutedPool } from "../../../sdk/routing/routed-pool.ts";
import type { ServiceObject } from "../../endpoint-picker/datastore/pool-objects.ts";
import { readPool } from "../../endpoint-picker/sources/read-objects.ts";
import { readOrTell, readServiceAndTell } from "../../endpoint-picker/sources/read-or-tell.ts";
import { ReflectedList } from "../../endpoint-picker/sources/reflected-list.ts";

export interface RouteSourceOptions {
  readonly client: Pick<KubernetesClient, "request" | "watch">;
  /** `namespace/name` of the Gateways whose routes count; undefined for those of all. */
  readonly gateways: readonly string[] | undefined;
  readonly onRoutes: (routes: ModelRoutes) => void;
  /** Receives what an object or the API server does wrong; `key` names the object or kind. */
  readonly onProblem: (key: string, message: string) => void;
  readonly timing?: ReflectorTiming;
}

/** After routes were worked out, it rests so many times as long. */
const restPerCost = 10;

/** Milliseconds in which changes are collected at least. */
const collectMs = 20;

/** Reads the routes of gateways, and what says who has which model on their pools, from an API server. */
export class RouteSource {
  readonly #options: RouteSourceOptions;
  readonly #routes: Reflector<ModelRouteObject>;
  readonly #pools: Reflector<RoutedPool>;
  readonly #services: Reflector<ServiceObject>;
  readonly #rewrites = new ReflectedList<ModelRewriteObject>();
  #due: NodeJS.Timeout | undefined;
  #costMs = 0;
  #stopped = false;

  constructor(options: RouteSourceOptions) {
    this.#options = options;
    const { group } = kinds.InferencePool;
    this.#routes = this.#reflect<ModelRouteObject>(kinds.HTTPRoute, readModelRoute, true);
    this.#pools = this.#reflect<RoutedPool>(
      kinds.InferencePool,
      (object) => readPool(object, group),
      true,
    );
    this.#services = this.#reflect(kinds.LLMService, readServiceAndTell(options.onProblem));
    this.#rewrites.reflectors = addressesOf(kinds.InferenceModelRewrite).map((kind) =>
      this.#reflect<ModelRewriteObject>(kind, readModelRewrite, false, this.#rewrites.changed),
    );
  }

  start(): void {
    for (const reflector of this.#all) reflector.start();
  }

  /** Every kind was read once. */
  synced(): boolean {
    return this.#all.every(({ synced }) => synced);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#due);
    await Promise.all(this.#all.map((reflector) => reflector.stop()));
  }

  get #all(): ReadonlyArray<Pick<Reflector<unknown>, "start" | "stop" | "synced">> {
    return [this.#routes, this.#pools, this.#services, ...this.#rewrites.reflectors];
  }

  #reflect<T>(
    kind: KindAddress,
    read: (object: KubernetesObject) => T | undefined,
    required = false,
    onChange: () => void = () => {},
  ): Reflector<T> {
    const { client, onProblem, timing } = this.#options;
    return reflectKind<T>({
      ...{ client, kind, required, timing },
      read: readOrTell(kind, read, onProblem),
      onChange: () => {
        onChange();
        this.#changed();
      },
      onState: () => this.#changed(),
      onProblem: (message) => onProblem(kind.plural, message),
    });
  }

  /** Changes are told together, so that requests keep most of the processor. */
  #changed(): void {
    if (this.#due !== undefined || this.#stopped) return;
    const waitMs = Math.max(collectMs, this.#costMs * restPerCost);
    this.#due = setTimeout(() => {
      this.#due = undefined;
      if (this.synced()) this.#tell();
    }, waitMs);
  }

  #tell(): void {
    const { gateways, onRoutes } = this.#options;
    const start = performance.now();
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
    this.#costMs = performance.now() - start;
  }
}
