import { isDeferred, mapDeferred } from "../../kubernetes/values/deferred.ts";
import { isMap } from "../../kubernetes/values/records.ts";
import type { Container } from "./hook-request.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Sets the variables that a container does not have yet. Variables without a value are skipped. */
export function addEnv(container: Container, variables: Variables): void {
  const { env } = container;
  if (isDeferred(env)) {
    container.env = mapDeferred(env, (known) => [...listOf(known), ...added(known, variables)]);
    return;
  }
  const more = added(env, variables);
  if (more.length > 0) container.env = [...listOf(env), ...more];
}

const listOf = (env: unknown): unknown[] => (Array.isArray(env) ? env : []);

function added(env: unknown, variables: Variables) {
  const taken = new Set(
    listOf(env).map((variable) => (isMap(variable) ? variable.name : undefined)),
  );
  return Object.entries(variables).flatMap(([name, value]) =>
    value === undefined || taken.has(name) ? [] : [{ name, value }],
  );
}
