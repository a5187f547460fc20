import { expect, it } from "vitest";
import { acceleratorsOf } from "../sdk/engines/accelerators/pod-accelerators.ts";
import { servingPortOf } from "../sdk/engines/containers/engine-container.ts";
import { healthCheckOf } from "../sdk/engines/containers/server.ts";
import { engineNameOf } from "../sdk/engines/index.ts";
import { parallelismOf } from "../sdk/engines/start-up/parallelism.ts";
import type { Container } from "../sdk/schemas/pod-template.ts";

/** Container shapes of public files, and what must be read from them. */

type Facts = readonly [
  engine: string | undefined,
  port: number | undefined,
  health: "/health" | "connection",
  ranks: number | undefined,
  devices: number,
];

const api = ["python3", "-m", "vllm.entrypoints.openai.api_server"];
const script = (...words: string[]) => ["bash", "-c", words.join(" ")];
const of = (
  command: string[],
  args: string[] = [],
  more: object = {},
  gpu = "nvidia.com/gpu:1",
) => {
  const [resource = "", count = ""] = gpu.split(":");
  const resources = gpu === "" ? {} : { limits: { [resource]: count } };
  return { name: "engine", image: "example.com/image:v1", command, args, resources, ...more };
};

it.each<[source: string, container: object, facts: Facts]>([
  [
    "vllm-project/aibrix samples/deepseek-r1/deepseek-r1-tcp.yaml",
    of(["bash", "-lc", "--"], ["$RAY_START; vllm serve /m -tp 8 -pp 2"], {}, "nvidia.com/gpu:8"),
    ["vllm", 8000, "/health", 16, 8],
  ],
  [
    "vllm-project/aibrix samples/distributed/fleet.yaml",
    of(["bash", "-lc", "--"], ["ray start --head --metrics-export-port=8080; vllm serve M -tp 2"]),
    ["vllm", 8000, "/health", 2, 1],
  ],
  [
    "vllm-project/aibrix samples/vllm-ascend/job.yaml",
    of(script("vllm serve M --port 8008 -tp 2"), [], {}, "huawei.com/Ascend910:1"),
    ["vllm", 8008, "/health", 2, 1],
  ],
  [
    "vllm-project/aibrix samples/quickstart/tensorrt/tensor-rt.yaml",
    of(
      script("cat <<'E' > /c\nbackend: pytorch\nE\ntrtllm-serve serve /m --port 8000 --config /c"),
    ),
    ["tensorrt-llm", 8000, "/health", undefined, 1],
  ],
  [
    "sgl-project/ome config/runtimes/vllm/deepseek-ai/deepseek-v4-flash-rt.yaml",
    of(["vllm", "serve"], ["$(MODEL_PATH)", "--data-parallel-size=4"], {}, "nvidia.com/gpu:4"),
    ["vllm", 8000, "/health", 4, 4],
  ],
  [
    "sgl-project/ome config/runtimes/srt/deepseek-rdma-rt.yaml",
    of(["python3", "-m", "sglang.launch_server", "--port", "8080", "--tp-size", "$(SIZE)"]),
    ["sglang", 8080, "/health", undefined, 1],
  ],
  [
    "sgl-project/rbg examples/inference/pd-disagg-leader-worker.yaml",
    of(["python3", "-m", "sglang.launch_server", "--port", "8000", "--tp-size", "4"], [], {
      ports: [{ name: "grpc", containerPort: 8000 }],
    }),
    ["sglang", 8000, "/health", 4, 1],
  ],
  [
    "llm-d/llm-d-router deploy/components/vllm-decode/qwen-decoder-pod.yaml",
    of(["vllm", "serve", "M", "--port", "8200"], [], { ports: [{ containerPort: 5600 }] }),
    ["vllm", 8200, "/health", 1, 1],
  ],
  [
    "llm-d/llm-d-router config/manifests/vllm/gpu-grpc-deployment.yaml",
    of(["python3", "-m", "vllm.entrypoints.grpc_server"], ["--port", "8000"]),
    [undefined, 8000, "connection", undefined, 1],
  ],
  [
    "llm-d/llm-d-router config/manifests/vllm/gpu-multilora-deployment.yaml",
    of(api, ["-tp", "2", "--lora-modules", "a=/a", "b=/b"], {}, "nvidia.com/gpu:2"),
    ["vllm", 8000, "/health", 2, 2],
  ],
  [
    "kubernetes-sigs/lws docs/examples/vllm/TPU/lws.yaml",
    of(script("bash /start.sh leader;", ...api, "--port 8080 -tp=16"), [], {}, "google.com/tpu:4"),
    ["vllm", 8080, "/health", 16, 4],
  ],
  [
    "awslabs/ai-on-eks blueprints/inference/vllm-llama3.1-405b-trn1",
    of(["/usr/local/bin/run.sh"], [], {}, "aws.amazon.com/neuron:16"),
    [undefined, undefined, "connection", undefined, 16],
  ],
  [
    "kserve/kserve config/llmisvcconfig/config-llm-tokenizer.yaml",
    of(script("exec vllm launch render /m --port=8000"), [], {}, ""),
    [undefined, 8000, "connection", undefined, 0],
  ],
  [
    "sgl-project/rbg examples/deprecated/v1alpha1/multi-nodes/vllm.yaml",
    of(script("bash /multi-node-serving.sh leader;", ...api, "--port 8000 -tp 2")),
    ["vllm", 8000, "/health", 2, 1],
  ],
  [
    "sgl-project/rbg examples/inference/ecosystem/dynamo/agg-multi-nodes.yaml",
    { name: "sglang", image: "nvcr.io/nvidia/ai-dynamo/sglang-runtime:1.0.1" },
    [undefined, undefined, "connection", undefined, 0],
  ],
  [
    "volcano-sh/kthena examples/kthena-router/LLM-Mock-sglang.yaml",
    { name: "llm-engine", image: "example.com/dynamo-mocker-sglang:v1" },
    [undefined, undefined, "connection", undefined, 0],
  ],
  [
    "volcano-sh/kthena examples/model-serving/data-parallel-deployment.yaml",
    of([...api, "--data-parallel-rank", "0", "--data-parallel-size", "2"]),
    ["vllm", 8000, "/health", 1, 1],
  ],
  [
    "llm-d-incubation/llm-d-modelservice examples/output-rebellions-atom.yaml",
    {
      name: "vllm",
      image: "repo.rebellions.ai/rebellions/vllm-rbln-rhel9:3.3",
      args: ["--model", "m", "--port", "8000"],
      resources: { limits: { "rebellions.ai/ATOM": "1" } },
    },
    ["vllm", 8000, "/health", 1, 1],
  ],
  [
    "vllm-project/aibrix samples/multimodality/vllm/qwen-audio.yaml",
    of([
      "sh",
      "-c",
      "python3 -m pip install 'vllm[audio]' && \\\nvllm serve \\\n --port 8000 -tp 1",
    ]),
    ["vllm", 8000, "/health", 1, 1],
  ],
  [
    "vllm-project/production-stack examples/disaggregated_prefill_orchestrated/decode-deploy.yaml",
    of(["bash", "-exc", `apt-get update\n${api.join(" ")} --port \${PORT}`], [], {
      env: [{ name: "PORT", value: "8000" }],
    }),
    ["vllm", 8000, "/health", 1, 1],
  ],
])("the engine, port, probe and parallel sizes of %s are read", (_, shape, facts) => {
  const container = shape as Container;
  const sizes = parallelismOf(container);
  const check = healthCheckOf(container, 1);
  expect([
    engineNameOf(container),
    servingPortOf(container),
    "httpGet" in check ? check.httpGet.path : "connection",
    sizes && sizes.tensor * sizes.pipeline * sizes.context * sizes.data,
    acceleratorsOf(container),
  ]).toEqual(facts);
});
