import { kinds } from "../../kubernetes/kinds/index.ts";
import { collectionPath, objectPath } from "../../kubernetes/paths.ts";
import { debugReaderName, pageAudience, pageTokenHeader } from "../../sdk/names.ts";
import type { ExplainedDecision, ExplainPage } from "../../sdk/routing/explained-decision.ts";
import { refusedByPage } from "../../sdk/topology/page-refusals.ts";
import { runtimePorts } from "../../sdk/topology/runtime-ports.ts";
import { tokenVariable } from "../clusters/ask-controller.ts";
import { type ApiReader, apiReader, RefusedRequest } from "../doctor/api-reader.ts";
import { loadKubeconfig, namespaceOf } from "../doctor/kubeconfig.ts";
import { exitCode, UsageError } from "../exit-code.ts";
import type { ReadingOptions } from "../options.ts";
import { formatReading } from "../output/print.ts";
import type { Terminal } from "../terminal.ts";
import { formatDecision } from "./decision-table.ts";

export interface ExplainRequestOptions extends ReadingOptions {
  readonly requestId: string;
  readonly pool?: string;
}

/**
 * Prints the routing decision of a request, as its picker recorded it. Ends with 1 if no picker has recorded the
 * request.
 */
export async function explainRequest(
  options: ExplainRequestOptions,
  terminal: Terminal,
): Promise<number> {
  const config = loadKubeconfig(options);
  const namespace = namespaceOf(config, options);
  const { kept, decisions } = await askPickers(apiReader(config), namespace, options);
  if (decisions.length === 0) {
    terminal.err.write(notKept(options.requestId, kept));
    return exitCode.problems;
  }
  const table = () => decisions.map(formatDecision).join("\n");
  terminal.out.write(formatReading(options.format, decisions, table));
  return exitCode.ok;
}

const notKept = (id: string, kept: number) =>
  kept === 0
    ? "the pickers keep no decisions: start them with --explain-history-size above 0\n"
    : `request ${JSON.stringify(id)} is not among the last ${kept} decisions of any picker: give the ID that the command request prints, or the x-request-id that the gateway logs; a gateway may replace the id of a client\n`;

interface Pool {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly endpointPickerRef: { readonly name: string } };
}

interface PickerService {
  readonly spec: { readonly selector?: Readonly<Record<string, string>> };
}

interface Named {
  readonly metadata: { readonly name: string };
}

/**
 * Reads from every pod of the pickers of a pool, or of all pools of the namespace, because only one of them has
 * decided.
 */
async function askPickers(
  api: ApiReader,
  namespace: string,
  { requestId, pool }: ExplainRequestOptions,
): Promise<{ kept: number; decisions: readonly ExplainedDecision[] }> {
  const pods = new Set<string>();
  for (const picker of await pickersOf(api, namespace, pool))
    for (const pod of await podsOf(api, namespace, picker)) pods.add(pod);
  let kept = 0;
  let refusal: UsageError | undefined;
  for (const pod of pods) {
    const page = await pageOf(api, namespace, pod, requestId).catch((error: unknown) => {
      if (!(error instanceof RefusedRequest)) throw error;
      refusal = new UsageError(unproxied(`picker pod ${namespace}/${pod}`, error));
      return undefined;
    });
    if (page === undefined) continue;
    kept = Math.max(kept, page.kept);
    if (page.decisions !== undefined && page.decisions.length > 0)
      return { kept, decisions: page.decisions };
  }
  if (pods.size === 0)
    throw new UsageError(
      `namespace ${namespace} has no endpoint picker pods; name another namespace with -n`,
    );
  if (refusal !== undefined) throw refusal;
  return { kept, decisions: [] };
}

/** The API server connects to the pod itself. It refuses loopback addresses, which pods of stand-in clusters have. */
const unproxied = (where: string, { status, detail }: RefusedRequest): string =>
  `${where}: the API server cannot open its page (${status}: ${detail}). ${
    status === 400 && detail.includes("address not allowed")
      ? "It does not proxy to loopback addresses: explain --request-id does not work with the stand-in nodes of npm run demo"
      : "Check that the pod is ready and that the API server may connect to it"
  }`;

/** Returns the names of the pickers' Services. */
async function pickersOf(api: ApiReader, namespace: string, pool: string | undefined) {
  const path = collectionPath(kinds.InferencePool, namespace);
  const { items } = await read<{ items: readonly Pool[] }>(
    api,
    path,
    `InferencePools of ${namespace}`,
  );
  const pools = items.filter(({ metadata }) => pool === undefined || metadata.name === pool);
  if (pools.length === 0)
    throw new UsageError(
      `InferencePool ${namespace}/${pool ?? ""}: does not exist; give another with --pool and -n`,
    );
  return new Set(pools.map(({ spec }) => spec.endpointPickerRef.name));
}

async function podsOf(api: ApiReader, namespace: string, name: string): Promise<string[]> {
  const where = `Service ${namespace}/${name}`;
  const { spec } = await read<PickerService>(
    api,
    objectPath(kinds.Service, { namespace, name }),
    where,
  );
  const selector = Object.entries(spec.selector ?? {}).map(([key, value]) => `${key}=${value}`);
  const path = `${podsPath(namespace)}?labelSelector=${encodeURIComponent(selector.join(","))}`;
  const { items } = await read<{ items: readonly Named[] }>(api, path, `pods of ${where}`);
  return items.map(({ metadata }) => metadata.name);
}

async function pageOf(
  api: ApiReader,
  namespace: string,
  pod: string,
  requestId: string,
): Promise<ExplainPage> {
  const page = `/debug/explain?request-id=${encodeURIComponent(requestId)}`;
  const path = `${podsPath(namespace)}/${pod}:${runtimePorts.metrics}/proxy${page}`;
  const token = process.env[tokenVariable];
  const headers: Record<string, string> =
    token === undefined ? {} : { [pageTokenHeader]: `Bearer ${token}` };
  const seen = await api.get<ExplainPage>(path, headers);
  const where = `picker pod ${namespace}/${pod}`;
  if (seen.state === "seen" && typeof seen.value?.kept === "number") return seen.value;
  if (seen.state === "forbidden") throw new UsageError(`${where}: ${seen.why}; ${fix(seen.why)}`);
  throw new UsageError(`${where}: the response is not from an endpoint picker of this version`);
}

/** A picker's refusals have unique texts; other texts are from an API server in between. */
function fix(why: string): string {
  if (why.includes(refusedByPage.forbidden))
    return `add the token's ServiceAccount to debugReaders of InferenceControllers (binds it to ClusterRole ${debugReaderName}), or bind it to another ClusterRole with get on nonResourceURL /debug/explain`;
  if (why.includes(refusedByPage.unauthenticated))
    return `set ${tokenVariable} to a token of a ServiceAccount in debugReaders of InferenceControllers: kubectl create token NAME --audience ${pageAudience}`;
  return "allow get on pods/proxy in this namespace";
}

const podsPath = (namespace: string) =>
  collectionPath({ apiVersion: "v1", plural: "pods" }, namespace);

async function read<T>(api: ApiReader, path: string, what: string): Promise<T> {
  const seen = await api.get<T>(path);
  if (seen.state === "seen") return seen.value;
  if (seen.state === "absent") throw new UsageError(`${what}: does not exist`);
  throw new UsageError(`${what}: ${seen.why}`);
}
