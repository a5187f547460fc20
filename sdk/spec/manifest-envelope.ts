import { z } from "zod";
import { isMap } from "../../kubernetes/values/records.ts";
import { SpecError } from "../errors.ts";
import { shapeProblems } from "../schemas/shape-problems.ts";

/** Kind, and API versions, that a manifest may have. */
export interface KindOfManifest {
  readonly apiVersions: readonly string[];
  readonly kind: string;
}

export interface ManifestContent {
  readonly metadata: Record<string, unknown>;
  readonly spec: Record<string, unknown>;
}

/** Metadata that the API server and controllers write, and that an object read from a cluster contains. */
const serverFields = [
  "creationTimestamp",
  "deletionGracePeriodSeconds",
  "deletionTimestamp",
  "finalizers",
  "generateName",
  "generation",
  "managedFields",
  "ownerReferences",
  "resourceVersion",
  "selfLink",
  "uid",
] as const;

/** A copy of the whole object, which `kubectl apply` keeps for its next comparison. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * Returns metadata and spec of a manifest. It may be handwritten or printed by `kubectl get`; fields that the server
 * added are removed. Null fields count as absent, as in the API server.
 *
 * @param document a parsed YAML or JSON document
 * @throws SpecError for another kind or version, for a missing spec and for unknown top-level fields. It does not check
 * metadata and spec.
 */
export function manifestContent(document: unknown, kind: KindOfManifest): ManifestContent {
  const manifest = withoutNulls(document);
  const problems = shapeProblems(envelopeOf(kind), manifest);
  if (problems.length > 0) throw new SpecError("manifest", problems);
  const { metadata = {}, spec } = manifest as Partial<ManifestContent> & ManifestContent;
  return { metadata: ownMetadata(metadata), spec };
}

const envelopeOf = ({ apiVersions, kind }: KindOfManifest) =>
  z.strictObject({
    apiVersion: z.literal(apiVersions),
    kind: z.literal(kind),
    metadata: z.looseObject({}).optional(),
    spec: z.looseObject({}),
    status: z.unknown().optional(),
  });

function ownMetadata(metadata: Record<string, unknown>): Record<string, unknown> {
  const own = without(metadata, serverFields);
  const { annotations } = own;
  return isMap(annotations) ? { ...own, annotations: without(annotations, [lastApplied]) } : own;
}

const without = (map: Record<string, unknown>, fields: readonly string[]) =>
  Object.fromEntries(Object.entries(map).filter(([field]) => !fields.includes(field)));

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== null)
      .map(([name, field]) => [name, withoutNulls(field)]),
  );
}
