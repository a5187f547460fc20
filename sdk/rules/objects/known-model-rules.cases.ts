import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { embedder, server } from "./places.fixture.ts";

const serves = (...args: string[]): Edit => [embedder, `${server} args`, args];

const found = (name: string) =>
  `Deployment ml/embedder: spec.template.spec.containers[0].args: loads ${name}, which is not in the catalog, so memory, context, the division over devices, pipeline stages, quantization and loading time are not checked; allowed: a model whose config.json is known. Pass the model's config.json: npx pulumi-inference check --config config.json. Or set model.name and model.config of an InferenceService.`;

export const knownModelCases: readonly RuleCases[] = [
  {
    rule: "models-are-known",
    parameters: {
      models: {
        "acme/given": {
          model_type: "llama",
          architectures: ["LlamaForCausalLM"],
          vocab_size: 32_000,
          hidden_size: 4096,
          intermediate_size: 11_008,
          num_hidden_layers: 32,
          num_attention_heads: 32,
          max_position_embeddings: 4096,
        },
      },
      templated: ["ml/templated"],
    },
    allows: {
      "a model of the catalog": [serves("vllm", "serve", "Qwen/Qwen3-8B")],
      "a model that a parameter describes": [serves("vllm", "serve", "acme/given")],
      "an unknown engine": [serves("my-server", "serve", "acme/new")],
      "a service of this project whose spec may have the model": [
        [embedder, "metadata labels", { "fusioninfer.io/service": "chat" }],
        serves("vllm", "serve", "acme/new"),
      ],
    },
    refuses: {
      "a model of vLLM that is in no catalog": {
        edits: [serves("vllm", "serve", "acme/new")],
        finds: [found("acme/new")],
      },
      "a model of SGLang that is in no catalog": {
        edits: [serves("python3", "-m", "sglang.launch_server", "--model-path", "acme/new")],
        finds: [found("acme/new")],
      },
      "a service of this project with templates": {
        edits: [
          serves("vllm", "serve", "acme/new"),
          [embedder, "metadata labels", { "fusioninfer.io/service": "chat" }],
          [embedder, "metadata labels", { "fusioninfer.io/service": "templated" }],
        ],
        finds: [found("acme/new")],
      },
      "a folder": {
        edits: [serves("vllm", "serve", "/models/new")],
        finds: [found("/models/new")],
      },
    },
  },
];
