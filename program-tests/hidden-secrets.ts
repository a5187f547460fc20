import { isDeepStrictEqual } from "node:util";
import { isMap } from "../recorder/index.ts";
import { hiddenSecret, unknownText } from "../sdk/impact/hidden-values.ts";

/** A preview of the Pulumi CLI shows `[secret]` for each secret, before and after. */

interface Step {
  readonly op?: string;
  readonly oldState?: { readonly inputs?: unknown } | null;
  readonly newState?: { readonly inputs?: unknown } | null;
  readonly replaceReasons?: readonly string[] | null;
  readonly detailedDiff?: Readonly<Record<string, unknown>> | null;
}

/**
 * Returns the output of `pulumi preview --json` in which secrets can be compared: an encrypted secret counts as unchanged,
 * and any other secret whose path is among the differences of its step is unknown afterwards.
 */
export function withComparedSecrets(preview: string, isEncrypted: boolean): string {
  const { steps, ...rest } = JSON.parse(preview) as { steps?: readonly Step[] };
  if (!Array.isArray(steps)) return preview;
  return JSON.stringify({ ...rest, steps: steps.map(isEncrypted ? ignoringSecrets : withChanges) });
}

/** The step without the differences of secrets, which compare texts that replace ciphertexts. */
function ignoringSecrets(step: Step): Step {
  const [before, after] = [step.oldState?.inputs, step.newState?.inputs];
  if (step.op !== "update" && step.op !== "replace") return step;
  const hidden = new Set([...pathsOfHidden(before), ...pathsOfHidden(after)]);
  if (hidden.size === 0) return step;
  const hiding = (inputs: unknown) =>
    mapPaths(inputs, (_, path) => (hidden.has(path) ? hiddenSecret : undefined));
  if (isDeepStrictEqual(hiding(before), hiding(after))) return { ...step, op: "same" };
  const isOfSecret = (reason: string) => [...hidden].some((path) => isWithin(reason, path));
  const isReplaced = step.op === "replace" && !step.replaceReasons?.every(isOfSecret);
  return { ...step, op: isReplaced ? "replace" : "update" };
}

function withChanges(step: Step): Step {
  const changed = Object.keys(step.detailedDiff ?? {});
  if (step.op !== "update" || changed.length === 0) return step;
  const inputs = mapPaths(step.newState?.inputs, (value, path) =>
    value === hiddenSecret && changed.some((each) => isWithin(each, path) || isWithin(path, each))
      ? unknownText
      : undefined,
  );
  return { ...step, newState: { ...step.newState, inputs } };
}

function pathsOfHidden(inputs: unknown): string[] {
  const found: string[] = [];
  mapPaths(inputs, (value, path) => {
    if (value === hiddenSecret) found.push(path);
    return undefined;
  });
  return found;
}

/** Whether a path is the same as another one, or leads to a part of its value. */
const isWithin = (path: string, whole: string): boolean =>
  path === whole || path.startsWith(`${whole}.`) || path.startsWith(`${whole}[`);

/** Rebuilds a value like `mapValue`, with the path of each part as Pulumi writes it. */
function mapPaths(
  value: unknown,
  replace: (value: unknown, path: string) => unknown,
  path = "",
): unknown {
  const replaced = replace(value, path);
  if (replaced !== undefined) return replaced;
  if (Array.isArray(value))
    return value.map((each, at) => mapPaths(each, replace, `${path}[${at}]`));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, mapPaths(each, replace, join(path, key))]),
  );
}

const join = (path: string, key: string): string => {
  if (!/^[\w-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
};
