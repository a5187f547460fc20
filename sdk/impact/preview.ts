import type { Manifest } from "../../kubernetes/values/manifest.ts";

/** Change of one object in a preview. */
export interface ObjectChange {
  readonly operation: "create" | "update" | "replace" | "delete" | "same";
  /** Logical name of the resource. */
  readonly resource: string;
  /** Undefined for a new object. */
  readonly before: Manifest | undefined;
  /** Undefined for a deleted object. */
  readonly after: Manifest | undefined;
  /** Fields whose change requires a replacement, such as `metadata.namespace`. */
  readonly replaceReasons: readonly string[];
}

/** A string that is not the output of `pulumi preview --json`. */
export class PreviewError extends Error {
  override readonly name = "PreviewError";
}

interface Step {
  readonly op?: unknown;
  readonly urn?: unknown;
  readonly oldState?: State;
  readonly newState?: State;
  readonly replaceReasons?: readonly string[] | null;
}

interface State {
  readonly type?: string;
  readonly inputs?: unknown;
}

/** Other operations, such as `create-replacement`, are parts of a replacement. */
const operations = new Set(["create", "update", "replace", "delete", "same"]);

/**
 * Returns the changes of Kubernetes objects in the output of `pulumi preview --json`.
 *
 * @throws PreviewError if the string is another one, and if the preview failed
 */
export function readPreview(text: string): ObjectChange[] {
  const { steps, diagnostics = [] } = parsed(text);
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0)
    throw new PreviewError(
      `the preview failed: ${errors.map(({ message }) => message).join("; ")}`,
    );
  if (!Array.isArray(steps))
    throw new PreviewError("no steps; allowed: the output of `pulumi preview --json`");
  return (steps as readonly Step[]).flatMap(changeOf);
}

function changeOf({ op, urn, oldState, newState, replaceReasons }: Step): ObjectChange[] {
  if (typeof op !== "string" || !operations.has(op) || typeof urn !== "string") return [];
  const [before, after] = [oldState, newState].map(manifestOf);
  if (before === undefined && after === undefined) return [];
  return [
    {
      operation: op as ObjectChange["operation"],
      resource: urn.split("::").at(-1) ?? urn,
      before: op === "create" ? undefined : before,
      after: op === "delete" ? undefined : after,
      // The CLI lists the fields in any order.
      replaceReasons: (replaceReasons ?? []).map((path) => path.replace(/^\./, "")).sort(),
    },
  ];
}

/** Returns the object of a state; undefined for components and providers. */
function manifestOf(state: State | undefined): Manifest | undefined {
  const inputs = state?.inputs as Partial<Manifest> | undefined;
  const isObject = typeof inputs?.kind === "string" && typeof inputs.metadata === "object";
  return isObject ? (inputs as Manifest) : undefined;
}

interface Digest {
  readonly steps?: unknown;
  readonly diagnostics?: ReadonlyArray<{ readonly severity?: string; readonly message?: string }>;
}

function parsed(text: string): Digest {
  try {
    return (JSON.parse(text) ?? {}) as Digest;
  } catch {
    throw new PreviewError("not JSON; allowed: the output of `pulumi preview --json`");
  }
}
