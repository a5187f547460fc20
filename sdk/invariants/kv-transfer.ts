import type { CommandLine } from "../command-line/started-programs.ts";
import { notKnown } from "../engines/arguments.ts";
import type { Correction, PairSide } from "../engines/engine.ts";
import { argumentsOf, type EngineName, engineNameOf, engines } from "../engines/index.ts";
import { transferFlag } from "../engines/vllm.ts";

/** How a prefiller hands its key-value blocks to a decoder: what a spec and a stack are both held to. */

export const isPairSide = (componentType: unknown): componentType is PairSide =>
  componentType === "prefiller" || componentType === "decoder";

export const pairTransfersBlocks = {
  id: "pair-transfers-blocks",
  title: "Prefillers and decoders are configured to transfer KV cache blocks",
  why: "Without a transfer, decoders recompute every prompt and the prefillers' work is wasted.",
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

/** Returns the part of the transfer that one side of a pair lacks. Undefined if arguments are known only later, or are in a file. */
export function missingTransfer(
  engine: CommandLine,
  side: PairSide,
  name: EngineName | undefined = engineNameOf(engine),
): Correction | undefined {
  const args = argumentsOf(engine);
  if (name === undefined || args.isOpen) return undefined;
  return engines[name].transfer?.missing(args, engine, side);
}

/** The connector of an engine's transfer configuration, as far as it is known. */
export function connectorOf(engine: CommandLine): string | undefined {
  const config = argumentsOf(engine).json(transferFlag);
  if (config === undefined || config === notKnown) return undefined;
  const { kv_connector: connector } = config;
  return typeof connector === "string" && connector !== "" ? connector : undefined;
}
