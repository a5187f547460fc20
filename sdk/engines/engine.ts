import type { CommandLine } from "./command-line.ts";

/** The sides of a pair that share a request: one reads the prompt, the other writes the answer. */
export type PairSide = "prefiller" | "decoder";

/** What is wrong with a command line, and how to fix it. */
export interface Correction {
  readonly given: string;
  readonly allowed: string;
  readonly fix: string;
}

/** An inference engine, as far as its flags and defaults are known. */
export interface Engine {
  /** Its name in texts. */
  readonly title: string;
  /** Matches a word of the commands that start it. */
  readonly program: RegExp;
  /** Matches the images that start it when a container has no command. */
  readonly image: RegExp;
  /** The default of `--port`. */
  readonly port: number;
  /** The default of `--host`. */
  readonly host: string;
  /** The path that answers once the model is loaded. */
  readonly healthPath: string;
  /** Flags that name the model, which is served by that name; the first that is written counts. */
  readonly modelFlags: readonly string[];
  /** Returns the model that a command names without a flag. */
  unflaggedModel(words: readonly string[]): string | undefined;
  /** Flags that divide the model over accelerators; `dataLocal` counts the copies on one pod. */
  readonly parallelFlags: Readonly<
    Record<"tensor" | "pipeline" | "data" | "dataLocal", readonly string[]>
  >;
  /** Returns what one side of a pair lacks to hand over key-value blocks; undefined if nothing. */
  missingTransfer(engine: CommandLine, side: PairSide): Correction | undefined;
  /** Arguments that have it hand them over, for an engine that says nothing of it. */
  transferArguments(engine: CommandLine, side: PairSide): readonly string[];
}
