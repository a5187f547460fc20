import { formatProblem } from "../../errors.ts";
import type { Finding } from "../../invariant.ts";
import { unknownValue } from "../../stack/unknown-value.ts";
import type { StackRule } from "./stack-rule.ts";

/**
 * Returns the kind, namespace and name of an object, such as `LeaderWorkerSet ml/decode`. Missing parts are omitted.
 */
export function nameOfObject(object: unknown): string {
  const { kind, metadata } = (object ?? {}) as {
    kind?: unknown;
    metadata?: { name?: unknown; namespace?: unknown } | null;
  };
  const { name, namespace } = metadata ?? {};
  const names = [namespace, name].flatMap((text) => {
    if (text === unknownValue) return ["(not yet known)"];
    return typeof text === "string" ? [text] : [];
  });
  return [typeof kind === "string" ? kind : "object", names.join("/")].join(" ").trim();
}

/** Returns a finding as `LeaderWorkerSet ml/decode: spec.replicas: is -1; allowed: ...`. */
export function formatObjectFinding(
  { code }: Pick<StackRule, "code">,
  { path, ...finding }: Finding,
  object: unknown,
): string {
  return `${nameOfObject(object)}: ${formatProblem({ code, ...finding, path: path.slice(1) })}`;
}
