import { expect, it } from "vitest";
import { router, service, vllmTemplate, worker } from "../../../testing/samples/sample-service.ts";
import { formatPath } from "../../errors.ts";
import { planInferenceService } from "../../plan/inference-service.ts";

const adviceOf = (input: ReturnType<typeof service>): string[] => {
  const found: string[] = [];
  planInferenceService(input, { onAdvice: ({ path }) => found.push(formatPath(path)) });
  return found.filter((path) => /queue-name|env|dynamic/.test(path));
};

const label = "kueue.x-k8s.io/queue-name";
const queued = (strategy: object) => {
  const input = service([worker(), router()], { schedulingStrategy: strategy } as never);
  return { ...input, metadata: { ...input.metadata, labels: { [label]: "gpu" } } };
};
const loading = (value: string, more: object[] = []) =>
  vllmTemplate(1, {
    image: "vllm/vllm-openai:v0.32.0",
    env: [{ name: "VLLM_ALLOW_RUNTIME_LORA_UPDATING", value }, ...more],
  });
const resolver = [{ name: "VLLM_LORA_RESOLVER_CACHE_DIR", value: "/adapters" }];
const typed = (replicas: number, lora: object) =>
  service([{ name: "w", componentType: "worker", replicas } as never], {
    model: { name: "Qwen/Qwen3-8B" },
    accelerator: "h100-sxm",
    engine: { name: "vllm", maxModelLen: 8_192, lora },
  } as never);

it.each<[title: string, input: ReturnType<typeof service>, paths: string[]]>([
  ["a queue of Kueue", queued({}), [`metadata.labels["${label}"]`]],
  [
    "a queue of Kueue without Volcano",
    queued({ schedulerName: "default-scheduler", gang: { layout: "none" } }),
    [],
  ],
  [
    "adapters of several replicas",
    service([worker({ template: loading("True"), replicas: 3 })]),
    ["roles[0].template.spec.containers[0].env"],
  ],
  ["adapters of one replica", service([worker({ template: loading("1"), replicas: 1 })]), []],
  ["a variable that is off", service([worker({ template: loading("False"), replicas: 3 })]), []],
  [
    "a directory of adapters",
    service([worker({ template: loading("1", resolver), replicas: 3 })]),
    [],
  ],
  ["typed adapters of several replicas", typed(3, { dynamic: true }), ["engine.lora.dynamic"]],
  ["a typed directory", typed(3, { directory: "/adapters" }), []],
])("warns about %s", (_, input, paths) => {
  expect(adviceOf(input)).toEqual(paths);
});
