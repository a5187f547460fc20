import type { CommandLine } from "../command-line/started-programs.ts";
import { type Reading, whatIsKnown } from "./arguments.ts";
import { engines, serverOf } from "./index.ts";

/**
 * Options that change the KV blocks of an engine, besides its image and its model: the inputs of vLLM's
 * `compute_nixl_compatibility_hash` that a command sets, and SGLang's options of the same meaning.
 */
const formatOptions = [
  "--revision",
  "--dtype",
  "--quantization",
  "--kv-cache-dtype",
  "--block-size",
  "--page-size",
] as const;

/**
 * Returns the image, the model and the options on which the format of an engine's KV blocks depends. A decoder can use
 * the blocks of a prefiller if both formats are equal. Undefined for an unknown engine and for one with a value that
 * the container does not contain.
 */
export function kvFormatOf(container: CommandLine): string | undefined {
  const { engine, args } = serverOf(container);
  if (engine === undefined || typeof container.image !== "string") return undefined;
  const readings: Reading[] = [
    engines[engine].model(args),
    ...formatOptions.map((option) => args.written(option)),
  ];
  const values = readings.map(whatIsKnown);
  const isKnown = values.every((value, at) => value === readings[at]);
  return isKnown ? JSON.stringify([container.image, ...values]) : undefined;
}
