import { newKubernetesClient } from "../../../kubernetes/api/client.ts";
import { loadKubeConfig } from "../../../kubernetes/api/load-kubeconfig.ts";
import { type ModelRoutes, noModelRoutes } from "../../../sdk/routing/model-routes.ts";
import { systemClock } from "../../epp/clock.ts";
import { maxReceiveBytes } from "../../epp/flags/serving.ts";
import { BodyBudget } from "../../epp/request-path/body-budget.ts";
import { type Listening, serveExtProc } from "../../epp/serve.ts";
import { processorService } from "../../epp/server/ext-proc-service.ts";
import type { FlagValues } from "../../manager/flags/command-line.ts";
import { controllerHealth } from "../../manager/health/controller-health.ts";
import type { Log } from "../../manager/log.ts";
import { Manager, type Running } from "../../manager/manager.ts";
import { RouterExchange } from "./exchange.ts";
import type { flags } from "./flags.ts";
import { RouteSource } from "./route-source.ts";
import { RouterMetrics } from "./router-metrics.ts";

export type ModelRouterOptions = FlagValues<typeof flags>;

/** Starts a model router: its copy of routes and pools, and the ext_proc server for gateways. */
export async function startModelRouter(
  options: ModelRouterOptions,
  log: Log,
): Promise<Running<{ readonly grpc: number }>> {
  const { routes: location, serving, operations } = options;
  const clock = systemClock;
  const client = newKubernetesClient(loadKubeConfig({ file: location.kubeconfig }));
  let routes: ModelRoutes = noModelRoutes;
  let known = false;
  const source = new RouteSource({
    client,
    gateways: location.gateways.length === 0 ? undefined : location.gateways,
    onRoutes(found) {
      routes = found;
      known = true;
    },
    onProblem: (key, message) => log.error(`${key}: ${message}`),
  });
  const metrics = new RouterMetrics(() => routes);
  const bodies = new BodyBudget({
    maxBody: serving.maxBodyBytes,
    maxTotal: serving.maxBufferedBytes,
    now: clock.now,
  });
  const router = { routes: () => routes, bodies, clock, metrics };
  const service = processorService(
    {
      ...{ bodies, clock, observer: metrics.observer },
      exchange: (send, report, proxyGoesOn) =>
        new RouterExchange(router, send, report, proxyGoesOn),
    },
    (error) => log.error("request failed", error),
    {
      maxReceiveBytes: maxReceiveBytes(serving),
      requestTimeoutMs: serving.requestTimeoutMs,
      maxStreamAgeMs: serving.maxStreamAgeMs,
    },
  );
  const manager = new Manager({ log, operations, client, lease: undefined });
  let extProc: Listening | undefined;
  return manager.run({
    pages: {
      families: metrics.families,
      debug: { "/debug/models": (query) => modelsPage(routes, query) },
    },
    facts: { gateways: location.gateways.length === 0 ? "all" : location.gateways },
    isReady: () => known,
    async start() {
      const isReady = () => manager.isReady();
      extProc = await serveExtProc(service, options, controllerHealth, isReady, log);
      source.start();
      return { grpc: extProc.port };
    },
    drain: { windowMs: serving.drainTimeoutMs, running: service.openStreams },
    async stop() {
      await extProc?.server.stop(serving.shutdownTimeoutMs);
      await source.stop();
    },
  });
}

/** Number of models that are shown if the query names no model. */
const shownModels = 100;

/** Page `/debug/models`: the route of the model in `?model=`, or the number of models and the first ones. */
function modelsPage({ byModel, anyModel }: ModelRoutes, query: URLSearchParams): unknown {
  const model = query.get("model");
  if (model !== null) return { model, route: byModel.get(model) ?? null, anyModel };
  const models = Object.fromEntries([...byModel].slice(0, shownModels));
  return { count: byModel.size, models, anyModel };
}
