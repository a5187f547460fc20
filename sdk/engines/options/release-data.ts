import type { OptionNames } from "./option-names.ts";

/** Lists of names of one release, each separated by blanks. */
export interface NameLists {
  /** Environment variables that the release reads. A name with `_` at its end is a prefix. */
  readonly variables: string;
  /** Connectors of KV cache transfers. */
  readonly connectors: string;
  /** Architectures of models. */
  readonly architectures: string;
  /** The architectures that the release does not divide into pipeline stages. */
  readonly unstaged: string;
}

/**
 * Options, values and environment variables of one release of an engine. The newest release is complete. An older one
 * contains its differences from the next newer release: names that only it has, and names that it lacks.
 */
export interface ReleaseData extends Partial<NameLists> {
  /** Version on PyPI, such as 0.32.0. */
  readonly version: string;
  readonly options: Partial<OptionNames>;
  /** Values of options with a fixed set of values. In an older release, only the changed ones; empty for any value. */
  readonly values: Readonly<Record<string, string>>;
  /** Options by the limits of their values; see `OptionLimit`. Only in the newest release, for all releases. */
  readonly limits?: Readonly<Record<string, string>>;
  readonly lacks?: Partial<NameLists> & { readonly options?: string };
}
