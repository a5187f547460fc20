import type { CommandLine } from "../command-line/started-programs.ts";
import { argumentsOf, engineNameOf } from "./index.ts";
import { isAtLeast, vllmVersionOf } from "./vllm-images.ts";

/** How an engine finishes running requests after SIGTERM. */
export interface Drain {
  /** The option that sets its longest wait, in seconds; undefined if it always waits for the last request. */
  readonly flag: string | undefined;
}

/** The first version with `--shutdown-timeout`, by its releases on PyPI. Its default is 0: requests are aborted. */
const firstWithDrain = [0, 18] as const;

/** Returns how an engine drains; undefined if it aborts requests, or if that is unknown. */
export function drainOf(engine: CommandLine): Drain | undefined {
  const name = engineNameOf(engine);
  // SGLang's SIGTERM handler ends the server after the last running request.
  if (name === "sglang") return { flag: undefined };
  if (name !== "vllm") return undefined;
  const flag = "--shutdown-timeout";
  const version = vllmVersionOf(engine.image);
  // An image of unknown version has the option if its command sets it.
  const hasFlag = isAtLeast(version, firstWithDrain) ?? argumentsOf(engine).has(flag);
  return hasFlag ? { flag } : undefined;
}
