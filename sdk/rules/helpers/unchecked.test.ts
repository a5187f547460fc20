import { expect, it } from "vitest";
import { vllmReleases } from "../../engines/vllm/releases/index.ts";
import { readStack } from "../../stack/stack.ts";
import { unknownValue } from "../../stack/unknown-value.ts";
import { edited } from "../objects/edited-stack.fixture.ts";
import { uncheckedParts } from "./unchecked.ts";

const pod = (container: object, more: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "chat" },
  spec: { containers: [{ name: "engine", ...container }], ...more },
});
const gpu = { resources: { limits: { "nvidia.com/gpu": 1 } } };
const vllm = (tag: string, ...args: string[]) => ({
  ...gpu,
  image: `vllm/vllm-openai:${tag}`,
  args,
});
const custom = (apiVersion: string, kind: string, spec: object) => ({
  apiVersion,
  kind,
  metadata: { name: "chat", namespace: "ml" },
  spec,
});
const onL40s = { nodeSelector: { "nvidia.com/gpu.product": "NVIDIA-L40S" } };
const qwen = ["--model", "Qwen/Qwen3-8B"];

const versions = (given: string) =>
  `options and values of vLLM: data exists for ${vllmReleases.at(-1)?.version} to ${vllmReleases[0].version}, and the image has ${given}`;
const memory =
  "memory on devices smaller than the largest of their resource: no label of nodes names the accelerator";
const unread = (kind: string) => `the whole object: no rule reads ${kind}`;

it.each([
  ["a release with data, on a named accelerator", pod(vllm("v0.32.0", ...qwen), onL40s), []],
  ["a program without accelerators", pod({ image: "nginx:1.29" }), []],
  ["a ConfigMap", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } }, []],
  ["an older release", pod(vllm("v0.11.0", ...qwen), onL40s), [versions("0.11.0")]],
  ["a release after the newest one", pod(vllm("v0.99.0", ...qwen), onL40s), [versions("0.99.0")]],
  ["a moving tag", pod(vllm("latest", ...qwen), onL40s), [versions("no version in its tag")]],
  ["no named accelerator", pod(vllm("v0.32.0", ...qwen)), [memory]],
  [
    "no named model",
    pod(vllm("v0.32.0"), onL40s),
    ["memory and context: the command does not name the model"],
  ],
  [
    "an unknown engine",
    pod({ ...gpu, image: "registry.corp/server:1" }),
    ["the start of registry.corp/server:1: neither image nor command names a known engine"],
  ],
  [
    "options in a variable of a Secret",
    pod(
      {
        ...vllm("v0.32.0"),
        command: ["sh", "-c", "vllm serve Qwen/Qwen3-8B $ARGS"],
        args: [],
        envFrom: [{ secretRef: { name: "s" } }],
      },
      onL40s,
    ),
    ["options of vLLM: the value of $ARGS in its command is not known"],
  ],
  [
    "a shell that reads a script of the image",
    pod(
      {
        ...vllm("v0.32.0"),
        command: ["sh", "-c", ". /env; vllm serve Qwen/Qwen3-8B & sh /x"],
        args: [],
      },
      onL40s,
    ),
    ["options of vLLM: a shell of its container runs commands that are not read"],
  ],
  [
    "KServe",
    custom("serving.kserve.io/v1beta1", "InferenceService", { predictor: {} }),
    [unread("serving.kserve.io/v1beta1/InferenceService")],
  ],
  [
    "Dynamo",
    custom("nvidia.com/v1alpha1", "DynamoGraphDeployment", { services: {} }),
    [unread("nvidia.com/v1alpha1/DynamoGraphDeployment")],
  ],
  [
    "a Rollout of Argo, whose pods are read like a Deployment's",
    custom("argoproj.io/v1alpha1", "Rollout", {
      template: { spec: pod(vllm("v0.32.0", ...qwen)).spec },
    }),
    [memory],
  ],
  [
    "a Service of Knative with a value that is not known yet",
    custom("serving.knative.dev/v1", "Service", {
      template: { spec: { containers: [{ name: "engine", image: unknownValue }] } },
    }),
    [unread("serving.knative.dev/v1/Service")],
  ],
] as const)("a check of %s reports the parts that no rule checked", (_, object, reasons) => {
  expect(uncheckedParts(readStack([object])).map(({ reason }) => reason)).toEqual(reasons);
});

it("options in a ConfigMap of the stack are read", () => {
  const map = (data: object) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "c" },
    data,
  });
  const engine = pod(
    {
      ...vllm("v0.32.0"),
      command: ["sh", "-c", "vllm serve Qwen/Qwen3-8B $ARGS"],
      args: [],
      envFrom: [{ configMapRef: { name: "c" } }],
    },
    onL40s,
  );
  const reasonsOf = (...objects: object[]) =>
    uncheckedParts(readStack(objects)).map(({ reason }) => reason);
  const unread = ["options of vLLM: the value of $ARGS in its command is not known"];
  expect(reasonsOf(engine)).toEqual(unread);
  expect(reasonsOf(engine, map({ ARGS: unknownValue }))).toEqual(unread);
  expect(reasonsOf(engine, map({ ARGS: "--port 1" }))).toEqual([]);
});

it("a reason is reported once, with all its objects", () => {
  const parts = uncheckedParts(readStack(edited([])));
  expect(parts).toContainEqual({
    reason: versions("0.11.0"),
    objects: ["LeaderWorkerSet ml/svc-prefill", "LeaderWorkerSet ml/svc-decode"],
  });
});
