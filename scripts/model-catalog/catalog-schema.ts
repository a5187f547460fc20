import { z } from "zod";

const text = z.string().min(1);
const config = z.record(text, z.unknown());

const row = z
  .strictObject({
    source: text.describe("Key of `sources`, or the card, thread or page with the fields."),
    date: z.iso.date().describe("Day on which the row was written."),
    note: text.optional().describe("Reason for a field that differs from what a reader expects."),
    gated: z.boolean().optional().describe("Whether a download needs a token. Default: false."),
    task: z
      .enum(["generate", "embed", "rerank"])
      .optional()
      .describe("Task, if the architecture does not show it."),
    config: config.optional().describe("Fields of config.json that `modelFromConfig` reads."),
    base: text.optional().describe("Model of the catalog with the same fields except `fields`."),
    fields: config.optional().describe("Fields that differ from the base."),
  })
  .refine(
    ({ config, base, fields }) =>
      (config === undefined) !== (base === undefined) &&
      (fields === undefined || base !== undefined),
    "has neither or both of config and base, or fields without base; allowed: config, or base with or without fields",
  );

/** `sdk/engines/models/catalog.json`. */
export const catalogSchema = z
  .strictObject({
    sources: z.record(text, text).describe("Public copies of config.json files, by key."),
    models: z.record(z.string().regex(/^[^/\s]+\/[^/\s]+$/), row),
  })
  .superRefine(({ sources, models }, { addIssue }) => {
    for (const [name, { source, base }] of Object.entries(models)) {
      if (!Object.hasOwn(sources, source) && !/[ #]/.test(source))
        addIssue({
          ...{ code: "custom", path: ["models", name, "source"] },
          message: `is ${JSON.stringify(source)}; allowed: a key of sources, a thread, or a description of several words`,
        });
      if (base !== undefined && models[base]?.config === undefined)
        addIssue({
          ...{ code: "custom", path: ["models", name, "base"] },
          message: `is ${JSON.stringify(base)}; allowed: a model of the catalog with a config`,
        });
    }
  });

export type Catalog = z.output<typeof catalogSchema>;
export type Row = z.output<typeof row>;
