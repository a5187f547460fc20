import { expect, it } from "vitest";
import { unevenDivision } from "./uneven-division.ts";

const r1 = "deepseek-ai/DeepSeek-R1";
const qwen235 = "Qwen/Qwen3-235B-A22B-FP8";
const vllm = (model: string, ...args: string[]) => ({
  name: "engine",
  image: "vllm/vllm-openai:v0.32.0",
  args: ["--model", model, ...args],
});
const sglang = (model: string, ...args: string[]) => ({
  name: "engine",
  command: ["python3", "-m", "sglang.launch_server"],
  args: ["--model-path", model, ...args],
});
const tensor = (size: number) => ["--tensor-parallel-size", String(size)];
const whole = "--enable-expert-parallel";

it.each([
  ["DeepSeek-R1 over 16 ranks", vllm(r1, ...tensor(16))],
  ["DeepSeek-R1 over 8 ranks and 4 stages", vllm(r1, ...tensor(8), "-pp", "4")],
  ["DeepSeek-R1 with 32 copies of the attention and whole experts", vllm(r1, "-dp", "32", whole)],
  ["DeepSeek-R1 by SGLang over 16 ranks", sglang(r1, "--tp", "16")],
  [
    "DeepSeek-R1 by SGLang with whole experts and dense layers",
    sglang(r1, "--tp", "32", "--ep-size", "32", "--moe-dense-tp-size", "1"),
  ],
  [
    "DeepSeek-R1 by SGLang with copies of the attention and DeepEP",
    sglang(r1, "--tp", "32", "--dp", "32", "--enable-dp-attention", "--moe-a2a-backend", "deepep"),
  ],
  ["experts of 1536 columns that stay whole", vllm(qwen235, ...tensor(8), whole)],
  ["fewer key-value heads than ranks, which are replicated", vllm("Qwen/Qwen3-32B", ...tensor(16))],
  ["a model that is not in the table", vllm("org/model", ...tensor(3))],
  ["overridden sizes", vllm(r1, ...tensor(32), "--hf-overrides", '{"num_hidden_layers": 4}')],
  ["a size that is a variable", vllm(r1, "--tensor-parallel-size", "$(SIZE)")],
])("%s divides evenly", (_, container) => {
  expect(unevenDivision(container, 8)).toBeUndefined();
});

it.each([
  [
    "DeepSeek-R1 in FP8 over 32 ranks",
    vllm(r1, ...tensor(32)),
    "divide deepseek-ai/DeepSeek-R1 unevenly: 18432 columns of feed-forward layers over 32 ranks, 576 each, in FP8 blocks of 128; 2048 columns of the shared expert over 32 ranks, 64 each, in FP8 blocks of 128; 2048 columns of each expert over 32 ranks, 64 each, in FP8 blocks of 128",
    "a tensor parallel size of 1, 2, 4, 8 or 16",
    "Set --tensor-parallel-size 8 and --pipeline-parallel-size 4.",
  ],
  [
    "experts over several copies that are not whole",
    vllm(qwen235, "-dp", "8"),
    "divide Qwen/Qwen3-235B-A22B-FP8 unevenly: 1536 columns of each expert over 8 ranks, 192 each, in FP8 blocks of 128",
    "a division into whole heads, columns and quantization blocks",
    "Add --enable-expert-parallel, which keeps each expert on one rank.",
  ],
  [
    "experts over too many ranks",
    vllm(qwen235, ...tensor(8)),
    "divide Qwen/Qwen3-235B-A22B-FP8 unevenly: 1536 columns of each expert over 8 ranks, 192 each, in FP8 blocks of 128",
    "a tensor parallel size of 1, 2 or 4",
    "Set --tensor-parallel-size 4 and --pipeline-parallel-size 2, or add --enable-expert-parallel, which keeps each expert on one rank.",
  ],
  [
    "DeepSeek-R1 by SGLang over 32 ranks with whole experts",
    sglang(r1, "--tp", "32", "--ep", "32"),
    "divide deepseek-ai/DeepSeek-R1 unevenly: 18432 columns of feed-forward layers over 32 ranks, 576 each, in FP8 blocks of 128",
    "a tensor parallel size of 1, 2, 4, 8 or 16",
    "Set --tp-size 8 and --pp-size 4.",
  ],
  [
    "heads over ranks",
    vllm("Qwen/Qwen2.5-0.5B-Instruct", ...tensor(4)),
    "divide Qwen/Qwen2.5-0.5B-Instruct unevenly: 14 attention heads over 4 ranks",
    "a tensor parallel size of 1 or 2",
    "Set --tensor-parallel-size 2 and --pipeline-parallel-size 2.",
  ],
])("%s do not divide evenly", (_, container, given, allowed, fix) => {
  expect(unevenDivision(container, 8)).toEqual({ given, allowed, fix });
});
