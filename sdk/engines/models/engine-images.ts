/**
 * Images of engines in the examples, on the pages and in the demo: one version each, which tests enforce. vLLM is the
 * newest version whose CPU build is on PyPI, because `npm test engines` runs the planned commands with it. SGLang
 * is the newest version on PyPI, vLLM Ascend the newest release in its documentation. `npm run tool image-digests` resolves
 * their digests.
 */
export const engineImages = {
  vllm: "vllm/vllm-openai:v0.32.0",
  vllmOnCpu: "vllm/vllm-openai-cpu:v0.32.0",
  vllmOnAmd: "vllm/vllm-openai-rocm:v0.32.0",
  vllmOnAscend: "quay.io/ascend/vllm-ascend:v0.23.0",
  sglang: "lmsysorg/sglang:v0.5.23",
  tensorRtLlm: "nvcr.io/nvidia/tensorrt-llm/release:1.2.0",
} as const;
