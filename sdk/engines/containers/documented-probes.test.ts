import { expect, it } from "vitest";
import { service, worker } from "../../../testing/samples/sample-service.ts";
import { planInferenceService } from "../../plan/inference-service.ts";
import type { Container, PodTemplate } from "../../schemas/pod-template.ts";
import type { EngineName } from "../interface/engine.ts";

/** The probe in each engine's own documentation for Kubernetes. The type requires a row for each engine. */
const documented: Readonly<Record<EngineName, { image: string; port: number; path: string }>> = {
  // docs.vllm.ai, Using Kubernetes: livenessProbe and readinessProbe.
  vllm: { image: "vllm/vllm-openai:v0.12.0", port: 8000, path: "/health" },
  // docs.sglang.ai, Server Arguments: --port; SGLang's http_server.py: /health.
  sglang: { image: "lmsysorg/sglang:v0.5.3", port: 30000, path: "/health" },
  // nvidia.github.io/TensorRT-LLM, trtllm-serve: --port, GET /health.
  "tensorrt-llm": {
    image: "nvcr.io/nvidia/tensorrt-llm/release:1.2.0",
    port: 8000,
    path: "/health",
  },
};

it.each(Object.entries(documented))(
  "the plan probes %s as its documentation does",
  (_, { image, port, path }) => {
    const engine = { name: "engine", image, args: ["--host", "0.0.0.0"] };
    const template = { spec: { containers: [engine] } } as PodTemplate;
    const plan = planInferenceService(service([worker({ template })]));
    const set = plan.find(({ kind }) => kind === "LeaderWorkerSet") as unknown as {
      spec: { leaderWorkerTemplate: { workerTemplate: { spec: { containers: Container[] } } } };
    };
    const [planned] = set.spec.leaderWorkerTemplate.workerTemplate.spec.containers;
    for (const probe of ["startupProbe", "readinessProbe"])
      expect(planned?.[probe], probe).toMatchObject({ httpGet: { path, port } });
  },
);
