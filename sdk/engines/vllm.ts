import { isDeferred } from "../../kubernetes/values/deferred.ts";
import { wordsOf } from "./command-line.ts";
import type { Engine } from "./engine.ts";

export const transferFlag = "--kv-transfer-config";

/** What to write for a connector that every vLLM since 0.10 has. */
const nixl = `"${transferFlag}", '{"kv_connector":"NixlConnector","kv_role":"kv_both"}'`;

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
