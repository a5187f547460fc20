import { compile, type JSONPathQuery, type JSONValue } from "json-p3";
import { builtinReadiness } from "./builtin-readiness.ts";
import { annotation, type KubernetesObject } from "./object.ts";
import { conditionOf, isBehind, type Readiness, type ReadyCondition } from "./object-status.ts";

const ready: Readiness = { ready: true };

/**
 * Returns the condition that a create or update awaits: none with `pulumi.com/skipAwait`, otherwise the condition in
 * `pulumi.com/waitFor`, otherwise the provider's condition for the kind. `undefined` means none.
 */
export function readyCondition(inputs: KubernetesObject): ReadyCondition | undefined {
  if (annotation(inputs, "pulumi.com/skipAwait") === "true") return undefined;
  const expression = annotation(inputs, "pulumi.com/waitFor");
  return expression ? waitForCondition(expression) : builtinReadiness(inputs);
}

/** Parses one expression or a JSON array of expressions, which must all hold. */
function waitForCondition(text: string): ReadyCondition {
  const conditions = expressions(text).map(parseExpression);
  return async (live, lookup) => {
    for (const condition of conditions) {
      const result = await condition(live, lookup);
      if (!result.ready) return result;
    }
    return ready;
  };
}

function expressions(text: string): string[] {
  if (!text.trimStart().startsWith("[")) return [text];
  const list = JSON.parse(text) as string[];
  if (list.length === 0)
    throw new Error("pulumi.com/waitFor is an empty list; name at least one condition");
  return list;
}

function parseExpression(text: string): ReadyCondition {
  if (text.startsWith("condition=")) return conditionExpression(text.slice("condition=".length));
  if (text.startsWith("jsonpath=")) return jsonPathExpression(text.slice("jsonpath=".length));
  throw new Error(
    `pulumi.com/waitFor ${JSON.stringify(text)}: expected condition=Type[=Status] or jsonpath={.path}[=value]`,
  );
}

function conditionExpression(text: string): ReadyCondition {
  const [type = "", status = "True"] = text.split("=");
  return (live) => {
    const found = conditionOf(live, type);
    if (found?.status === status && !isBehind(live)) return ready;
    const now = found
      ? `it is ${found.status}${found.message ? `: ${found.message}` : ""}`
      : "it is not set";
    return { ready: false, waitingFor: `condition ${type}=${status} (${now})` };
  };
}

function jsonPathExpression(text: string): ReadyCondition {
  // The value follows the closing brace, because the path itself may contain an equals sign.
  const [, path, value] = /^\{\s*(.*?)\s*\}(?:=(.+))?$/s.exec(text) ?? [];
  if (path === undefined) {
    throw new Error(
      `pulumi.com/waitFor jsonpath=${text}: expected {.path} or {.path}=value, without shell quotes`,
    );
  }
  const query = compiled(path);
  const wanted = value === undefined ? `{${path}}` : `{${path}}=${value}`;
  return (live) => {
    const [found] = query.query(live as JSONValue).values();
    const isPlain = found !== null && typeof found !== "object";
    if (value !== undefined && found !== undefined && !isPlain && found !== null) {
      throw new Error(
        `pulumi.com/waitFor ${wanted}: the path leads to an object or a list, which equals no value`,
      );
    }
    const matches = found !== undefined && (value === undefined || String(found) === value);
    if (matches && !isBehind(live)) return ready;
    const now = found === undefined ? "it selects nothing" : `it is ${JSON.stringify(found)}`;
    return { ready: false, waitingFor: `${wanted} (${now})` };
  };
}

/** Parses a JSONPath (RFC 9535). As in kubectl, the leading `$` is optional. */
function compiled(path: string): JSONPathQuery {
  try {
    return compile(path.startsWith("$") ? path : `$${path}`);
  } catch (error) {
    throw new Error(`pulumi.com/waitFor jsonpath={${path}}: ${(error as Error).message}`);
  }
}
