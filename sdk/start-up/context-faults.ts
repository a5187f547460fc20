/** Limits in a command that an engine refuses: context, tokens of a step, ranks of adapters. */

import { engines } from "../engines/index.ts";
import { isAtLeast } from "../engines/vllm-images.ts";
import { orList } from "../errors.ts";
import {
  isBefore,
  isOn,
  isOverridden,
  jsonOf,
  numberOf,
  type StartUp,
  type StartUpCheck,
  textOf,
} from "./start-up.ts";

const contextFlags = { vllm: "--max-model-len", sglang: "--context-length" } as const;

/** Variables with which an engine accepts a longer context than the model's. */
export const longerContext = {
  vllm: "VLLM_ALLOW_LONG_MAX_MODEL_LEN",
  sglang: "SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN",
} as const;

/** Returns the context that a command sets; undefined for the model's context, or if the engine chooses. */
export function contextOf(startUp: StartUp): number | undefined {
  const { engine } = startUp;
  if (engine === "tensorrt-llm") return undefined;
  const text = textOf(startUp, contextFlags[engine]);
  return text === undefined || isChosen(text) ? undefined : numberOf(startUp, contextFlags[engine]);
}

/** Whether the engine chooses the longest context that fits. */
export const isContextChosen = (startUp: StartUp): boolean =>
  isChosen(textOf(startUp, "--max-model-len") ?? "");

const isChosen = (text: string) => text === "auto" || text === "-1";

/** vLLM: _get_and_verify_max_len; SGLang: ModelConfig. */
export const modelContext: StartUpCheck = function* (startUp) {
  const { engine, facts, modelName, env } = startUp;
  if (engine === "tensorrt-llm" || isOverridden(startUp)) return;
  const context = contextOf(startUp);
  const variable = longerContext[engine];
  if (context === undefined || env.isOpen) return;
  const own = scaledContext(startUp) ?? facts.context;
  if (context <= own) return;
  const scaling = context / facts.context;
  if (/^(1|true)$/i.test(env.text(variable) ?? (env.has(variable) ? "1" : "0"))) {
    yield {
      given: `set ${contextFlags[engine]} ${context} and ${variable}, but ${modelName} has ${own} positions: the variable skips the check and adds no positions`,
      allowed: `at most ${own} tokens, or scaled positions`,
      fix: `Set ${contextFlags[engine]} ${own}, or scale the positions by ${Math.ceil(scaling * 10) / 10} as the model card describes. Otherwise longer requests can end the engine or get wrong responses.`,
    };
    return;
  }
  yield {
    given: `set ${contextFlags[engine]} ${context}, but ${modelName} supports ${own} tokens`,
    allowed: `at most ${own} tokens`,
    fix: `Set ${contextFlags[engine]} ${own}, or scale the positions by ${Math.ceil(scaling * 10) / 10} as the model card describes.`,
  };
};

/** Returns the context with `--rope-scaling`, which vLLM had up to 0.11. */
function scaledContext(startUp: StartUp): number | undefined {
  if (startUp.engine !== "vllm") return undefined;
  const scaling = jsonOf(startUp, "--rope-scaling");
  if (scaling === undefined) return undefined;
  const original = Number(scaling.original_max_position_embeddings ?? startUp.facts.context);
  return original * Number(scaling.factor ?? 1);
}

/** vLLM: SchedulerConfig.verify_max_model_len, the same from 0.15 to 0.29 (unslothai/unsloth-zoo#1211). */
export const stepTokens: StartUpCheck = function* (startUp) {
  const { engine, facts } = startUp;
  if (engine !== "vllm" || facts.encoder) return;
  const tokens = numberOf(startUp, "--max-num-batched-tokens");
  if (tokens === undefined) return;
  const sequences = numberOf(startUp, "--max-num-seqs");
  if (sequences !== undefined && tokens < sequences)
    yield {
      given: `set --max-num-batched-tokens ${tokens} with --max-num-seqs ${sequences}`,
      allowed: "at least one token per step for each sequence",
      fix: `Set --max-num-seqs ${tokens} or less.`,
    };
  if (isContextChosen(startUp)) return;
  const context = contextOf(startUp) ?? facts.context;
  const written = textOf(startUp, "--enable-chunked-prefill");
  // The V0 engine, up to 0.7, splits prompts by default only for a context of more than 32,768 tokens.
  const isWhole =
    written === undefined
      ? isBefore(startUp, [0, 8]) && context <= 32_768
      : !isOn(startUp, "--enable-chunked-prefill");
  if (!isWhole || tokens >= context) return;
  yield {
    given: `set --max-num-batched-tokens ${tokens} without chunked prefill for a context of ${context}`,
    allowed: `at least ${context}, because a whole prompt is computed in one step`,
    fix: `Set --max-num-batched-tokens ${context}, lower --max-model-len to ${tokens}, or enable chunked prefill.`,
  };
};

/** vLLM: LoRAConfig, vllm-project/vllm#2847. */
export const adapterRank: StartUpCheck = function* (startUp) {
  const { title, adapterRanks, releases } = engines[startUp.engine];
  if (adapterRanks === undefined || !isOn(startUp, "--enable-lora")) return;
  // The release has the list of its ranks.
  if (releases?.of(startUp.container.image) !== undefined) return;
  const rank = numberOf(startUp, "--max-lora-rank");
  if (rank === undefined) return;
  const allowed = adapterRanks
    .filter(([, first]) => isAtLeast(startUp.version, first) !== false)
    .map(([each]) => each);
  if (allowed.includes(rank)) return;
  const next = allowed.find((each) => each >= rank);
  const later = adapterRanks.find(([each]) => each >= rank)?.[0];
  yield {
    given: `set --max-lora-rank ${rank}`,
    allowed: orList(allowed),
    fix:
      next !== undefined
        ? `Set --max-lora-rank ${next}.`
        : later !== undefined
          ? `Use a later ${title} image, which supports rank ${later}, or adapters of rank ${allowed.at(-1)} or lower.`
          : `Use adapters of rank ${allowed.at(-1)} or lower.`,
  };
};
