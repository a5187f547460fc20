import { expect, it } from "vitest";
import { isMap } from "../../kubernetes/values/records.ts";
import { formatPath, type Path, SpecError } from "../errors.ts";
import { shapeRules } from "../rules/objects/shape-rule.ts";
import { valueAt } from "../schemas/value-at.ts";
import { readStack } from "../stack/stack.ts";
import { replaced } from "../validate/replaced.ts";
import { everyArgument } from "./every-argument.fixture.ts";

/** Adds a field that does not exist to every object of every example, one at a time. */

const added = "nothing";

/** Returns whether a user may choose the keys of an object, or a model's config.json defines them. */
const isOpen = (path: Path): boolean =>
  /(^|\.)(annotations|config|env|labels|limits|nodeSelector|requests|selector|modelServerSelector|serviceAnnotations|weights)$/.test(
    formatPath(path),
  );

/** Returns the paths of all objects in a value. */
const objectsIn = (value: unknown, path: Path = []): Path[] =>
  typeof value !== "object" || value === null
    ? []
    : [
        ...(isMap(value) ? [path] : []),
        ...Object.entries(value).flatMap(([key, entry]) =>
          objectsIn(entry, [...path, Array.isArray(value) ? Number(key) : key]),
        ),
      ];

/** Returns who finds the field: the validation of the spec, or a rule on the planned objects. */
function finder(plan: (spec: unknown) => readonly object[], spec: object, path: Path): string {
  const object = valueAt(spec, path) as object;
  const changed = replaced(spec, path, { ...object, [added]: 1 });
  try {
    const stack = readStack(plan(changed));
    const findings = shapeRules.flatMap((rule) => rule.judge(stack).findings);
    return findings.some((finding) => finding.path.includes(added)) ? "rule" : "neither";
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    const at = formatPath([...path, added]);
    return error.problems.some((problem) => formatPath(problem.path).endsWith(at))
      ? "spec"
      : "other";
  }
}

it("an unknown field of a spec is refused, or found in its planned objects", () => {
  const silent = everyArgument.flatMap(({ kind, specs, plan }) =>
    specs.flatMap((spec) =>
      objectsIn(spec)
        .filter((path) => !isOpen(path) && !["spec", "rule"].includes(finder(plan, spec, path)))
        .map((path) => `${kind} ${formatPath(path)}`),
    ),
  );
  expect(silent).toEqual([]);
});
