import { isDeferred } from "../../kubernetes/values/deferred.ts";
import { type CommandLine, isFullyKnown, wordsOf } from "../engines/command-line.ts";
import { type EngineKind, engineKindOf } from "../engines/engine-kind.ts";
import { flagValue, hasFlag } from "../engines/flags.ts";
import type { Finding } from "../invariant.ts";

/** How a prefiller hands its key-value blocks to a decoder: what a spec and a stack are both held to. */

export type PairSide = "prefiller" | "decoder";

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

export const transferFlag = "--kv-transfer-config";

/** What to write for a connector that every vLLM since 0.10 has. */
const nixl = `"${transferFlag}", '{"kv_connector":"NixlConnector","kv_role":"kv_both"}'`;

/** What an engine is missing, by engine; undefined where nothing is. */
const missing: Readonly<
  Record<EngineKind, (engine: CommandLine, side: PairSide) => Omit<Finding, "path"> | undefined>
> = {
  vllm(engine) {
    const words = wordsOf(engine);
    const isSet = words.some((word) =>
      /^--kv-transfer-config([.=]|$)/.test(word.replaceAll("_", "-")),
    );
    if (isSet || hasLMCache(engine)) return undefined;
    return {
      given: `start vLLM without ${transferFlag}`,
      allowed: "a transfer of key-value blocks, since prefillers and decoders work together",
      fix: `Add ${nixl}, and VLLM_NIXL_SIDE_CHANNEL_HOST from status.podIP to env.`,
    };
  },
  sglang(engine, side) {
    const wanted = side === "prefiller" ? "prefill" : "decode";
    const mode = flagValue(wordsOf(engine), "--disaggregation-mode");
    if (mode === wanted) return undefined;
    return {
      given:
        mode === undefined
          ? "start SGLang without --disaggregation-mode"
          : `set --disaggregation-mode ${mode}`,
      allowed: `--disaggregation-mode ${wanted} on a ${side}`,
      fix: `Write "--disaggregation-mode", "${wanted}", with the --disaggregation-transfer-backend that both sides have.`,
    };
  },
};

/** What one side of a pair is missing. Arguments that are known only later, or stand in a file, are not judged. */
export function missingTransfer(
  engine: CommandLine,
  side: PairSide,
  kind: EngineKind | undefined = engineKindOf(engine),
): Omit<Finding, "path"> | undefined {
  if (kind === undefined || !isFullyKnown(engine)) return undefined;
  return hasFlag(wordsOf(engine), "--config") ? undefined : missing[kind](engine, side);
}

/** LMCache's own images configure the transfer by variables. */
function hasLMCache(engine: object): boolean {
  const { env } = engine as { env?: unknown };
  if (isDeferred(env)) return true;
  return (
    Array.isArray(env) &&
    env.some((entry) => isDeferred(entry) || /^LMCACHE_/.test(String(entry?.name)))
  );
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
