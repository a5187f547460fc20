import { quantityPattern } from "../../../kubernetes/kinds/field-types.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { formatPath, type Path } from "../../errors.ts";
import type { Finding } from "../../invariant.ts";
import { objectSchemas } from "../../schemas/object-schemas.ts";
import { type SchemaProblem, schemaProblems } from "../../schemas/schema-problems.ts";
import { brief, type Stack } from "../../stack/stack.ts";
import { unknownValue } from "../../stack/unknown-value.ts";
import { rulesOfPack, type StackRule, wholeStack } from "../helpers/stack-rule.ts";

const { objectRule } = rulesOfPack("inference-gpu");

/** Reports values that the API server would reject. Other rules check only objects whose shape they can read. */
const shapeRule: StackRule = objectRule(
  { id: "objects-have-their-shape", code: "shape" },
  {
    title: "Objects match the schema of their kind",
    why: "The API server rejects other objects, and no other rule checks them. The CEL rules of CRDs are not checked.",
    source:
      "OpenAPI of Kubernetes; CRDs of Gateway API (experimental channel), its inference extension, LeaderWorkerSet, Volcano, KEDA, Prometheus Operator, Istio and Envoy Gateway",
    fix: "Set the field to a value that its kind accepts. Numbers and strings are different types.",
  },
  wholeStack,
  function* ({ written, malformed }) {
    const paths = new Set<string>();
    for (const [problem, { source, path }] of problemsOfSchemas(written, false)) {
      if (isOfAnotherRule(problem, written[Number(path[0])])) continue;
      paths.add(formatPath(path));
      yield valueFinding(problem, path, source);
    }
    for (const finding of malformed) if (!paths.has(formatPath(finding.path))) yield finding;
  },
);

/** Advisory, because a newer release of a CRD may have more fields. */
const knownFieldsRule: StackRule = objectRule(
  { id: "objects-have-known-fields", code: "shape", level: "advisory" },
  {
    title: "Objects contain only fields of their kind",
    why: "The API server drops an unknown field or rejects the object, so the field never takes effect. A release of Kubernetes or of a CRD that is newer than the tested one may have the field.",
    source: "OpenAPI of Kubernetes and CRDs, as in objects-have-their-shape",
    fix: "Correct the name of the field, or remove it.",
  },
  wholeStack,
  function* ({ written }) {
    for (const [{ similar, allowed }, { source, path }] of problemsOfSchemas(written, true)) {
      const name = String(path.at(-1));
      yield {
        path,
        given: `unknown field ${JSON.stringify(name)}`,
        allowed: `${allowed} (${source})`,
        fix: similar === undefined ? `Remove ${name}.` : `Did you mean ${similar}?`,
      };
    }
  },
);

interface Place {
  readonly path: Path;
  /** Release that defines the schema. */
  readonly source: string;
}

function* problemsOfSchemas(
  written: Stack["written"],
  isUnknownField: boolean,
): Generator<[SchemaProblem, Place]> {
  for (const [index, value] of written.entries()) {
    const object = (value ?? {}) as Record<string, unknown>;
    const { apiVersion, kind } = object;
    const name = `${String(apiVersion).includes("/") ? "" : "/"}${String(apiVersion)}/${String(kind)}`;
    const { kinds } = objectSchemas();
    const schema = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (schema === undefined) continue;
    const isUnknown = (each: unknown) => each === unknownValue;
    for (const problem of schemaProblems(object, schema, isUnknown))
      if ((problem.fields !== undefined) === isUnknownField)
        yield [problem, { path: [index, ...problem.path], source: schema.source }];
  }
}

function valueFinding(
  { value, allowed, similar }: SchemaProblem,
  path: Path,
  source: string,
): Finding {
  const isMissing = value === undefined;
  const repair = isMissing ? `Add ${path.at(-1)}` : "Correct the value";
  return {
    path,
    given: isMissing ? "is missing" : `is ${brief(JSON.stringify(value))}`,
    allowed: `${allowed} (${source})`,
    fix:
      similar === undefined
        ? `${repair}; the API server would reject the object.`
        : `Did you mean ${similar}?`,
  };
}

/** Limits that a rule of their own reports, with a better fix: quantities, and the ports and selectors of pools. */
const isOfAnotherRule = ({ path, allowed }: SchemaProblem, object: unknown): boolean =>
  allowed === `a string that matches ${quantityPattern}` ||
  ((object as Partial<Manifest>).kind === "InferencePool" &&
    /^spec (targetPorts|selector( matchLabels)?)$/.test(path.join(" ")));

export const shapeRules: readonly StackRule[] = [shapeRule, knownFieldsRule];
