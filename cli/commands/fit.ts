import { Command, Option } from "commander";
import type { Action } from "../action.ts";
import type { FitOptions } from "../fit/fit.ts";
import { countUpTo, formatOption, parseCount, parseNames } from "../options.ts";

export const fitCommand = (action: Action) =>
  new Command("fit")
    .argument("[model]", "name of the model on Hugging Face")
    .summary("show on which accelerators a model fits, and how much context is left")
    .description(
      "Computes how a model fits on each accelerator: the minimum number of devices, weights and KV cache per device, the longest context, and how many requests of 8,192 and 32,768 tokens can run concurrently. Without a model it lists the known models. Needs no network.",
    )
    .addOption(
      new Option("--accelerator <names>", "accelerators, such as h100-sxm,l40s").argParser(
        parseNames,
      ),
    )
    .option("--all", "include parts of GPUs (MIG) and CPUs", false)
    .addOption(new Option("--gpus <number>", "devices of one replica").argParser(parseCount))
    .addOption(
      new Option("--engine <name>", "the engine").choices(["vllm", "sglang"]).default("vllm"),
    )
    .addOption(
      new Option("--max-model-len <tokens>", "required context").argParser(countUpTo(2 ** 30)),
    )
    .addOption(
      new Option("--kv-cache-dtype <type>", "data type of the KV cache").choices(["auto", "fp8"]),
    )
    .addOption(
      new Option("--quantization <type>", "quantization applied while the model loads").choices([
        "fp8",
      ]),
    )
    .option("--config <file>", "the model's config.json, for a model that is not listed")
    .addOption(formatOption("table", "json", "yaml"))
    .addHelpText("after", examples)
    .action((model: string | undefined, options: FitOptions) =>
      action(async (terminal) =>
        (await import("../fit/fit.ts")).printFit(model, options, terminal),
      ),
    );

const examples = `
DEVICES is the minimum number of devices for one replica, as tensor x pipeline
parallel size if they form stages. WEIGHTS and KV CACHE are GiB per device.
CONTEXT is the longest context of a plan, in tokens: the model's limit, or 90 %
of the tokens that fit. AT 8K and AT 32K are the numbers of requests of 8,192
and 32,768 tokens whose KV cache fits at the same time. Exits with 1 if the
model fits on none of the accelerators.

Examples:
  npx pulumi-inference fit
  npx pulumi-inference fit Qwen/Qwen3-32B
  npx pulumi-inference fit Qwen/Qwen3-32B --accelerator h100-sxm --gpus 2
  npx pulumi-inference fit openai/gpt-oss-120b --max-model-len 131072 --all
  npx pulumi-inference fit my/model --config config.json --format json`;
