import { isMap, listOf } from "../../kubernetes/values/records.ts";
import type { ClusterNode } from "./cluster-node.ts";

/**
 * Reports whether a node matches a required node affinity: its terms are alternatives, and the expressions of a term
 * apply together. A term without expressions matches no node, and neither does an expression that Kubernetes does not
 * define.
 *
 * @param terms `affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`
 */
export const matchesTerms = (terms: unknown, node: ClusterNode): boolean =>
  listOf(terms).some((term) => matchesTerm(term, node));

function matchesTerm(term: unknown, { metadata: { name, labels = {} } }: ClusterNode): boolean {
  if (!isMap(term)) return false;
  const expressions = listOf(term.matchExpressions);
  const fields = listOf(term.matchFields);
  if (expressions.length + fields.length === 0) return false;
  return (
    matchesExpressions(expressions, labels) && matchesExpressions(fields, { "metadata.name": name })
  );
}

/** Reports whether all expressions match some values, such as the labels of an object. */
export const matchesExpressions = (
  expressions: readonly unknown[],
  values: Readonly<Record<string, string>>,
): boolean => expressions.every((each) => matchesExpression(each, values));

function matchesExpression(expression: unknown, values: Readonly<Record<string, string>>): boolean {
  if (!isMap(expression) || typeof expression.key !== "string") return false;
  const { key, operator } = expression;
  const value = Object.hasOwn(values, key) ? values[key] : undefined;
  return operators[String(operator)]?.(value, listOf(expression.values)) ?? false;
}

type Operator = (value: string | undefined, values: readonly unknown[]) => boolean;

const operators: Readonly<Record<string, Operator>> = Object.assign(Object.create(null), {
  In: (value, values) => value !== undefined && values.includes(value),
  NotIn: (value, values) => value === undefined || !values.includes(value),
  Exists: (value) => value !== undefined,
  DoesNotExist: (value) => value === undefined,
  Gt: comparing((value, bound) => value > bound),
  Lt: comparing((value, bound) => value < bound),
} satisfies Record<string, Operator>);

/** Both sides are whole numbers; otherwise nothing matches. */
function comparing(holds: (value: bigint, bound: bigint) => boolean): Operator {
  return (value, [bound, ...others]) =>
    isWhole(value) && isWhole(bound) && others.length === 0 && holds(BigInt(value), BigInt(bound));
}

const isWhole = (text: unknown): text is string =>
  typeof text === "string" && /^[+-]?\d{1,19}$/.test(text);
