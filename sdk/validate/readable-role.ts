import type { z } from "zod";
import type { Path } from "../errors.ts";
import { valueAt } from "../schemas/value-at.ts";
import { Role } from "../spec/role.ts";
import { replaced } from "./replaced.ts";

/**
 * Returns a malformed role without its invalid fields, so that one of them does not hide further problems of the role.
 * Undefined if too little is left to check.
 *
 * @param written the role as written
 * @param refused paths in the role to values that are only known later
 */
export function readableRole(written: unknown, refused: readonly Path[]): Role | undefined {
  // Most rules depend on the pod's resources and would report wrong problems without them.
  if (refused.some((path) => path.includes("resources"))) return undefined;
  let candidate = refused.reduce<unknown>(
    (role, path) => (role === undefined ? undefined : repaired(role, path)),
    written,
  );
  for (let round = 0; candidate !== undefined && round < rounds; round += 1) {
    const result = Role.safeParse(candidate);
    if (result.success) return result.data;
    candidate = pathsOf(result.error).reduce<unknown>(
      (role, path) => (role === undefined ? undefined : repaired(role, path)),
      candidate,
    );
  }
  return undefined;
}

/** Larger than the depth of a role: each round removes the invalid values, or their parents. */
const rounds = 20;

function pathsOf({ issues }: z.ZodError): Path[] {
  return issues.flatMap((issue) => {
    const path = issue.path as Path;
    return issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...path, key]) : [path];
  });
}

/**
 * Returns the role without the value at a path. A name gets a placeholder; without a pod template the result is
 * undefined.
 */
function repaired(role: unknown, path: Path): unknown {
  const field = path.at(-1);
  if (field === "name") return replaced(role, path, "unnamed");
  if (field === "componentType" && valueAt(role, path) !== "worker")
    return replaced(role, path, "worker");
  if (path[0] === "gateway" && field === "type") return replaced(role, path, "generic");
  if (path.length === 0 || (path[0] === "template" && path.length <= 3)) return undefined;
  // A minimum is meaningless without replicas.
  const rest = field === "replicas" ? replaced(role, ["minReplicas"], undefined) : role;
  const isAbsent = valueAt(rest, path) === undefined;
  const isElement = typeof field === "number";
  return isAbsent || isElement
    ? repaired(rest, path.slice(0, -1))
    : replaced(rest, path, undefined);
}
