import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { type AnalyzedResource, mapValue, parseUrn, secret } from "../../engine/index.ts";
import { isMap } from "../../kubernetes/values/records.ts";
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
    if (output.trim() !== "") resourcesOf(output, folder);
    throw new UsageError(
      `${folder}: pulumi preview failed with ${signal ?? `exit code ${code}`}: ${errors.trim()}`,
    );
  }
  return output;
}

/** Returns the resources of a program in any language, from a preview of the Pulumi CLI. */
export async function previewWithCli(folder: string, stack: string): Promise<AnalyzedResource[]> {
  const output = await runPulumiPreview(
    folder,
    stack,
    "write the program in TypeScript, which needs no CLI: the local engine runs Node.js only",
  );
  return resourcesOf(output, folder);
}

interface Preview {
  readonly steps: readonly unknown[];
  readonly diagnostics: readonly unknown[];
}

/**
 * Returns the resources of the output of `pulumi preview --json`, each once.
 *
 * @throws UsageError for another text, and if the preview failed
 */
export function resourcesOf(output: string, source: string): AnalyzedResource[] {
  const { steps, diagnostics } = parsed(output, source);
  const errors = diagnostics
    .filter((each) => isMap(each) && each.severity === "error")
    .map((each) => String((each as { message?: unknown }).message).trim());
  if (errors.length > 0)
    throw new UsageError(`${source}: the preview failed: ${errors.join("\n")}`);
  const resources = new Map<string, AnalyzedResource>();
  for (const step of steps) {
    const resource = isMap(step) && !leaves(step.op) ? resourceOf(step.newState) : undefined;
    if (resource !== undefined) resources.set(resource.urn, resource);
  }
  return [...resources.values()];
}

function parsed(output: string, source: string): Preview {
  try {
    const { steps, diagnostics = [] } = JSON.parse(output);
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

function resourceOf(state: unknown): AnalyzedResource | undefined {
  if (!isMap(state) || typeof state.urn !== "string" || typeof state.type !== "string")
    return undefined;
  const { urn, type, parent, provider, inputs } = state;
  return {
    urn,
    type,
    name: parseUrn(urn).name,
    parent: typeof parent === "string" ? parent : "",
    properties: markSecrets(isMap(inputs) ? inputs : {}) as Record<string, unknown>,
    dependencies: [],
    propertyDependencies: {},
    ...(typeof provider === "string" && { provider }),
  };
}

/** The CLI prints this text instead of a secret. */
const hidden = "[secret]";

const markSecrets = (value: unknown): unknown =>
  mapValue(value, (each) => (each === hidden ? { value: secret(hidden) } : undefined));
