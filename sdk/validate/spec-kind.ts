import { z } from "zod";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { type Path, type Problem, SpecError } from "../errors.ts";
import { type Invariant, violations } from "../invariant.ts";
import type { RawSpec } from "../rules/helpers/raw-spec.ts";
import { shapeProblems } from "../schemas/shape-problems.ts";
import { Metadata } from "../spec/inference-service.ts";
import {
  misplacedOutputs,
  mustBePlain,
  outputPaths,
  parsedAround,
  withStandIns,
} from "./outputs.ts";
import { replaced } from "./replaced.ts";
import { joined, visitDeferred } from "./visit-deferred.ts";

/** A kind's schema and rules. */
export interface SpecKind<Spec> {
  readonly kind: string;
  readonly schema: z.ZodType<Spec>;
  readonly rules: ReadonlyArray<Invariant<RawSpec>>;
}

/** A validated object, with defaults. */
export interface Parsed<Spec> {
  readonly metadata: Metadata;
  readonly spec: Spec;
}

/**
 * Validates an object of a kind and fills in its defaults.
 *
 * @throws SpecError with all problems: wrong shapes, values that are only known later, and broken rules
 */
export function parseKind<Spec>(
  kind: SpecKind<Spec>,
  { metadata, spec }: { metadata: unknown; spec: unknown },
): Parsed<Spec> {
  const later = outputPaths(spec);
  const problems: Problem[] = [];
  visitDeferred(metadata, ["metadata"], (path) => problems.push(mustBePlain(path)));
  problems.push(...misplacedOutputs(kind.schema, spec));
  const known = withStandIns(kind.schema, spec);
  const broken = violations(kind.rules, { metadata: asMap(metadata), spec: asMap(known) });
  const shapes = [
    ...shapeProblems(z.object({ metadata: Metadata }), { metadata }),
    ...shapeProblems(kind.schema, known),
  ];
  // For an unknown field, the message of a rule wins over the schema's message, because it names a replacement.
  const reportedElsewhere = [...later, ...broken.map(({ path }) => path)].map(joined);
  problems.push(
    ...shapes.filter(({ path }) => !reportedElsewhere.includes(joined(path))),
    ...broken,
  );
  if (problems.length > 0) throw new SpecError(titleOf(kind.kind, metadata), problems);
  return { metadata: Metadata.parse(metadata), spec: parsedAround(kind.schema, spec) };
}

/** Returns the problems in the shape of a spec's value that was only known later. */
export function problemsOfLater<Spec>(
  kind: SpecKind<Spec>,
  spec: Spec,
  path: Path,
  known: unknown,
): Problem[] {
  const rest = withStandIns(kind.schema, spec);
  const shapes = shapeProblems(kind.schema, replaced(rest, path, known));
  return shapes.filter(({ path: place }) => joined(place).startsWith(joined(path)));
}

/** Returns a title such as `LLMService "bots" in namespace teams`. */
export function titleOf(kind: string, metadata: unknown): string {
  const { name, namespace } = asMap(metadata) as Partial<Manifest["metadata"]>;
  const place = typeof namespace === "string" ? ` in namespace ${namespace}` : "";
  return typeof name === "string" ? `${kind} "${name}"${place}` : kind;
}

const asMap = (value: unknown): Record<string, unknown> =>
  value !== null && typeof value === "object" ? (value as Record<string, unknown>) : {};
