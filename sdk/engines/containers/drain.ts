import type { CommandLine } from "../command-line/started-programs.ts";
import { argumentsOf, engineNameOf, engines } from "../index.ts";
import type { Engine } from "../interface/engine.ts";
import { isAtLeast } from "../options/version.ts";

/** How an engine finishes running requests after SIGTERM. */
export interface Drain {
  /** The option that sets its longest wait, in seconds; undefined if it always waits for the last request. */
  readonly flag: string | undefined;
}

/** Returns how an engine drains; undefined if it aborts requests, or if that is unknown. */
export function drainOf(engine: CommandLine): Drain | undefined {
  const name = engineNameOf(engine);
  if (name === undefined) return undefined;
  const { drain, versionOf }: Engine = engines[name];
  if (drain?.option === undefined) return drain && { flag: undefined };
  const { name: flag, since } = drain.option;
  // An image of unknown version has the option if its command sets it.
  const hasFlag = isAtLeast(versionOf(engine.image), since) ?? argumentsOf(engine).has(flag);
  return hasFlag ? { flag } : undefined;
}
