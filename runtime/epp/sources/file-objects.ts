import { type Document, isMap, isScalar, LineCounter, parseAllDocuments } from "yaml";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import { addressesOf } from "../../../kubernetes/kinds/kind.ts";
import { boundBroken } from "../../../kubernetes/values/bounded-value.ts";
import { reasonOf } from "../../../sdk/routing/object-identity.ts";
import { readLLMService } from "../../../sdk/routing/read-llm-service.ts";
import { readModelRewrite } from "../../../sdk/routing/read-model-rewrite.ts";
import type { PoolObject, PoolObjects } from "../datastore/pool-objects.ts";
import { readObjective, readPod, readPool } from "./read-objects.ts";

/**
 * Returns the objects of a YAML text, one per document. An error in an LLMService is reported, and only the broken part
 * is left out, because LLMServices belong to other teams than the pool.
 *
 * @param poolName name of the pool; if undefined, the text must have only one
 * @param namespace for objects without a namespace
 * @param onProblem called with each part of an LLMService that is left out
 * @throws Error with the line and the problem
 */
export function objectsOf(
  text: string,
  poolName?: string,
  namespace = "default",
  onProblem: (problem: string) => void = () => {},
): PoolObjects {
  const lines = new LineCounter();
  const found: Found = {
    pools: [],
    pods: [],
    objectives: new Map(),
    rewrites: new Map(),
    services: new Map(),
  };
  for (const document of parseAllDocuments(text, { lineCounter: lines })) {
    const [broken] = document.errors;
    // The message already contains the line.
    if (broken !== undefined) throw broken;
    const place = () => `line ${lines.linePos(document.contents?.range?.[0] ?? 0).line}`;
    try {
      add(found, document, namespace, (problem) => onProblem(`${place()}: ${problem}`));
    } catch (cause) {
      throw new Error(`${place()}: ${reasonOf(cause)}`, { cause });
    }
  }
  return {
    pool: poolOf(found.pools, poolName),
    pods: found.pods,
    objectives: [...found.objectives.values()].map(({ object }) => object),
    rewrites: [...found.rewrites.values()].map(({ object }) => object),
    services: [...found.services.values()],
  };
}

interface Found {
  readonly pools: PoolObject[];
  readonly pods: PoolObjects["pods"][number][];
  readonly objectives: ByName<PoolObjects["objectives"][number]>;
  readonly rewrites: ByName<PoolObjects["rewrites"][number]>;
  readonly services: Map<string, PoolObjects["services"][number]>;
}

/** Objects by `namespace/name`, with the rank of their group and version in `groupVersions`. */
type ByName<T> = Map<string, { readonly rank: number; readonly object: T }>;

const groupVersions = addressesOf(kinds.InferenceObjective).map(({ apiVersion }) => apiVersion);

function add(
  found: Found,
  document: Document,
  namespace: string,
  onProblem: (problem: string) => void,
): void {
  if (isEmpty(document)) return;
  if (!isMap(document.contents))
    throw new Error("not an object; give apiVersion, kind and metadata");
  const object = document.toJS() as YamlObject;
  const broken = boundBroken(object);
  if (broken !== undefined) throw new Error(`the object ${broken}`);
  object.metadata = { namespace, ...object.metadata };
  const apiVersion = object.apiVersion ?? "";
  switch (object.kind) {
    case "InferencePool": {
      const pool = readPool(object, apiVersion.split("/")[0] || kinds.InferencePool.group);
      if (pool !== undefined) found.pools.push(pool);
      break;
    }
    case "Pod":
      found.pods.push(readPod(object, true));
      break;
    case "InferenceObjective":
      put(found.objectives, apiVersion, readObjective(object));
      break;
    case "InferenceModelRewrite":
      put(found.rewrites, apiVersion, readModelRewrite(object));
      break;
    case "LLMService":
      addService(found, object, onProblem);
      break;
    default:
      throw new Error(
        `kind ${object.kind} is not supported; supported: InferencePool, Pod, InferenceObjective, InferenceModelRewrite, LLMService`,
      );
  }
}

/** Whether a document is empty or contains only comments. */
const isEmpty = ({ contents }: Document) =>
  contents === null || (isScalar(contents) && contents.value === null);

interface YamlObject {
  apiVersion?: string;
  kind?: string;
  metadata?: object;
}

function addService(
  { services }: Found,
  object: YamlObject,
  onProblem: (problem: string) => void,
): void {
  const { namespace, name } = object.metadata as { namespace?: unknown; name?: unknown };
  const notify = (problem: string) => onProblem(`LLMService ${namespace}/${name}: ${problem}`);
  try {
    const { service, problems } = readLLMService(object);
    if (problems.length > 0) notify(problems.join("; "));
    if (service !== undefined) services.set(`${service.namespace}/${service.name}`, service);
  } catch (error) {
    notify(reasonOf(error));
  }
}

/** Keeps one object per name: the one with the first group and version, as an API server does. */
function put<T extends { namespace: string; name: string }>(
  byName: ByName<T>,
  apiVersion: string,
  object: T,
): void {
  const rank = groupVersions.indexOf(apiVersion);
  if (rank < 0)
    throw new Error(
      `apiVersion ${apiVersion} is not supported; supported: ${groupVersions.join(", ")}`,
    );
  const key = `${object.namespace}/${object.name}`;
  const other = byName.get(key);
  if (other === undefined || rank <= other.rank) byName.set(key, { rank, object });
}

function poolOf(pools: readonly PoolObject[], name: string | undefined): PoolObject {
  const wanted = name === undefined ? pools : pools.filter((pool) => pool.name === name);
  const [pool] = wanted;
  if (pool !== undefined && wanted.length === 1) return pool;
  const names = pools.map((pool) => `${pool.namespace}/${pool.name}`).join(", ") || "none";
  throw new Error(
    pool === undefined
      ? `no InferencePool${name === undefined ? "" : ` ${name}`}; found: ${names}`
      : `several InferencePools (${names}): name one with --pool-name`,
  );
}
