import { type Catalog, catalogSchema, type Row } from "./catalog-schema.ts";
import { fieldsRead } from "./fields-read.ts";

/**
 * Returns the catalog, sorted by name, with a row for each of these configurations. A row of the catalog keeps the parts
 * that `parts` lacks.
 *
 * @throws ModelConfigError if `modelFromConfig` refuses a configuration
 * @throws ZodError if the catalog does not fit its schema
 */
export function addModels(
  { sources, models }: Catalog,
  configs: Readonly<Record<string, unknown>>,
  parts: Readonly<Partial<Row>>,
): Catalog {
  const added = Object.entries(configs).map(([name, config]) => {
    const { base: _, fields: __, ...row } = models[name] ?? {};
    return [name, { ...row, ...parts, config: fieldsRead(config) }] as const;
  });
  const all = Object.entries({ ...models, ...Object.fromEntries(added) });
  const sorted = Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)));
  return catalogSchema.parse({ sources, models: sorted });
}
