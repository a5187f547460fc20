import type { OptionNames } from "./option-names.ts";

/** Lists of names of one release. */
export interface NameLists {
  /** Environment variables that the release reads. A name with `_` at its end is a prefix. */
  readonly variables: readonly string[];
  /** Connectors of KV cache transfers. */
  readonly connectors: readonly string[];
  /** Architectures of models. */
  readonly architectures: readonly string[];
  /** The architectures that the release does not divide into pipeline stages. */
  readonly unstaged: readonly string[];
}

export const nameLists = ["variables", "connectors", "architectures", "unstaged"] as const;

/**
 * Data file of one release of an engine: options, values and environment variables. The newest release is complete. The
 * file of an older release contains its differences from the next newer release: names that only the older release has,
 * and names that it lacks.
 */
export interface ReleaseData extends Partial<NameLists> {
  /** Version on PyPI, such as 0.32.0. */
  readonly version: string;
  readonly options: OptionNames;
  /**
   * Values of options with a fixed set of values. In the file of an older release, only the changed options; empty for
   * an option that accepts any value.
   */
  readonly values: Readonly<Record<string, readonly string[]>>;
  /** Options by the limits of their values; see `OptionLimit`. Only in the newest release, for all releases. */
  readonly limits?: Readonly<Record<string, readonly string[]>>;
  readonly lacks?: Partial<NameLists> & { readonly options?: readonly string[] };
}

/** A release with all of its names. */
export type WholeRelease = Required<Omit<ReleaseData, "lacks" | "limits">>;
