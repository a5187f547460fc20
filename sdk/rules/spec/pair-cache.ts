import type { CommandLine } from "../../engines/command-line/started-programs.ts";
import { formatDifferences } from "../../engines/containers/kv-format.ts";
import { argumentsOf, engineNameOf } from "../../engines/index.ts";
import type { PairSide } from "../../engines/interface/engine.ts";
import { whatIsKnown } from "../../engines/options/arguments.ts";
import { transferFlag } from "../../engines/options/kv-connectors.ts";
import type { FindingText } from "../../invariant.ts";
import { connectorOf, missingTransfer } from "./kv-transfer.ts";

/** Shared by the rules on specs and on stacks. */
export const pairHasOneCache = {
  id: "pair-has-one-cache",
  title: "Prefillers and decoders use the same KV cache format and transfer",
  why: "Blocks of another data type or size do not fit into the decoder's cache, and two connectors do not connect. Every transfer fails, and the decoders prefill.",
  source:
    "vLLM: compute_nixl_compatibility_hash and TransferTopology; SGLang: --disaggregation-transfer-backend",
  code: "conflict",
} as const;

/** A MultiConnector may contain the connector of the other side. */
const several = "MultiConnector";
/** SGLang sides without a backend, and vLLM's that a variable configures. */
const defaultTransfer = "the default";
const backendFlag = "--disaggregation-transfer-backend";

/** Returns the transfer of one side; undefined if it is unknown. */
function transferOf(engine: CommandLine, side: PairSide): string | undefined {
  const args = argumentsOf(engine);
  if (args.isOpen) return undefined;
  const connector = connectorOf(engine) ?? whatIsKnown(args.written(backendFlag));
  if (connector !== undefined) return connector === several ? undefined : connector;
  // A configuration that cannot be read may name any connector.
  if (args.has(transferFlag) || args.has(backendFlag)) return undefined;
  return missingTransfer(engine, side) === undefined ? defaultTransfer : "none";
}

/** Returns the settings in which a decoder differs from a prefiller, so that no block can be transferred. */
export function* cacheDifferences(
  prefiller: CommandLine,
  decoder: CommandLine,
): Iterable<FindingText> {
  if (engineNameOf(prefiller) !== engineNameOf(decoder)) return;
  for (const { option, values } of formatDifferences(prefiller, decoder))
    yield differs(option, ...values);
  const from = transferOf(prefiller, "prefiller");
  const to = transferOf(decoder, "decoder");
  // Another rule requires a transfer of prefillers.
  if (from !== undefined && from !== "none" && to !== undefined && from !== to)
    yield differs("the KV cache transfer", from, to);
}

const differs = (setting: string, prefiller: string, decoder: string) => ({
  given: `use ${decoder} for ${setting}`,
  allowed: `${prefiller}, as on the prefillers`,
  fix: `Set the same ${setting} on both sides.`,
});
