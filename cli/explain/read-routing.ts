import { kinds } from "../../kubernetes/kinds/index.ts";
import { addressesOf, type KindAddress } from "../../kubernetes/kinds/kind.ts";
import { collectionPath, objectPath } from "../../kubernetes/paths.ts";
import { type ModelRouting, modelRouting } from "../../sdk/routing/model-routing.ts";
import { reasonOf } from "../../sdk/routing/object-identity.ts";
import { readLLMService } from "../../sdk/routing/read-llm-service.ts";
import { readModelRewrite } from "../../sdk/routing/read-model-rewrite.ts";
import { poolAnnotations, type RoutedPool } from "../../sdk/routing/routed-pool.ts";
import type { ApiReader } from "../doctor/api-reader.ts";
import { type LocatedProblem, ValidationError } from "../exit-code.ts";

/** A pool's routing of models, and the objects that could not be read. */
export interface PoolRouting {
  readonly pool: RoutedPool;
  readonly routing: ModelRouting;
  readonly notes: readonly string[];
}

/**
 * Reads the objects that an endpoint picker of the pool reads, from an API server.
 *
 * @throws ValidationError if the pool does not exist or may not be read
 */
export async function readRouting(
  api: ApiReader,
  namespace: string,
  name: string,
): Promise<PoolRouting> {
  const pool = await readPool(api, namespace, name);
  const notes: string[] = [];
  const list = async (kind: KindAddress, location: string): Promise<unknown[]> => {
    const seen = await api.get<{ items: unknown[] }>(collectionPath(kind, location));
    if (seen.state === "forbidden")
      notes.push(`${kind.plural} of ${location} cannot be read: ${seen.why}`);
    return seen.state === "seen" ? seen.value.items : [];
  };
  const services = await Promise.all(
    [...new Set([namespace, ...pool.allowedNamespaces])].map((location) =>
      list(kinds.LLMService, location),
    ),
  );
  const rewrites = await Promise.all(
    addressesOf(kinds.InferenceModelRewrite).map((kind) => list(kind, namespace)),
  );
  const read = <T>(objects: readonly unknown[], how: (object: unknown) => T | undefined): T[] =>
    objects.flatMap((object) => {
      try {
        return how(object) ?? [];
      } catch (error) {
        notes.push(`${nameOfObject(object)} cannot be read: ${reasonOf(error)}`);
        return [];
      }
    });
  const routing = modelRouting(
    pool,
    read(services.flat(), (object) => {
      const { service, problems } = readLLMService(object);
      notes.push(...problems.map((problem) => `${nameOfObject(object)}: ${problem}`));
      return service;
    }),
    firstOfEachName(read(rewrites.flat(), readModelRewrite)),
  );
  return { pool, routing, notes };
}

async function readPool(api: ApiReader, namespace: string, name: string): Promise<RoutedPool> {
  const path = objectPath(kinds.InferencePool, { namespace, name });
  const seen = await api.get<{ metadata: { annotations?: Record<string, string> } }>(path);
  if (seen.state !== "seen") {
    const given = seen.state === "absent" ? "does not exist" : `cannot be read: ${seen.why}`;
    throw new ValidationError([noPool(`InferencePool ${namespace}/${name}`, given)]);
  }
  const { group } = kinds.InferencePool;
  return { group, namespace, name, ...poolAnnotations(seen.value.metadata.annotations ?? {}) };
}

const noPool = (location: string, given: string): LocatedProblem => ({
  location,
  problem: {
    code: "reference",
    path: [],
    given,
    allowed: "an existing InferencePool",
    fix: "Name another with --pool and -n: kubectl get inferencepools -A lists them.",
  },
});

/**
 * Keeps the first object of each name: a kind that is served in two groups is listed twice, the preferred group first.
 */
function firstOfEachName<T extends { namespace: string; name: string }>(
  objects: readonly T[],
): T[] {
  const byName = new Map<string, T>();
  for (const object of objects) {
    const key = `${object.namespace}/${object.name}`;
    if (!byName.has(key)) byName.set(key, object);
  }
  return [...byName.values()];
}

function nameOfObject(object: unknown): string {
  const { kind = "object", metadata = {} } = (object ?? {}) as {
    kind?: string;
    metadata?: { namespace?: string; name?: string };
  };
  return `${kind} ${metadata.namespace}/${metadata.name}`;
}
