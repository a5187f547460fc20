import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { isMap } from "../../kubernetes/values/records.ts";
import { formatProblem, type Problem, SpecError } from "../../sdk/errors.ts";
import { planDocument } from "../../sdk/plan/document.ts";
import type { PodPluginSupport } from "../../sdk/plugins/registry.ts";
import { unknownValue } from "../../sdk/stack/unknown-value.ts";
import { UsageError } from "../exit-code.ts";
import { readAll } from "../input/documents.ts";
import { type InputDocument, manifestOf, objectsOf, readInput } from "../input/input.ts";
import { located } from "../input/located.ts";
import { isObject, previewResources, providerProblems } from "../input/program.ts";
import type { Terminal } from "../terminal.ts";

/**
 * Returns the objects whose pods are placed. A value of a program that only an update knows is `unknownValue`.
 *
 * @throws UsageError for a program whose objects are for several clusters
 */
export async function capacityObjects(
  paths: readonly string[],
  { stack, podPlugins }: { readonly stack: string; readonly podPlugins: PodPluginSupport },
  terminal: Pick<Terminal, "readStdin" | "err">,
): Promise<Manifest[]> {
  const input = await readInput(paths, { verb: "place", stack }, terminal);
  if (input.program === undefined)
    return readAll(input.documents, (each) => planned(each, podPlugins, terminal)).flat();
  const objects = (await previewResources(input.program, terminal)).filter(isObject);
  const problems = providerProblems(objects, "place");
  if (problems.length > 0) throw new UsageError(problems.join("\n"));
  return objects.map((each) => manifestOf(each, unknownValue));
}

/**
 * If a document lacks only fields that do not affect the number of pods, it is planned as if it had them, and a warning
 * is printed.
 */
function planned(
  document: InputDocument,
  podPlugins: PodPluginSupport,
  { err }: Pick<Terminal, "err">,
): readonly Manifest[] {
  try {
    return objectsOf(document, { podPlugins });
  } catch (error) {
    if (!(error instanceof SpecError) || !error.problems.every(isUncounted)) throw error;
    const filled = structuredClone(document.value) as unknown;
    for (const problem of error.problems) fillIn(filled, problem);
    const { manifests } = planDocument(filled, { podPlugins });
    for (const problem of error.problems) {
      const { location, problem: shown } = located(document, problem);
      err.write(
        `warning: ${location}: a deployment would fail, although pods can be counted: ${formatProblem(shown)}\n`,
      );
    }
    return manifests;
  }
}

/** Values for fields that change neither the number of pods nor their requests. */
const fillings: Readonly<Record<string, unknown>> = { port: 8000, "multinode.executor": "custom" };

const fieldOf = ({ path: [roles, , ...field] }: Problem) =>
  roles === "roles" ? field.join(".") : "";

const isUncounted = (problem: Problem): boolean =>
  problem.given.startsWith("is missing") && Object.hasOwn(fillings, fieldOf(problem));

function fillIn(document: unknown, problem: Problem): void {
  const [, at] = problem.path;
  const spec = isMap(document) ? document.spec : undefined;
  const roles = isMap(spec) ? spec.roles : undefined;
  const role = Array.isArray(roles) ? roles[Number(at)] : undefined;
  if (!isMap(role)) return;
  if (fieldOf(problem) === "port") role.port = fillings.port;
  else if (isMap(role.multinode)) role.multinode.executor = fillings["multinode.executor"];
}
