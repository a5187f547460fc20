import { textOf } from "../command-line/words.ts";
import { fileName } from "../command-line/wrappers.ts";
import { notKnown } from "./arguments.ts";
import type { Engine } from "./engine.ts";
import { optionsByName } from "./option-names.ts";
import { tensorRtLlmOptions } from "./tensorrt-llm-options.ts";

/** Subcommands of `trtllm-serve` other than the OpenAI server of one model. */
const otherCommands = /^(disaggregated|disaggregated_mpi_worker|grpc|mm_embedding_serve)$/;

/** TensorRT-LLM, by `trtllm-serve serve --help`. */
export const tensorRtLlm: Engine = {
  title: "TensorRT-LLM",
  serverArguments({ name = "", args }) {
    if (fileName(name) !== "trtllm-serve" && name !== "tensorrt_llm.commands.serve")
      return undefined;
    const [first, ...rest] = args;
    if (first !== undefined && otherCommands.test(first.text)) return undefined;
    return first?.text === "serve" ? rest : args;
  },
  image: /tensorrt-?llm/,
  startsWithoutArguments: false,
  syntax: {
    options: optionsByName(tensorRtLlmOptions),
    spelling: (name) => name,
    abbreviates: false,
    nests: false,
    takesModel: true,
  },
  port: 8000,
  host: "localhost",
  healthPath: "/health",
  speaksGrpc: () => false,
  model: ({ positional: [model], isOpen }) =>
    model === undefined ? (isOpen ? notKnown : undefined) : (textOf(model) ?? notKnown),
  modelFactors: {
    tensor: "--tp_size",
    pipeline: "--pp_size",
    context: "--cp_size",
  },
  copies: { data: undefined, dataLocal: undefined },
  copiesUse: () => "same",
  // In `cache_transceiver_config` of the file that --config names.
  transfer: undefined,
};
