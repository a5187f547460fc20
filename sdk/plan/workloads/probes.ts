import { isDeferred } from "../../../kubernetes/values/deferred.ts";
import { present } from "../../../kubernetes/values/present.ts";
import { type HealthCheck, hasNoServer, healthCheckOf } from "../../engines/containers/server.ts";
import { engineNameOf } from "../../engines/index.ts";
import type { EngineName } from "../../engines/interface/engine.ts";
import type { Container } from "../../schemas/pod-template.ts";

/** Probes for engines whose template sets none. */

/** A pod leaves the pool when its engine has not responded for a minute. */
const readiness = { periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 };

/**
 * An engine that has not responded within an hour is restarted. The first download of hundreds of GB of weights may
 * take most of this time, and an engine that is restarted earlier would never finish it.
 */
const startup = { periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 360 };

/**
 * Returns the engine of a single pod with a readiness probe, so that it gets no request before the model is loaded, and
 * with a startup probe on the same check. No probe is added if the kubelet may not be able to reach the server.
 *
 * @param port port of the engine's server; undefined if it is not known
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
 * Returns the engine of a leader, which is ready when the engine responds. It has no startup probe: a group restarts as
 * a whole, so a failed probe would discard what all of its pods have loaded.
 *
 * @param name engine that forms the group; undefined if the template forms it in another way
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
 * Uses the check of the template's readiness probe, if there is one. With a path that the engine does not have, the
 * engine would restart forever.
 */
function startupProbe(written: unknown, check: HealthCheck): object | undefined {
  if (written === undefined) return { ...check, ...startup };
  if (isDeferred(written)) return undefined;
  const probe = written as Record<string, unknown>;
  const handler = handlers.find((name) => probe[name] !== undefined);
  return handler === undefined ? undefined : { [handler]: probe[handler], ...startup };
}
