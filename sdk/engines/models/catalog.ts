/**
 * Catalog of current models by their names on Hugging Face. `npm run tool model-catalog` writes `catalog.json`, and
 * `scripts/model-catalog/catalog-schema.ts` describes it.
 */

import stored from "./catalog.json" with { type: "json" };

/** Work for which a model is published. */
export type ModelTask = "generate" | "embed" | "rerank";

type ConfigFields = Readonly<Record<string, unknown>>;

/** Row of `catalog.json`: has `config`, or `base` and the fields that differ from it. */
interface CatalogRow {
  readonly gated?: boolean;
  readonly task?: ModelTask;
  readonly config?: ConfigFields;
  readonly base?: string;
  readonly fields?: ConfigFields;
}

/** Model of the catalog. */
interface CatalogModel {
  /** The fields of its `config.json` that `modelFromConfig` reads. */
  readonly config: ConfigFields;
  /** Task, if the architecture does not show it. */
  readonly task?: ModelTask;
  /** Whether a download needs a Hugging Face token. */
  readonly gated: boolean;
}

const rows = new Map(Object.entries(stored.models as Readonly<Record<string, CatalogRow>>));

export const catalog: ReadonlyMap<string, CatalogModel> = new Map(
  [...rows].map(([name, row]) => [name, modelOf(row)]),
);

function modelOf({ gated = false, base, fields, ...own }: CatalogRow): CatalogModel {
  const { config, task }: CatalogRow = (base !== undefined && rows.get(base)) || own;
  return { gated, config: { ...config, ...fields }, ...(task !== undefined && { task }) };
}
