import { isDeferred } from "../../kubernetes/values/deferred.ts";
import { type CommandLine, wordsOf } from "./command-line.ts";
import type { Engine } from "./engine.ts";

export const transferFlag = "--kv-transfer-config";

/** What to write for a connector that every vLLM since 0.10 has. */
const nixl = `"${transferFlag}", '{"kv_connector":"NixlConnector","kv_role":"kv_both"}'`;

/**
 * Whether an engine knows `kv_load_failure_policy`, which `vllm/config/kv_transfer.py` has since 0.13: `recompute` was its
 * default up to 0.16, `fail` is since 0.17. The tag of the image says the version; of an image without one nothing is known.
 */
function knowsFailurePolicy({ image }: CommandLine): boolean {
  const [, major, minor] = /vllm[^:/]*:v?(\d)\.(\d+)/.exec(String(image)) ?? [];
  return major !== undefined && (Number(major) > 0 || Number(minor) >= 13);
}

/** vLLM, by `vllm serve --help`. */
export const vllm: Engine = {
  title: "vLLM",
  program: /^(\S*\/bin\/)?vllm$|^vllm\./,
  image: /vllm/,
  port: 8000,
  host: "0.0.0.0",
  healthPath: "/health",
  modelFlags: ["--model"],
  unflaggedModel(words) {
    const serve = words.indexOf("serve");
    // The image starts `vllm serve` when the words name no program.
    if (serve < 0 && words.some((word) => /vllm/.test(word))) return undefined;
    return words[serve + 1];
  },
  parallelFlags: {
    tensor: ["--tensor-parallel-size", "-tp"],
    pipeline: ["--pipeline-parallel-size", "-pp"],
    data: ["--data-parallel-size", "-dp"],
    dataLocal: ["--data-parallel-size-local", "-dpl"],
  },
  missingTransfer(engine) {
    const isSet = wordsOf(engine).some((word) =>
      /^--kv-transfer-config([.=]|$)/.test(word.replaceAll("_", "-")),
    );
    if (isSet || hasLMCache(engine)) return undefined;
    return {
      given: `start vLLM without ${transferFlag}`,
      allowed: "a transfer of key-value blocks, since prefillers and decoders work together",
      fix: `Add ${nixl}, and VLLM_NIXL_SIDE_CHANNEL_HOST from status.podIP to env.`,
    };
  },
  transferArguments: (engine) => [
    transferFlag,
    JSON.stringify({
      // Decoders prefill as well, where no prefiller does it for them.
      kv_connector: "NixlConnector",
      kv_role: "kv_both",
      ...(knowsFailurePolicy(engine) && { kv_load_failure_policy: "recompute" }),
    }),
  ],
};

/** Returns whether variables configure the transfer, as those of LMCache's own images do. */
function hasLMCache(engine: object): boolean {
  const { env } = engine as { env?: unknown };
  if (isDeferred(env)) return true;
  return (
    Array.isArray(env) &&
    env.some((entry) => isDeferred(entry) || /^LMCACHE_/.test(String(entry?.name)))
  );
}
