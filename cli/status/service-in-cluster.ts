import { kinds } from "../../kubernetes/kinds/index.ts";
import { collectionPath, objectPath } from "../../kubernetes/paths.ts";
import { label } from "../../sdk/names.ts";
import type { InferenceService } from "../../sdk/spec/inference-service.ts";
import { readInferenceService } from "../../sdk/status/read-inference-service.ts";
import type { InferenceServiceStatus } from "../../sdk/status/schemas.ts";
import { type ServiceManifests, serviceOfObjects } from "../../sdk/status/service-of-objects.ts";
import type { ApiReader } from "../doctor/api-reader.ts";
import { UsageError } from "../exit-code.ts";

/** Input of a status: the spec, and the status that a controller has written. */
export interface MeasuredService {
  readonly service: InferenceService;
  readonly generation: number | undefined;
  readonly written: InferenceServiceStatus | undefined;
  /** Sentences about data that could not be read; empty if the spec was read. */
  readonly unreported: readonly string[];
}

interface StoredService {
  readonly metadata: { readonly generation?: number };
  readonly status?: InferenceServiceStatus;
}

/** Returns the InferenceService object of a cluster; undefined if no object has that name. */
export async function serviceInCluster(
  api: ApiReader,
  namespace: string,
  name: string,
): Promise<MeasuredService | undefined> {
  const { kind } = kinds.InferenceService;
  const stored = await api.get<StoredService>(
    objectPath(kinds.InferenceService, { namespace, name }),
  );
  if (stored.state === "absent") return undefined;
  if (stored.state === "forbidden")
    throw new UsageError(`${kind} ${namespace}/${name} cannot be read: ${stored.why}`);
  const { service, problem } = readInferenceService(stored.value);
  if (service === undefined) throw new UsageError(problem);
  const { metadata, status } = stored.value;
  return { service, generation: metadata.generation, written: status, unreported: [] };
}

/**
 * Reconstructs a service from its objects.
 *
 * @throws UsageError if no object belongs to a service of that name, with the existing names
 */
export async function serviceByObjects(
  api: ApiReader,
  namespace: string,
  name: string,
  manifests: ServiceManifests,
): Promise<MeasuredService> {
  const reported = serviceOfObjects({ namespace, name }, manifests);
  if (reported === undefined) throw new UsageError(await nothingOf(api, namespace, name));
  return { ...reported, generation: undefined, written: undefined };
}

async function nothingOf(api: ApiReader, namespace: string, name: string): Promise<string> {
  const selector = `?labelSelector=${encodeURIComponent(label.service)}`;
  const lists = await Promise.all(
    [kinds.Deployment, kinds.LeaderWorkerSet].map((kind) =>
      api.get<List>(collectionPath(kind, namespace) + selector),
    ),
  );
  const names = lists.flatMap((list) =>
    list.state === "seen"
      ? list.value.items.map(({ metadata }) => metadata.labels?.[label.service] ?? "")
      : [],
  );
  const services = [...new Set(names)].sort().join(", ") || "none";
  return `namespace ${namespace} has no ${kinds.InferenceService.kind} ${name}, and no objects of one; services in this namespace: ${services}. Name another namespace with -n.`;
}

interface List {
  readonly items: ReadonlyArray<{
    readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
  }>;
}
