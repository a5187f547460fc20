import type { Program } from "../command-line/launch.ts";
import type { CommandLine } from "../command-line/started-programs.ts";
import type { Word } from "../command-line/words.ts";
import type { ArgumentSyntax, Arguments, Reading } from "./arguments.ts";

/** The sides of a pair that share a request: the prefiller reads the prompt, the decoder writes the answer. */
export type PairSide = "prefiller" | "decoder";

/** A fault of a command line, and how to fix it. */
export interface Correction {
  readonly given: string;
  readonly allowed: string;
  readonly fix: string;
}

/** An inference engine: how it is started, and the defaults of its server. */
export interface Engine {
  /** Its name in texts. */
  readonly title: string;
  /** Returns the arguments of its server; undefined for a program that does not start one. */
  serverArguments(program: Program): readonly Word[] | undefined;
  /** Matches the images whose entrypoint starts its server. */
  readonly image: RegExp;
  /** Whether the server starts without arguments. If not, such an image without a command starts another program. */
  readonly startsWithoutArguments: boolean;
  readonly syntax: ArgumentSyntax;
  /** The default of `--port`. */
  readonly port: number;
  /** The default of `--host`. */
  readonly host: string;
  /** The path that answers once the model is loaded. */
  readonly healthPath: string;
  /** Whether its server speaks gRPC instead of HTTP. */
  speaksGrpc(args: Arguments): boolean;
  /** Returns the model that it loads: a name or a path. */
  model(args: Arguments): Reading;
  /** Options whose product is the number of accelerators that one copy of the model uses. */
  readonly modelFactors: Readonly<Record<"tensor" | "pipeline" | "context", string | undefined>>;
  /** Options for the number of copies: over the whole group, and on one pod. */
  readonly copies: Readonly<Record<"data" | "dataLocal", string | undefined>>;
  /** Which accelerators copies use: further ones of this group, those of the one model, or those of other pods' engines. */
  copiesUse(args: Arguments): "further" | "same" | "others";
  /** How a pair of it hands over key-value blocks; undefined if that is set in a file that the plan cannot read. */
  readonly transfer: Transfer | undefined;
}

/** How prefillers and decoders of an engine hand over key-value blocks. */
export interface Transfer {
  /** Returns what one side of a pair lacks; undefined for nothing. */
  missing(args: Arguments, engine: CommandLine, side: PairSide): Correction | undefined;
  /** Arguments that configure it, for an engine whose command does not. */
  planned(engine: CommandLine, side: PairSide): readonly string[];
}
