import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { schemaFile } from "./package-schema.ts";

/**
 * Schema of the last release, without descriptions. `npm run tool schema/released-schema` writes it; run it for each release. Until the first
 * release it is the schema that the first one will have.
 */
export const releasedSchemaFile = "scripts/schema/released.json";

const root = join(import.meta.dirname, "../..");

/** Returns a schema without texts, which break no program. */
export const withoutDescriptions = (schema: string): string =>
  `${JSON.stringify(JSON.parse(schema, (key, value) => (key === "description" && typeof value === "string" ? undefined : value)))}\n`;

if (import.meta.main) {
  const schema = readFileSync(join(root, schemaFile), "utf8");
  writeFileSync(join(root, releasedSchemaFile), withoutDescriptions(schema));
}
