import type { z } from "zod";
import type { Path } from "../errors.ts";
import { Role } from "../spec/role.ts";
import { valueAt } from "../spec/value-at.ts";
import { replaced } from "./replaced.ts";

/**
 * A malformed role without its wrong fields, so that one of them does not hide what else is wrong with the role.
 * Undefined where too little is left to judge.
 *
 * @param written the role as written
 * @param refused places in the role whose values are not known yet
 */
export function readableRole(written: unknown, refused: readonly Path[]): Role | undefined {
  // What a pod asks for decides most rules; without it they would say what is not so.
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

/** More than a role is deep; each round takes away what was wrong, or what held it. */
const rounds = 20;

function pathsOf({ issues }: z.ZodError): Path[] {
  return issues.flatMap((issue) => {
    const path = issue.path as Path;
    return issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...path, key]) : [path];
  });
}

/** The role without the value at a path; a name is made up, and without pods nothing is left. */
function repaired(role: unknown, path: Path): unknown {
  const field = path.at(-1);
  if (field === "name") return replaced(role, path, "unnamed");
  if (field === "componentType" && valueAt(role, path) !== "worker")
    return replaced(role, path, "worker");
  if (path[0] === "gateway" && field === "type") return replaced(role, path, "generic");
  if (path.length === 0 || (path[0] === "template" && path.length <= 3)) return undefined;
  // Without replicas their minimum means nothing.
  const rest = field === "replicas" ? replaced(role, ["minReplicas"], undefined) : role;
  const isAbsent = valueAt(rest, path) === undefined;
  const isElement = typeof field === "number";
  return isAbsent || isElement
    ? repaired(rest, path.slice(0, -1))
    : replaced(rest, path, undefined);
}
