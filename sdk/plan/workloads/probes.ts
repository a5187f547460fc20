import { isDeferred } from "../../../kubernetes/values/deferred.ts";
import { present } from "../../../kubernetes/values/present.ts";
import { type EngineName, engineNameOf } from "../../engines/index.ts";
import { type HealthCheck, hasNoServer, healthCheckOf } from "../../engines/server.ts";
import type { Container } from "../../spec/role.ts";

/** Probes that an engine gets where its template has none of its own. */

/** A pod is taken out of the pool when the engine has not answered for a minute. */
const readiness = { periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 };

/**
 * An engine that has not answered within an hour is started anew. Weights of hundreds of gigabytes may take most of
 * that on their first download; a container that is killed before then would never get further.
 */
const startup = { periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 360 };

/**
 * The engine of a single pod, with a readiness probe, so that it gets no request before the model is loaded, and a
 * startup probe on the same check. No probe is made up for a server that the kubelet may not reach.
 *
 * @param port where the engine's server listens; undefined where that is not known
 */
export function withProbes(engine: Container, port: number | undefined): Container {
  if (port === undefined || hasNoServer(engine)) return engine;
  const check = healthCheckOf(engine, port);
  return {
    ...engine,
    ...present({
      startupProbe: engine.startupProbe ?? startupProbe(engine.readinessProbe, check),
      readinessProbe: engine.readinessProbe ?? { ...check, ...readiness },
    }),
  };
}

/**
 * The engine of a leader, which is ready when the model answers. It has no startup probe: a group restarts as one,
 * so a probe that gives up would throw away what all of its pods have loaded.
 *
 * @param name engine that forms the group; undefined where the template does that in a way of its own
 */
export function withLeaderProbe(
  engine: Container,
  port: number | undefined,
  name: EngineName | undefined,
): Container {
  if (port === undefined || engine.readinessProbe !== undefined) return engine;
  const check = healthCheckOf(engine, port, engineNameOf(engine) ?? name);
  return { ...engine, readinessProbe: { ...check, ...readiness } };
}

const handlers = ["httpGet", "tcpSocket", "exec", "grpc"] as const;

/**
 * Asks what the template's readiness probe asks, where it has one: a path that the engine does not have would end in
 * restarts for ever.
 */
function startupProbe(written: unknown, check: HealthCheck): object | undefined {
  if (written === undefined) return { ...check, ...startup };
  if (isDeferred(written)) return undefined;
  const probe = written as Record<string, unknown>;
  const handler = handlers.find((name) => probe[name] !== undefined);
  return handler === undefined ? undefined : { [handler]: probe[handler], ...startup };
}
