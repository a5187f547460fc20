/** Models with the architecture and sizes of another: their cards name it as their base. */

import type { CatalogAlias } from "./entry.ts";

export const aliases: Readonly<Record<string, CatalogAlias>> = {
  "meta-llama/Llama-3.1-8B": { base: "meta-llama/Meta-Llama-3.1-8B", gated: true },
  "meta-llama/Llama-3.1-8B-Instruct": { base: "meta-llama/Meta-Llama-3.1-8B", gated: true },
  "meta-llama/Llama-3.1-70B-Instruct": { base: "meta-llama/Meta-Llama-3.1-70B", gated: true },
  "meta-llama/Llama-3.3-70B-Instruct": { base: "meta-llama/Meta-Llama-3.1-70B", gated: true },
  "meta-llama/Llama-3.1-405B-Instruct": { base: "meta-llama/Meta-Llama-3.1-405B", gated: true },
  "deepseek-ai/DeepSeek-R1-Distill-Llama-70B": { base: "meta-llama/Meta-Llama-3.1-70B" },
  "deepseek-ai/DeepSeek-R1-Distill-Llama-8B": { base: "meta-llama/Meta-Llama-3.1-8B" },
  "deepseek-ai/DeepSeek-R1-0528": { base: "deepseek-ai/DeepSeek-R1" },
  "deepseek-ai/DeepSeek-V3-0324": { base: "deepseek-ai/DeepSeek-V3" },
  "deepseek-ai/DeepSeek-V3.1": { base: "deepseek-ai/DeepSeek-V3" },
  "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B": { base: "Qwen/Qwen2.5-14B" },
  "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B": { base: "Qwen/Qwen2.5-32B" },
  "mistralai/Mixtral-8x7B-Instruct-v0.1": { base: "mistralai/Mixtral-8x7B-v0.1" },
  "mistralai/Mixtral-8x22B-Instruct-v0.1": { base: "mistralai/Mixtral-8x22B-v0.1" },
  "BAAI/bge-m3": {
    base: "BAAI/bge-reranker-v2-m3",
    fields: { architectures: ["XLMRobertaModel"] },
  },
};
