import { rewriteVersions } from "../../kubernetes/kinds/inference-model-rewrite.ts";
import { type ModelRouting, modelRouting } from "../../sdk/routing/model-routing.ts";
import { reasonOf } from "../../sdk/routing/object-identity.ts";
import { readLLMService } from "../../sdk/routing/read-llm-service.ts";
import { readModelRewrite } from "../../sdk/routing/read-model-rewrite.ts";
import { poolAnnotations, type RoutedPool } from "../../sdk/routing/routed-pool.ts";
import type { ApiReader } from "../doctor/api-reader.ts";
import { type LocatedProblem, Problems } from "../exit-code.ts";

/** A pool's routing of models, and what of it could not be read. */
export interface PoolRouting {
  readonly pool: RoutedPool;
  readonly routing: ModelRouting;
  readonly notes: readonly string[];
}

const group = "inference.networking.k8s.io";

/**
 * Reads what an endpoint picker of the pool reads, from an API server.
 *
 * @throws Problems where there is no such pool, or it may not be read
 */
export async function readRouting(
  api: ApiReader,
  namespace: string,
  name: string,
): Promise<PoolRouting> {
  const pool = await readPool(api, namespace, name);
  const notes: string[] = [];
  const list = async (apiVersion: string, place: string, plural: string): Promise<unknown[]> => {
    const path = `/apis/${apiVersion}/namespaces/${place}/${plural}`;
    const seen = await api.get<{ items: unknown[] }>(path);
    if (seen.state === "hidden") notes.push(`${plural} of ${place} may not be read: ${seen.why}`);
    return seen.state === "seen" ? seen.value.items : [];
  };
  const services = await Promise.all(
    [...new Set([namespace, ...pool.serviceNamespaces])].map((place) =>
      list("inference.x-k8s.io/v1alpha1", place, "llmservices"),
    ),
  );
  const rewrites = await Promise.all(
    rewriteVersions.map((version) => list(version, namespace, "inferencemodelrewrites")),
  );
  const read = <T>(objects: readonly unknown[], how: (object: unknown) => T | undefined): T[] =>
    objects.flatMap((object) => {
      try {
        return how(object) ?? [];
      } catch (error) {
        notes.push(`${nameOf(object)} cannot be read: ${reasonOf(error)}`);
        return [];
      }
    });
  const routing = modelRouting(
    pool,
    read(services.flat(), (object) => {
      const { service, problems } = readLLMService(object);
      notes.push(...problems.map((problem) => `${nameOf(object)}: ${problem}`));
      return service;
    }),
    firstOfEachName(read(rewrites.flat(), readModelRewrite)),
  );
  return { pool, routing, notes };
}

async function readPool(api: ApiReader, namespace: string, name: string): Promise<RoutedPool> {
  const path = `/apis/${group}/v1/namespaces/${namespace}/inferencepools/${name}`;
  const seen = await api.get<{ metadata: { annotations?: Record<string, string> } }>(path);
  if (seen.state !== "seen") {
    const given = seen.state === "absent" ? "does not exist" : `may not be read: ${seen.why}`;
    throw new Problems([noPool(`InferencePool ${namespace}/${name}`, given)]);
  }
  return { group, namespace, name, ...poolAnnotations(seen.value.metadata.annotations ?? {}) };
}

const noPool = (place: string, given: string): LocatedProblem => ({
  place,
  problem: {
    code: "reference",
    path: [],
    given,
    allowed: "the pool that requests go to",
    fix: "Name another with --pool and -n: kubectl get inferencepools -A lists them.",
  },
});

/** A group that is served in two versions lists an object twice, and the better group has a name. */
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

function nameOf(object: unknown): string {
  const { kind = "object", metadata = {} } = (object ?? {}) as {
    kind?: string;
    metadata?: { namespace?: string; name?: string };
  };
  return `${kind} ${metadata.namespace}/${metadata.name}`;
}
