import { roleLabel } from "../../../scheduling/label-keys.ts";
import type { CommandLine } from "../../engines/command-line/started-programs.ts";
import { argumentsOf, engineNameOf, engines } from "../../engines/index.ts";
import type { EngineName, PairSide } from "../../engines/interface/engine.ts";
import { connectorIn } from "../../engines/options/kv-connectors.ts";
import type { FindingText } from "../../invariant.ts";
import { label } from "../../names.ts";

/** The transfer of KV cache blocks from prefiller to decoder. Shared by the rules on specs and on stacks. */

export const isPairSide = (componentType: unknown): componentType is PairSide =>
  componentType === "prefiller" || componentType === "decoder";

/** Sides of a pair by the role of llm-d. A pod that also serves the other stage is on no side. */
const sidesByRole: Readonly<Record<string, PairSide>> = { prefill: "prefiller", decode: "decoder" };

/** Returns the side of a pair in the labels of a pod: of this project, otherwise of llm-d. */
export function pairSideOf(labels: Readonly<Record<string, string>>): PairSide | undefined {
  const own = labels[label.componentType];
  if (own !== undefined) return isPairSide(own) ? own : undefined;
  return sidesByRole[labels[roleLabel] ?? ""];
}

export const pairTransfersBlocks = {
  id: "pair-transfers-blocks",
  title: "Prefillers and decoders are configured to transfer KV cache blocks",
  why: "Without a transfer, decoders recompute every prompt and the prefillers' work is wasted.",
  source:
    "vLLM: --kv-transfer-config, NixlConnector usage guide; SGLang, PD disaggregation: --disaggregation-mode",
  code: "conflict",
} as const;

/** Connectors that vLLM's V1 engine does not have. */
export const removedConnectors: readonly string[] = [
  "LMCacheConnector",
  "PyNcclConnector",
  "PyNcclPipe",
  "MooncakePipe",
];

/**
 * Returns the part of the transfer configuration that one side of a pair lacks. Undefined if it is complete, if an
 * argument is not yet known, or if the arguments are in a file.
 */
export function missingTransfer(
  engine: CommandLine,
  side: PairSide,
  name: EngineName | undefined = engineNameOf(engine),
): FindingText | undefined {
  const args = argumentsOf(engine);
  if (name === undefined || args.isOpen) return undefined;
  return engines[name].transfer?.missing(args, engine, side);
}

/** Returns the connector of an engine's transfer configuration. Undefined if there is none or it is not yet known. */
export const connectorOf = (engine: CommandLine): string | undefined =>
  connectorIn(argumentsOf(engine));
