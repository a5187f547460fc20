import { Document, visit } from "yaml";
import { startUpKinds } from "../../sdk/engines/interface/start-up-kinds.ts";
import { launchKinds } from "../../sdk/engines/start-up/launch-faults.ts";
import { SpecError } from "../../sdk/errors.ts";
import { parseInferenceService } from "../../sdk/validate/inference-service.ts";
import { table } from "./table.ts";

export const startUpTable = (): string[] =>
  table(
    ["Failure", "Checked facts"],
    [
      [
        "Heads or quantization blocks that ranks cannot share",
        "the model's sizes against the parallel sizes",
      ],
      ...Object.values({ ...launchKinds, ...startUpKinds }).map(({ title, decides }) => [
        title,
        decides,
      ]),
    ],
  );

interface WrongProgram {
  readonly mistake: string;
  readonly model?: object;
  readonly accelerator: string;
  readonly engine?: object;
}

const qwen = (size: string) => ({ name: `Qwen/Qwen3-${size}` });

/** Ten invalid programs, each with one mistake that prevents the start. */
const programs: readonly WrongProgram[] = [
  {
    mistake: "A tensor parallel size that does not divide the heads",
    accelerator: "h100-sxm",
    engine: { tensorParallel: 3 },
  },
  { mistake: "Weights larger than the devices", accelerator: "l4", engine: { tensorParallel: 1 } },
  {
    mistake: "A context larger than the KV cache",
    accelerator: "a100-sxm-40gb",
    model: qwen("14B"),
    engine: { tensorParallel: 1, maxModelLen: 40_960, memoryFraction: 0.8 },
  },
  {
    mistake: "A context longer than the model's",
    accelerator: "h100-sxm",
    engine: { maxModelLen: 131_072 },
  },
  {
    mistake: "bfloat16 on a GPU without it",
    accelerator: "t4",
    model: qwen("0.6B"),
    engine: { maxModelLen: 8192, dtype: "bfloat16" },
  },
  {
    mistake: "FP8 blocks in an old release on Ampere",
    accelerator: "a100-sxm-80gb",
    model: qwen("32B-FP8"),
    engine: { version: "0.8.5" },
  },
  {
    mistake: "A model newer than the image",
    accelerator: "h100-sxm",
    engine: { version: "0.7.3" },
  },
  {
    mistake: "A gated model without a token",
    accelerator: "h100-sxm",
    model: { name: "meta-llama/Llama-3.1-8B-Instruct" },
  },
  {
    mistake: "A rank of adapters that no release has",
    accelerator: "h100-sxm",
    engine: { lora: { adapters: [{ name: "a", source: "org/a" }], maxRank: 48 } },
  },
  {
    mistake: "Too few tokens per step without chunked prefill",
    accelerator: "h100-sxm",
    engine: { args: ["--no-enable-chunked-prefill", "--max-num-batched-tokens", "8192"] },
  },
];

/** Returns the ten programs with their refusals, as a preview prints them. */
export const wrongPrograms = (): string[] =>
  programs.flatMap(({ mistake, model = qwen("32B"), accelerator, engine }) => [
    `**${mistake}**`,
    "",
    "```yaml",
    `model: ${flowText(model)}`,
    `accelerator: ${accelerator}`,
    ...(engine === undefined ? [] : [`engine: ${flowText({ name: "vllm", ...engine })}`]),
    "```",
    "",
    ...refusalOf({ model, accelerator, engine: { name: "vllm", ...engine } }).map(
      (line) => `> ${line}`,
    ),
    "",
  ]);

/** @throws Error for a program that is not refused */
function refusalOf(spec: object): string[] {
  const roles = [{ name: "worker", componentType: "worker" }];
  try {
    parseInferenceService({ metadata: { name: "chat" }, spec: { ...spec, roles } });
  } catch (error) {
    if (error instanceof SpecError)
      return error.message
        .split("\n")
        .slice(1)
        .map((line) => line.trim());
    throw error;
  }
  throw new Error(`not refused: ${JSON.stringify(spec)}`);
}

/** Returns a value as YAML on one line. */
function flowText(value: object): string {
  const document = new Document(value);
  visit(document, {
    Collection(_key, node) {
      node.flow = true;
    },
  });
  return document.toString({ lineWidth: 0 }).trim();
}
