import { kinds } from "../../kubernetes/kinds/index.ts";
import { collectionPath } from "../../kubernetes/paths.ts";
import { explainModel, type ModelExplanation } from "../../sdk/routing/explain-model.ts";
import { apiReader } from "../doctor/api-reader.ts";
import { loadKubeconfig, namespaceOf } from "../doctor/kubeconfig.ts";
import { exitCode, UsageError } from "../exit-code.ts";
import type { ReadingOptions } from "../options.ts";
import { formatReading } from "../output/print.ts";
import { formatTable } from "../output/table.ts";
import type { Terminal } from "../terminal.ts";
import { type PoolRouting, readRouting } from "./read-routing.ts";

export interface ExplainOptions extends ReadingOptions {
  /** If undefined, the command is refused with the pools of the namespace. */
  pool: string | undefined;
}

/** Prints how a pool would route a request for a model, and why. Ends with 1 if the request would be refused. */
export async function explain(
  model: string,
  options: ExplainOptions,
  terminal: Terminal,
): Promise<number> {
  if (options.pool === undefined) throw new UsageError(await withoutPool(options));
  const config = loadKubeconfig(options);
  const read = await readRouting(apiReader(config), namespaceOf(config, options), options.pool);
  const explanation = explainModel(model, read.routing);
  terminal.out.write(
    formatReading(options.format, { ...explanation, notes: read.notes }, () =>
      formatExplanation(explanation, read),
    ),
  );
  return explanation.outcome === "served" ? exitCode.ok : exitCode.problems;
}

/** Returns the message for a missing --pool, with the pools of the namespace if the cluster lists them. */
async function withoutPool(options: ExplainOptions): Promise<string> {
  const missing = "error: required option '--pool <name>' not specified";
  try {
    const config = loadKubeconfig(options);
    const namespace = namespaceOf(config, options);
    const path = collectionPath(kinds.InferencePool, namespace);
    const seen = await apiReader(config).get<PoolList>(path);
    if (seen.state === "seen" && seen.value.items.length > 0) {
      const names = seen.value.items.map(({ metadata }) => metadata.name);
      return `${missing}; pools of namespace ${namespace}: ${names.join(", ")}`;
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
  }
  return `${missing}; kubectl get inferencepools -A lists the pools`;
}

interface PoolList {
  readonly items: ReadonlyArray<{ readonly metadata: { readonly name: string } }>;
}

export function formatExplanation(
  explanation: ModelExplanation,
  { pool, notes }: Pick<PoolRouting, "pool" | "notes">,
): string {
  const takes = pool.registrationRequired ? "registered models only" : "any model";
  const { model, rule } = explanation;
  const rows: Array<[string, string]> = [
    ["MODEL", model],
    ["POOL", `${pool.namespace}/${pool.name}, accepts ${takes}`],
    ["REGISTERED BY", registeredBy(explanation)],
    ["PRIORITY", priorityOf(explanation)],
    ["RULE", rule === undefined ? "none" : `rules[${rule.index}] of ${rule.rewrite}`],
    ["GETS", outcomeOf(explanation, pool)],
    ...[...explanation.refused, ...notes].map((note): [string, string] => ["NOTE", note]),
  ];
  return formatTable(rows.map((row) => row.map((text) => ({ text }))));
}

function registeredBy({ registeredBy, lostBy }: ModelExplanation): string {
  const also = lostBy.length === 0 ? "" : `; also requested by ${lostBy.join(", ")}`;
  return `${registeredBy === undefined ? "none" : `LLMService ${registeredBy}`}${also}`;
}

function priorityOf({ priority, critical, objectiveSeconds }: ModelExplanation): string {
  if (priority === undefined)
    return "the priority of the request's InferenceObjective, otherwise 0";
  const objective =
    objectiveSeconds === undefined ? "" : `, ${objectiveSeconds * 1000} ms per token`;
  return critical
    ? `${priority}: Critical${objective}`
    : `${priority}: refused first while the pool is full`;
}

function outcomeOf({ outcome, targets }: ModelExplanation, pool: { name: string }): string {
  if (outcome === "unregistered") return `404: the model is not registered on pool ${pool.name}`;
  if (outcome === "reserved") return "404: the name is reserved, but no target has a weight";
  return targets.map(({ model, share }) => `${model} ${percent(share)}`).join(", ");
}

const percent = (share: number) => `${Number((share * 100).toFixed(2))} %`;
