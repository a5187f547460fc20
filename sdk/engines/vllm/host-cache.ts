import type { HostCache, HostTier } from "../interface/engine.ts";
import { type Arguments, whatIsKnown } from "../options/arguments.ts";
import { fieldsOf, kvConnectors, transferFlag } from "../options/kv-connectors.ts";
import type { Version } from "../options/version.ts";

const option = "--kv-offloading-size";
const unit = 2 ** 30;

/** The first release with a shared mapping: of a tiered offload (vllm-project/vllm#37206), and of any (#50094). */
const firstTiered: Version = [0, 19];
const firstMapped: Version = [0, 28];

function tier(args: Arguments): HostTier | undefined {
  const written = Number(whatIsKnown(args.written(option)) ?? Number.NaN);
  const isNative = (whatIsKnown(args.written("--kv-offloading-backend")) ?? "native") === "native";
  if (written > 0 && isNative) return { option, bytes: written * unit, sharedSince: firstMapped };
  for (const connector of kvConnectors(args)) {
    const extra = fieldsOf(connector.kv_connector_extra_config);
    const bytes = bytesOf(extra.cpu_bytes_to_use);
    if (connector.kv_connector !== "OffloadingConnector" || bytes === undefined) continue;
    return {
      option: `cpu_bytes_to_use of ${transferFlag}`,
      bytes,
      sharedSince: extra.spec_name === "TieringOffloadingSpec" ? firstTiered : firstMapped,
    };
  }
  return undefined;
}

function bytesOf(value: unknown): number | undefined {
  const bytes = typeof value === "string" ? Number(value) : value;
  return typeof bytes === "number" && bytes > 0 ? bytes : undefined;
}

/** The CPU tier of vLLM's KV cache. */
export const vllmHostCache: HostCache = { option, unit, isPerRank: false, tier };
