import { expect, it } from "vitest";
import {
  output,
  router,
  service,
  vllmTemplate,
  worker,
} from "../../testing/samples/sample-service.ts";
import { servedModels } from "../engines/containers/served-models.ts";
import { SpecError } from "../errors.ts";
import type { Container, PodTemplate } from "../schemas/pod-template.ts";
import { planInferenceService } from "./inference-service.ts";

/** Inputs from public bug reports, with expected facts of their plans. The reports are numbered B1, B2 and so on. */

interface Facts {
  readonly port: number;
  /** Scheme, path and port of the serving pod's readiness probe. */
  readonly ready: string;
  /** Parts that the leader's command line must contain. */
  readonly starts?: readonly string[];
  readonly advice?: readonly string[];
}

const image = "vllm/vllm-openai:v0.20.0";
const group = { multinode: { nodeCount: 2 } };
const custom = { multinode: { nodeCount: 2, executor: "custom" as const } };
const drains = ["--shutdown-timeout 600"];
const rayScript = {
  command: ["bash", "-c"],
  args: ["ray start --head --port=6379 && vllm serve M --port 8000"],
  ports: undefined,
};
const args = (...words: string[]) => ({ image, args: ["--model", "M", ...words] });
const cuts = "drainSeconds";

function planned(container: object, role: object = {}): Facts {
  const advice: string[] = [];
  const template = vllmTemplate(8, container);
  const plan = planInferenceService(
    service([worker({ template, drainSeconds: 600, ...role }), router()]),
    { onAdvice: ({ path }) => advice.push(String(path.at(-1))) },
  );
  const of = (kind: string) => plan.find((object) => object.kind === kind)?.spec as never;
  const { leaderWorkerTemplate: templates } = of("LeaderWorkerSet") as {
    leaderWorkerTemplate: { leaderTemplate?: PodTemplate; workerTemplate: PodTemplate };
  };
  const pod = (templates.leaderTemplate ?? templates.workerTemplate).spec;
  const [engine] = pod.containers as [Container];
  const { targetPorts } = of("InferencePool") as { targetPorts: Array<{ number: number }> };
  const { httpGet, tcpSocket } = engine.readinessProbe as {
    httpGet?: { path: string; port: number; scheme?: string };
    tcpSocket?: { port: number };
  };
  return {
    port: targetPorts[0]?.number ?? 0,
    ready: httpGet
      ? `${httpGet.scheme ?? "HTTP"} ${httpGet.path} ${httpGet.port}`
      : `TCP ${tcpSocket?.port}`,
    starts: [[engine.command, engine.args].flat().filter(Boolean).join(" ")],
    advice,
  };
}

it.each<[id: string, facts: Facts, expected: Facts]>([
  [
    "B1: a group of a stock image without Ray",
    planned(args("--tensor-parallel-size", "16"), group),
    {
      port: 8000,
      ready: "HTTP /health 8000",
      starts: ["--distributed-executor-backend mp --nnodes 2", ...drains],
    },
  ],
  [
    "ray-old: a group of a stock image with Ray",
    planned({ image: "vllm/vllm-openai:v0.11.0" }, group),
    {
      port: 8000,
      ready: "HTTP /health 8000",
      starts: ["ray start --head --port=6379 && vllm serve"],
      advice: [cuts],
    },
  ],
  [
    "L1: Ray's port before the engine's, in a group",
    planned({ ...rayScript, image }, custom),
    { port: 8000, ready: "HTTP /health 8000", advice: [cuts] },
  ],
  [
    "L1b: Ray's port before the engine's, in one pod",
    planned({ ...rayScript, image }),
    { port: 8000, ready: "HTTP /health 8000", advice: [cuts] },
  ],
  [
    "G5: a port that is written twice",
    planned({
      ...args("--tensor-parallel-size", "8", "--port", "8001", "--port", "9000"),
      ports: undefined,
    }),
    { port: 9000, ready: "HTTP /health 9000", starts: drains },
  ],
  [
    "L4: a traces endpoint with grpc in it",
    planned(args("--otlp-traces-endpoint", "grpc://otel:4317")),
    { port: 8000, ready: "HTTP /health 8000", starts: drains },
  ],
  [
    "E2: an adapter with grpc in its name",
    planned(args("--enable-lora", "--lora-modules", "grpc-helper=/l/a")),
    { port: 8000, ready: "HTTP /health 8000", starts: drains, advice: ["args"] },
  ],
  [
    "an engine that speaks gRPC",
    planned(args("--grpc")),
    { port: 8000, ready: "TCP 8000", starts: drains },
  ],
  [
    "L6: prefill context parallelism",
    planned(args("--tensor-parallel-size", "4", "--prefill-context-parallel-size", "2")),
    { port: 8000, ready: "HTTP /health 8000", starts: drains },
  ],
  [
    "B18: an engine with TLS",
    planned(args("--ssl-certfile", "/tls/tls.crt", "--ssl-keyfile", "/tls/tls.key")),
    { port: 8000, ready: "HTTPS /health 8000", starts: drains, advice: ["args"] },
  ],
  [
    "AS1: a login shell that sources a file",
    planned(
      {
        image: "quay.io/ascend/vllm-ascend:v0.11.0",
        command: ["bash", "-lc"],
        args: [
          "source /set_env.sh && vllm serve /m --host 0.0.0.0 --port 7100 --tensor-parallel-size 8",
        ],
        ports: undefined,
        resources: { limits: { "huawei.com/Ascend910": "8" } },
      },
      custom,
    ),
    { port: 7100, ready: "HTTP /health 7100", advice: ["args", cuts] },
  ],
  [
    "TPU1: a group of TPUs",
    planned(
      { image: "vllm/vllm-tpu:v0.11.1", resources: { limits: { "google.com/tpu": "4" } } },
      group,
    ),
    { port: 8000, ready: "HTTP /health 8000", starts: ["ray start --head"], advice: [cuts] },
  ],
])("%s", (_, facts, { port, ready, starts = [], advice = [] }) => {
  expect({ port: facts.port, ready: facts.ready, advice: facts.advice }).toEqual({
    port,
    ready,
    advice,
  });
  for (const part of starts) expect(facts.starts?.[0]).toContain(part);
});

it("L5: a served model name may contain an equals sign", () => {
  expect(servedModels(args("--served-model-name=a=b"))).toEqual(["a=b"]);
});

it.each<[what: string, container: object, role: object, problem: string]>([
  ["a script file", { command: ["/start.sh"], ports: undefined }, {}, "roles[0].port"],
  ["a port in an Output", { args: ["--port", output()], ports: undefined }, {}, "roles[0].port"],
  [
    "a group of an unknown version",
    { image: "vllm/vllm-openai:nightly" },
    group,
    "roles[0].multinode.executor",
  ],
  [
    "Ray without Ray",
    { image },
    { multinode: { nodeCount: 2, executor: "ray" } },
    "does not contain Ray",
  ],
])("%s fails the preview and names the field to set", (_, container, role, problem) => {
  expect(() => planned(container, role)).toThrow(SpecError);
  expect(() => planned(container, role)).toThrow(problem);
});
