import { Command, Option } from "commander";
import type { Action } from "../action.ts";
import type { InitOptions } from "../init/init.ts";

export const initCommand = (action: Action) =>
  new Command("init")
    .argument("[folder]", "new or empty folder", ".")
    .summary("write a Pulumi project that serves a model")
    .description(
      "Writes a Pulumi project in TypeScript that serves a model on an accelerator behind a gateway. Fails for the same reasons as a preview, such as a model that does not fit. Needs no network and no cluster.",
    )
    .requiredOption("--model <name>", "name of the model on Hugging Face")
    .requiredOption("--accelerator <name>", "accelerator, such as h100-sxm")
    .addOption(
      new Option("--engine <name>", "the engine")
        .choices(["vllm", "sglang", "tensorrt-llm"])
        .default("vllm"),
    )
    .option("--config <file>", "the model's config.json, for a model that fit does not list")
    .option(
      "--gateway-class <name>",
      "class of the Gateway in front of the service",
      "agentgateway",
    )
    .option("--name <name>", "name of the project and the service (default: from the model's name)")
    .addHelpText("after", examples)
    .action((folder: string, options: InitOptions) =>
      action(async (terminal) => (await import("../init/init.ts")).init(folder, options, terminal)),
    );

const examples = `
npx pulumi-inference fit lists models, and the accelerators on which one fits.

Examples:
  npx pulumi-inference init chat --model Qwen/Qwen3-32B --accelerator h100-sxm
  npx pulumi-inference init r1 --model deepseek-ai/DeepSeek-R1 \\
    --accelerator h200-sxm --engine sglang --gateway-class istio`;
