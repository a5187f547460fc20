/** Catalog of current models by their names on Hugging Face. */

import { aliases } from "./aliases.ts";
import { deepseekModels } from "./deepseek.ts";
import type { CatalogEntry } from "./entry.ts";
import { gemmaModels } from "./gemma.ts";
import { glmModels } from "./glm.ts";
import { kimiModels } from "./kimi.ts";
import { llamaModels } from "./llama.ts";
import { mistralModels } from "./mistral.ts";
import { nemotronModels } from "./nemotron.ts";
import { otherModels } from "./other.ts";
import { poolingModels } from "./pooling.ts";
import { qwenHybridModels } from "./qwen-hybrid.ts";
import { qwenVlModels } from "./qwen-vl.ts";
import { qwen2Models } from "./qwen2.ts";
import { qwen3Models } from "./qwen3.ts";

const own: ReadonlyMap<string, CatalogEntry> = new Map(
  [
    deepseekModels,
    gemmaModels,
    glmModels,
    kimiModels,
    llamaModels,
    mistralModels,
    nemotronModels,
    otherModels,
    poolingModels,
    qwenHybridModels,
    qwenVlModels,
    qwen2Models,
    qwen3Models,
  ].flatMap(Object.entries<CatalogEntry>),
);

/** Every entry. Aliases have the fields of their bases. */
export const catalog: ReadonlyMap<string, CatalogEntry> = new Map([
  ...own,
  ...Object.entries(aliases).flatMap(
    ([name, { base, gated = false, fields }]): Array<[string, CatalogEntry]> => {
      const entry = own.get(base);
      return entry === undefined
        ? []
        : [[name, { ...entry, gated, config: { ...entry.config, ...fields } }]];
    },
  ),
]);
