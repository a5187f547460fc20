import { z } from "zod";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { isMap } from "../../kubernetes/values/records.ts";
import { formatPath, formatProblem, type Path } from "../errors.ts";
import { readStack } from "../stack/stack.ts";
import { trackUnknownReads } from "../stack/unknown-value.ts";
import { hiddenAsUnknown } from "./hidden-values.ts";

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

const State = z.looseObject({ inputs: z.unknown().optional() }).nullish();
const Step = z.looseObject({
  op: z.string(),
  urn: z.string(),
  oldState: State,
  newState: State,
  replaceReasons: z.array(z.string()).nullish(),
});
const Preview = z.looseObject({
  steps: z.array(Step).nullish(),
  diagnostics: z
    .array(z.looseObject({ severity: z.string().nullish(), message: z.string().nullish() }))
    .nullish(),
});

/** Other operations, such as `create-replacement`, are parts of a replacement. */
const operations = new Set(["create", "update", "replace", "delete", "same"]);

/**
 * Returns the changes of Kubernetes objects in the output of `pulumi preview --json`.
 *
 * @throws PreviewError if the string is not such an output, or if the preview failed
 */
export function readPreview(text: string): ObjectChange[] {
  const { steps, diagnostics } = parsed(text);
  const errors = (diagnostics ?? []).filter(({ severity }) => severity === "error");
  if (errors.length > 0)
    throw new PreviewError(
      `the preview failed: ${errors.map(({ message }) => message).join("; ")}`,
    );
  if (steps === undefined || steps === null)
    throw new PreviewError("no steps; allowed: the output of `pulumi preview --json`");
  return steps.flatMap(changeOf);
}

function changeOf({
  op,
  urn,
  oldState,
  newState,
  replaceReasons,
}: z.infer<typeof Step>): ObjectChange[] {
  if (!operations.has(op)) return [];
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
function manifestOf(state: z.infer<typeof State>): Manifest | undefined {
  const inputs = state?.inputs;
  if (!isMap(inputs) || typeof inputs.kind !== "string" || !isMap(inputs.metadata))
    return undefined;
  const [problem] = readStack([hiddenAsUnknown(inputs)]).malformed;
  if (problem !== undefined)
    throw new PreviewError(
      `${inputs.kind} ${JSON.stringify(inputs.metadata.name)}: ${formatProblem({ code: "shape", ...problem, path: problem.path.slice(1) })}`,
    );
  // Without nulls, as the API server stores it.
  return trackUnknownReads(inputs, []) as Manifest;
}

function parsed(text: string): z.infer<typeof Preview> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new PreviewError("not JSON; allowed: the output of `pulumi preview --json`");
  }
  const { data, error } = Preview.safeParse(value);
  if (data !== undefined) return data;
  const [issue] = error.issues;
  const at = formatPath((issue?.path ?? []) as Path);
  throw new PreviewError(
    `${at === "" ? "the document" : at}: ${issue?.message ?? "has another form"}; allowed: the output of \`pulumi preview --json\``,
  );
}
