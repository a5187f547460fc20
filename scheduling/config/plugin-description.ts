import type { z } from "zod";

/** What a plugin can be; a few are two things. */
export type PluginKind = "filter" | "scorer" | "picker" | "profileHandler" | "decider" | "detector";

/** A plugin that takes part in scheduling, by upstream's name and parameters, and what it needs of the others. */
export interface PluginDescription<Parameters = unknown> {
  readonly type: string;
  readonly kinds: readonly PluginKind[];
  /** One line for the documentation. */
  readonly summary: string;
  readonly parameters: z.ZodType<Parameters>;
  /** It reads a prefix cache: that of the producer named, of the only one, or a default one. */
  readonly prefixCache?: (parameters: Parameters) => { readonly producer?: string | undefined };
  /** Names of the deciders that it asks. */
  readonly deciders?: (parameters: Parameters) => readonly string[];
  /** Profiles that a handler runs; without them whatever there are. */
  readonly profiles?: (parameters: Parameters) => readonly string[];
  /** A handler for which only one profile may be configured. */
  readonly single?: boolean;
  /** What is asked for and not done. */
  readonly warnings?: (parameters: Parameters) => readonly string[];
}

/** Keeps parameters in step with what is read of them. */
export const describedPlugin = <Parameters>(
  description: PluginDescription<Parameters>,
): PluginDescription<Parameters> => description;
