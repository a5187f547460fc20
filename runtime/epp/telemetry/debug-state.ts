import type { Endpoint } from "../../../scheduling/endpoints/endpoint.ts";
import type { Registration } from "../../../sdk/routing/registrations.ts";
import type { PoolSnapshot } from "../datastore/snapshot.ts";

/**
 * Returns the state of the picker, which shows operators why an endpoint was picked: endpoints with their readings, the
 * service that registers each model, rules including those that never apply, and priorities.
 *
 * @param now milliseconds of the clock that dates the readings
 */
export function debugState({ pool, endpoints, routing, priorities }: PoolSnapshot, now: number) {
  const { registrations, rewrites } = routing;
  return {
    pool: pool === undefined ? null : { ...pool },
    endpoints: endpoints.map((endpoint) => describeEndpoint(endpoint, now)),
    registrations: {
      required: routing.registrationRequired,
      byModel: Object.fromEntries([...registrations.byModel].map(describeRegistration)),
      lost: registrations.lost,
    },
    rewrites: {
      exact: Object.fromEntries(rewrites.exact),
      generic: rewrites.generic ?? null,
      unused: rewrites.unused,
    },
    priorities: Object.fromEntries(priorities),
  };
}

const describeRegistration = ([name, { service, model, targets }]: [string, Registration]) => [
  name,
  {
    service,
    critical: model.critical,
    objectiveSeconds: model.objectiveSeconds ?? null,
    targets,
  },
];

function describeEndpoint({ id, address, labels, live }: Endpoint, now: number) {
  const { metrics, runningRequests, runningTokens } = live;
  return {
    id,
    address,
    labels,
    sent: { runningRequests, runningTokens },
    metrics:
      metrics === undefined
        ? null
        : {
            ageMilliseconds: Math.round(now - metrics.at),
            waitingRequests: metrics.waitingRequests,
            runningRequests: metrics.runningRequests,
            kvCacheUsage: metrics.kvCacheUsage,
            cacheBlockSize: metrics.cacheBlockSize ?? null,
            cacheBlocks: metrics.cacheBlocks ?? null,
            activeModels: [...metrics.activeModels],
            waitingModels: [...metrics.waitingModels],
            servedModel: metrics.servedModel ?? null,
            maxActiveModels: metrics.maxActiveModels,
          },
  };
}
