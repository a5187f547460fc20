import type { CommandLine } from "../command-line/started-programs.ts";
import { engines, serverOf } from "../index.ts";
import { notKnown, type Reading, whatIsKnown } from "../options/arguments.ts";

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
 * the blocks of a prefiller if both formats are equal. Undefined for an unknown engine, and for an engine with an
 * option whose value the container does not contain.
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

/** An option in which the KV blocks of two engines differ, with the value of each. */
export interface FormatDifference {
  readonly option: string;
  readonly values: readonly [first: string, second: string];
}

/** Values that engines use for options which are not set. */
const formatDefaults: Readonly<Record<string, string>> = {
  "--dtype": "auto",
  "--kv-cache-dtype": "auto",
  "--block-size": "16",
  "--page-size": "1",
  "--revision": "main",
};

/** Two names of one value. */
const sameValues: Readonly<Record<string, string>> = { fp8_e4m3: "fp8", half: "float16" };

/**
 * Returns the options in which the KV blocks of two engines of one kind differ. Empty for different engines, and for
 * values that a container does not contain. A quantization of weights does not change the blocks.
 */
export function formatDifferences(first: CommandLine, second: CommandLine): FormatDifference[] {
  const servers = [serverOf(first), serverOf(second)] as const;
  const [{ engine }] = servers;
  if (
    engine === undefined ||
    servers.some(({ args, engine: other }) => args.isOpen || other !== engine)
  )
    return [];
  return Object.entries(formatDefaults).flatMap(([option, byDefault]) => {
    const [a, b] = servers.map(({ args }) => {
      const value = args.written(option);
      return value === notKnown ? undefined : (value ?? byDefault);
    });
    if (a === undefined || b === undefined || (sameValues[a] ?? a) === (sameValues[b] ?? b))
      return [];
    return [{ option, values: [a, b] as const }];
  });
}
