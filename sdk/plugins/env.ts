import { isMap } from "../../kubernetes/values/records.ts";
import type { Container } from "./hook-request.ts";

/** Sets the variables that a container does not have yet; those without a value are left out. */
export function addEnv(
  container: Container,
  variables: Readonly<Record<string, string | undefined>>,
): void {
  const present: unknown[] = Array.isArray(container.env) ? container.env : [];
  const taken = new Set(present.map((variable) => (isMap(variable) ? variable.name : undefined)));
  const added = Object.entries(variables).flatMap(([name, value]) =>
    value === undefined || taken.has(name) ? [] : [{ name, value }],
  );
  if (added.length > 0) container.env = [...present, ...added];
}
