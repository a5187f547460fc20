import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { isMap } from "../../kubernetes/values/records.ts";
import {
  mapValue,
  parseUrn,
  type RecordedResource,
  secret,
  UNKNOWN,
} from "../../recorder/index.ts";
import { hiddenSecret } from "../../sdk/impact/hidden-values.ts";
import { UsageError } from "../exit-code.ts";

/**
 * Returns the output of `pulumi preview --json`.
 *
 * @throws UsageError if the CLI is missing or the preview failed
 */
export async function runPulumiPreview(
  folder: string,
  stack: string | undefined,
  instead: string,
): Promise<string> {
  const args = ["preview", "--json", "--show-sames", "--non-interactive"];
  const cli = spawn("pulumi", [...args, ...(stack === undefined ? [] : ["--stack", stack])], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) =>
    cli.once("error", reject).once("close", (...end) => resolve(end)),
  );
  const [output, errors, [code, signal]] = await Promise.all([
    text(cli.stdout),
    text(cli.stderr),
    ended,
  ]).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    throw new UsageError(`${folder}: the Pulumi CLI is not on PATH; install it, or ${instead}`);
  });
  if (code !== 0) {
    // A failed preview prints its diagnostics as JSON, too.
    if (output.trim() !== "") readCliPreview(output, folder);
    throw new UsageError(
      `${folder}: pulumi preview failed with ${signal ?? `exit code ${code}`}: ${errors.trim()}`,
    );
  }
  return output;
}

/** Resources of a preview. */
export interface Preview {
  /** In the order of creation, with marks for secrets and for values that only an update knows. */
  readonly resources: readonly RecordedResource[];
  /** Properties in which values that only an update knows may be missing without a mark. */
  readonly uncertain: readonly Uncertain[];
}

export interface Uncertain {
  /** `settings: data depends on chat`. */
  readonly text: string;
  /** Whether it depends on components only. Most of their outputs, such as names, are known in a preview. */
  readonly isOfComponents: boolean;
}

/** Previews a program in any language with the Pulumi CLI. */
export async function previewWithCli(folder: string, stack: string): Promise<Preview> {
  const output = await runPulumiPreview(
    folder,
    stack,
    "write the program in TypeScript, which needs no CLI",
  );
  return readCliPreview(output, folder);
}

interface Printed {
  readonly steps: readonly unknown[];
  readonly diagnostics: readonly unknown[];
}

/**
 * Reads the output of `pulumi preview --json`. It has `[secret]` for a secret, and it omits values that only an update
 * knows: a property that is missing, although it depends on another resource, is such a value. Within a property they
 * look like absent fields, unless the resources that it depends on do not change.
 *
 * @throws UsageError for another text, and if the preview failed
 */
export function readCliPreview(output: string, source: string): Preview {
  const { steps, diagnostics } = parsed(output, source);
  const errors = errorsIn(diagnostics);
  if (errors.length > 0)
    throw new UsageError(`${source}: the preview failed: ${errors.join("\n")}`);
  const staying = steps.filter(isMap).filter(({ op }) => !leaves(op));
  const changing = new Set(staying.filter(({ op }) => op !== "same").map(({ urn }) => urn));
  const components = new Set<unknown>(
    staying
      .filter(({ newState }) => isMap(newState) && newState.custom !== true)
      .map(({ urn }) => urn),
  );
  const resources = new Map<string, RecordedResource>();
  const uncertain: Uncertain[] = [];
  for (const { newState } of staying) {
    const resource = resourceOf(newState);
    if (resource === undefined || resources.has(resource.urn)) continue;
    resources.set(resource.urn, resource);
    for (const [property, on] of Object.entries(resource.propertyDependencies)) {
      const changed = on.filter((urn) => changing.has(urn));
      if (changed.length === 0 || !resource.type.startsWith("kubernetes:")) continue;
      if (resource.properties[property] === undefined) resource.properties[property] = UNKNOWN;
      else
        uncertain.push({
          text: `${resource.name}: ${property} depends on ${changed.map((urn) => parseUrn(urn).name).join(", ")}`,
          isOfComponents: changed.every((urn) => components.has(urn)),
        });
    }
  }
  return { resources: [...resources.values()], uncertain };
}

/** Returns the messages of the errors among diagnostics. */
const errorsIn = (diagnostics: unknown): string[] =>
  (Array.isArray(diagnostics) ? diagnostics : [])
    .filter((each) => isMap(each) && each.severity === "error")
    .map((each) => String((each as { message?: unknown }).message).trim());

function parsed(output: string, source: string): Printed {
  try {
    const { diagnostics = [], ...printed } = JSON.parse(output);
    // A preview that fails early prints its errors without a list of steps.
    const { steps = errorsIn(diagnostics).length > 0 ? [] : undefined } = printed;
    if (Array.isArray(steps) && Array.isArray(diagnostics)) return { steps, diagnostics };
  } catch {
    // The next line reports it.
  }
  throw new UsageError(`${source}: pulumi preview --json printed no list of steps`);
}

/** Steps of resources that the update deletes, or that another step replaces. */
const leaves = (operation: unknown) =>
  [
    "delete",
    "delete-replaced",
    "discard",
    "discard-replaced",
    "read-discard",
    "remove-pending-replace",
  ].includes(String(operation));

function resourceOf(state: unknown): RecordedResource | undefined {
  if (!isMap(state) || typeof state.urn !== "string" || typeof state.type !== "string")
    return undefined;
  const { urn, type, parent, provider, inputs, propertyDependencies } = state;
  return {
    urn,
    type,
    name: parseUrn(urn).name,
    parent: typeof parent === "string" ? parent : "",
    properties: markSecrets(isMap(inputs) ? inputs : {}) as Record<string, unknown>,
    dependencies: [],
    propertyDependencies: dependenciesOf(propertyDependencies),
    ...(typeof provider === "string" && { provider }),
  };
}

function dependenciesOf(value: unknown): Record<string, string[]> {
  const entries = Object.entries(isMap(value) ? value : {});
  return Object.fromEntries(
    entries.map(([property, on]) => [property, Array.isArray(on) ? on.map(String) : []]),
  );
}

/** The content of a hidden secret is not known. */
const markSecrets = (value: unknown): unknown =>
  mapValue(value, (each) => (each === hiddenSecret ? { value: secret(UNKNOWN) } : undefined));
