/** Divisions of a model that an engine refuses, except for heads and quantization blocks. */

import { whatIsKnown } from "../engines/arguments.ts";
import { engines } from "../engines/index.ts";
import { presence } from "../engines/releases/release.ts";
import { orList } from "../errors.ts";
import { modelFacts } from "../models/model-facts.ts";
import { unevenParts, wholeModelOver } from "./model-division.ts";
import { firstPipelined, pipelineReleases } from "./release-tables.ts";
import {
  isBefore,
  isOn,
  isOverridden,
  jsonOf,
  numberOf,
  type StartUp,
  type StartUpCheck,
  textOf,
  versionText,
} from "./start-up.ts";

/** vLLM: ModelConfig.verify_with_parallel_config; vllm-project/vllm#41623. */
export const decodeContext: StartUpCheck = function* (startUp) {
  const { engine, facts, parallelism } = startUp;
  if (engine !== "vllm" || isOverridden(startUp)) return;
  const size = numberOf(startUp, "--decode-context-parallel-size") ?? 1;
  const { tensor, context } = parallelism;
  if (size === 1 || context > 1) return;
  if (tensor % size !== 0)
    yield {
      given: `divide ${tensor} tensor parallel ranks into decode context groups of ${size}`,
      allowed: "a decode context parallel size that divides the tensor parallel size",
      fix: `Set --decode-context-parallel-size to a divisor of ${tensor}.`,
    };
  if (facts.attention.kind !== "grouped") return;
  const { keyValueHeads } = facts.attention;
  if (tensor > keyValueHeads && size <= tensor / keyValueHeads) return;
  yield {
    given: `set --decode-context-parallel-size ${size} with ${tensor} tensor parallel ranks for ${keyValueHeads} key-value heads`,
    allowed: `a tensor parallel size of at least ${keyValueHeads * size} (${size} ranks for each key-value head)`,
    fix: `Set --tensor-parallel-size ${keyValueHeads * size}, or remove --decode-context-parallel-size.`,
  };
};

/** vLLM: FusedMoE with EPLB, vllm-project/vllm#52435; SGLang: FusedMoE. */
export const expertRanks: StartUpCheck = function* (startUp) {
  const { engine, facts, parallelism } = startUp;
  if (facts.experts === undefined || isOverridden(startUp)) return;
  const [ranks, redundant] = engine === "vllm" ? vllmExperts(startUp) : sglangExperts(startUp);
  if (ranks <= 1) return;
  const { routed } = facts.experts;
  const total = routed + redundant;
  if (total % ranks !== 0) {
    const more = redundant + ranks - (total % ranks);
    const option =
      engine === "vllm" ? "num_redundant_experts of --eplb-config" : "--ep-num-redundant-experts";
    yield {
      given: `divide ${routed} routed and ${redundant} redundant experts over ${ranks} expert parallel ranks, with a remainder of ${total % ranks}`,
      allowed: "a number of experts that divides evenly over the ranks",
      fix: `Set ${option} to ${more}, or the expert parallel size to ${orList(
        divisors(total)
          .filter((size) => size <= ranks)
          .slice(-3),
      )}.`,
    };
  }
  if (engine === "sglang" && parallelism.tensor % ranks !== 0)
    yield {
      given: `set an expert parallel size of ${ranks} for ${parallelism.tensor} tensor parallel ranks`,
      allowed: "a divisor of the tensor parallel size",
      fix: `Set --ep-size to ${orList(divisors(parallelism.tensor))}.`,
    };
};

function vllmExperts(startUp: StartUp): [ranks: number, redundant: number] {
  const isBalanced = isOn(startUp, "--enable-eplb");
  // Without balancing, vLLM assigns one more expert to some ranks, except with the kernels of DeepSeek V4.
  const needsEven = isBalanced || textOf(startUp, "--moe-backend") === "deep_gemm_mega_moe";
  if (!needsEven || !isOn(startUp, "--enable-expert-parallel")) return [1, 0];
  const config = jsonOf(startUp, "--eplb-config");
  const redundant =
    Number(config?.num_redundant_experts ?? numberOf(startUp, "--num-redundant-experts") ?? 0) || 0;
  const { tensor, data, context } = startUp.parallelism;
  return [tensor * data * context, redundant];
}

function sglangExperts(startUp: StartUp): [ranks: number, redundant: number] {
  if (startUp.engine !== "sglang") return [1, 0];
  const exchange = textOf(startUp, "--moe-a2a-backend") ?? "none";
  const ranks =
    exchange === "none" ? (numberOf(startUp, "--ep-size") ?? 1) : startUp.parallelism.tensor;
  return [ranks, numberOf(startUp, "--ep-num-redundant-experts") ?? 0];
}

const divisors = (number: number): number[] =>
  Array.from({ length: Math.min(number, 512) }, (_, at) => at + 1).filter(
    (size) => number % size === 0,
  );

/** Multiple to which SGLang pads the rows of a vocabulary before it divides them: sgl-project/sglang#31799. */
const vocabularyStep = 64;

export const vocabularyRanks: StartUpCheck = function* (startUp) {
  const { engine, facts, parallelism } = startUp;
  if (engine !== "sglang" || isOverridden(startUp)) return;
  const copies = isOn(startUp, "--enable-dp-attention") ? (numberOf(startUp, "--dp-size") ?? 1) : 1;
  const ranks = parallelism.tensor / copies;
  const rows = Math.ceil(facts.vocabulary / vocabularyStep) * vocabularyStep;
  if (rows % ranks === 0) return;
  const fitting = divisors(rows).filter((size) => size <= ranks && parallelism.tensor % size === 0);
  yield {
    given: `divide a vocabulary of ${facts.vocabulary} tokens over ${ranks} ranks`,
    allowed: `a number of ranks that divides ${rows}, such as ${fitting.at(-1) ?? 1}`,
    fix: `Set --tp-size ${fitting.at(-1) ?? 1} and use --pp-size for the other devices.`,
  };
};

/** Pipeline stages by architecture and release. */
export const stages: StartUpCheck = function* (startUp) {
  const { engine, facts, parallelism } = startUp;
  const { pipeline } = parallelism;
  if (pipeline === 1) return;
  const flag = engines[engine].modelFactors.pipeline ?? "the pipeline parallel size";
  if (pipeline > facts.layers)
    yield {
      given: `divide ${facts.layers} layers into ${pipeline} pipeline stages`,
      allowed: `at most ${facts.layers} stages`,
      fix: `Lower ${flag}.`,
    };
  const { architecture } = facts;
  const lacking = unstagedIn(startUp);
  if (lacking !== undefined) {
    yield {
      given: `set ${flag} ${pipeline} for ${architecture}, which ${lacking.title} does not divide into pipeline stages`,
      allowed: lacking.others ?? "no pipeline stages",
      fix: `Set ${flag} 1 and ${engines[engine].modelFactors.tensor} ${parallelism.tensor * pipeline}${lacking.others === undefined ? "" : ", or use another image"}.`,
    };
    return;
  }
  if (engine !== "vllm") return;
  const first = pipelineReleases[architecture];
  const isEarly = isBefore(startUp, [0, 6, 3]) && !firstPipelined.has(architecture);
  const isLate = first !== undefined && first !== "never" && isBefore(startUp, first);
  if (first !== "never" && !isEarly && !isLate) return;
  const unstaged = `et ${flag} 1 and ${engines[engine].modelFactors.tensor} ${parallelism.tensor * pipeline}.`;
  if (first === "never")
    yield {
      given: `set ${flag} ${pipeline} for ${architecture}, for which vLLM does not support pipeline stages`,
      allowed: "no pipeline stages",
      fix: `S${unstaged}`,
    };
  else
    yield {
      given: `set ${flag} ${pipeline} for ${architecture}, which vLLM ${startUp.version ? versionText(startUp.version) : ""} does not divide into pipeline stages`,
      allowed: `vLLM ${versionText(first ?? [0, 6, 3])} or later`,
      fix: `Use a later image, or s${unstaged}`,
    };
};

/** Returns the release and the others, if the release in an image has an architecture, but without stages. */
function unstagedIn({ engine, container, facts: { architecture } }: StartUp) {
  const { title, releases } = engines[engine];
  const release = releases?.of(container.image);
  if (releases === undefined || !release?.names.unstaged.has(architecture)) return undefined;
  const where = presence(
    releases.all,
    release,
    ({ names }) => names.architectures.has(architecture) && !names.unstaged.has(architecture),
  );
  return {
    title: `${title} ${release.version}`,
    others: where && `stages for this architecture, which ${title} has ${where}`,
  };
}

/** A draft model is divided into the stages of the target model, and refused if its class has no stages. */
export const draftStages: StartUpCheck = function* (startUp) {
  const { engine, facts, modelName, parallelism, container } = startUp;
  const { pipeline, tensor } = parallelism;
  const { title, releases, modelFactors } = engines[engine];
  const release = releases?.of(container.image);
  const drafts = releases?.dividedDrafts;
  if (release === undefined || drafts === undefined || pipeline === 1) return;
  if (!isBefore(startUp, drafts.until)) return;
  const config = jsonOf(startUp, drafts.option);
  const method = String(config?.method ?? "");
  const own = /mtp/.test(method) ? drafts.byTarget[facts.architecture] : undefined;
  const named =
    typeof config?.model === "string" ? modelFacts(config.model)?.architecture : undefined;
  const draft = own ?? named ?? drafts.byMethod[method];
  if (draft === undefined || !release.names.unstaged.has(draft)) return;
  const later = `${title} ${versionText(drafts.until)} or later`;
  yield {
    given: `set ${method === "" ? "speculative decoding" : `speculation by ${method}`} for ${modelName} with ${pipeline} pipeline stages, into which ${title} ${release.version} cannot divide the draft model ${draft}`,
    allowed: `${later}, or no pipeline stages with this draft model`,
    fix: `Use an image with ${later}, set ${modelFactors.pipeline} 1 and ${modelFactors.tensor} ${tensor * pipeline}, or remove the speculation.`,
  };
};

/** A draft model is also divided: vllm-project/vllm#10913. */
export const draftDivision: StartUpCheck = function* (startUp) {
  const { engine, parallelism, args } = startUp;
  const config = engine === "vllm" ? jsonOf(startUp, "--speculative-config") : undefined;
  const name =
    config?.model ??
    textOf(startUp, engine === "vllm" ? "--speculative-model" : "--speculative-draft-model-path");
  const facts = typeof name === "string" ? modelFacts(name) : undefined;
  if (facts === undefined) return;
  const own =
    config?.draft_tensor_parallel_size ??
    whatIsKnown(args.written("--speculative-draft-tensor-parallel-size"));
  const ranks = Number(own ?? parallelism.tensor);
  const parts = unevenParts(facts, wholeModelOver(ranks));
  if (parts.length === 0) return;
  const fitting = divisors(ranks).filter(
    (size) => unevenParts(facts, wholeModelOver(size)).length === 0,
  );
  yield {
    given: `divide the draft model ${name} unevenly: ${parts.join("; ")}`,
    allowed: `a draft tensor parallel size of ${orList(fitting)}`,
    fix:
      engine === "vllm"
        ? `Set draft_tensor_parallel_size of --speculative-config to ${fitting.at(-1) ?? 1}.`
        : "Use another draft model or another tensor parallel size.",
  };
};
