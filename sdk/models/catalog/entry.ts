import type { ModelTask } from "../model-facts.ts";

/** Model of the catalog: the fields of its `config.json` that `modelFromConfig` reads. */
export interface CatalogEntry {
  /** Where the fields were read, a key of `sources`. */
  readonly source: SourceName;
  readonly config: Readonly<Record<string, unknown>>;
  /** Task, if the architecture does not show it. */
  readonly task?: ModelTask;
  /** Whether a download needs a Hugging Face token. */
  readonly gated?: boolean;
}
export type SourceName = string;
