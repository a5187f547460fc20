import { type CommandLine, isFullyKnown, wordsOf } from "../engines/command-line.ts";
import type { Correction, PairSide } from "../engines/engine.ts";
import { flagValue, hasFlag } from "../engines/flags.ts";
import { type EngineName, engineNameOf, engines } from "../engines/index.ts";
import { transferFlag } from "../engines/vllm.ts";

/** How a prefiller hands its key-value blocks to a decoder: what a spec and a stack are both held to. */

export const isPairSide = (componentType: unknown): componentType is PairSide =>
  componentType === "prefiller" || componentType === "decoder";

export const pairTransfersBlocks = {
  id: "pair-transfers-blocks",
  title: "Prefillers and decoders are told how to hand over key-value blocks",
  why: "Without a transfer a decoder computes every prompt anew, and the prefillers' GPUs do nothing for it.",
  source:
    "vLLM: --kv-transfer-config, NixlConnector usage guide; SGLang, PD disaggregation: --disaggregation-mode",
  code: "conflict",
} as const;

/** Connectors that no vLLM with the V1 engine has. */
export const removedConnectors: readonly string[] = [
  "PyNcclConnector",
  "PyNcclPipe",
  "MooncakePipe",
];

/** What one side of a pair is missing. Arguments that are known only later, or stand in a file, are not judged. */
export function missingTransfer(
  engine: CommandLine,
  side: PairSide,
  name: EngineName | undefined = engineNameOf(engine),
): Correction | undefined {
  if (name === undefined || !isFullyKnown(engine)) return undefined;
  return hasFlag(wordsOf(engine), "--config")
    ? undefined
    : engines[name].missingTransfer(engine, side);
}

/** The connector that an engine is told to use, as far as it is known. */
export function connectorOf(engine: CommandLine): string | undefined {
  const words = wordsOf(engine);
  const text = flagValue(words, transferFlag);
  const written =
    flagValue(words, `${transferFlag}.kv-connector`) ??
    /"kv_connector"\s*:\s*"([^"]+)"/.exec(text ?? "")?.[1];
  return written === "" ? undefined : written;
}
