import { afterAll, beforeAll, expect, it } from "vitest";
import { bundlePacks } from "../../policies/bundle.ts";
import { run as runAlone } from "../sample.fixture.ts";
import { keptPacks } from "./kept-packs.fixture.ts";

beforeAll(bundlePacks);
const packs = keptPacks();
afterAll(() => packs[Symbol.asyncDispose]());

const service = (spec: string, metadata = "") => `apiVersion: fusioninfer.io/v1alpha1
kind: InferenceService
metadata: { name: chat, namespace: ml${metadata} }
spec:
  model: { name: Qwen/Qwen3-8B, source: huggingFace }
  accelerator: l40s
${spec}`;

const worker = "{ name: worker, componentType: worker, replicas: 2 }";
const router = "{ name: router, componentType: router, httproute: { parentRefs: [{ name: g }] } }";
const roles = `  roles: [${worker}, ${router}]`;

/** Documents that plan, and what their warning contains. */
const documents: ReadonlyArray<readonly [string, string, string]> = [
  [
    "dynamic adapters on two replicas",
    service(`  engine: { name: vllm, lora: { dynamic: true } }\n${roles}`),
    "load adapters at run time into one of 2 replicas",
  ],
  [
    "a queue of Kueue next to Volcano",
    service(roles, ', labels: { kueue.x-k8s.io/queue-name: "gpu" }'),
    "but volcano schedules the pods",
  ],
  [
    "a zero minimum behind a gateway that cannot wait",
    service(
      `  autoscaling: { minUnits: 0, maxUnits: 2 }
  roles: [{ name: worker, componentType: worker }, { name: router, componentType: router, gateway: { type: ngf }, httproute: { parentRefs: [{ name: g }] } }]`,
    ),
    "ngf waits at most",
  ],
];

it.each(documents)("check and render warn of %s", async (_, text, warning) => {
  const rendered = await runAlone(["render", "-"], text);
  expect({ code: rendered.code, err: rendered.err }).toMatchObject({
    code: 0,
    err: expect.stringContaining(warning),
  });
  const { code, out } = await runAlone(["check", "-"], text, false, { startPack: packs.start });
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining(warning) });
  expect(out.split(warning)).toHaveLength(2);
});

it("check reports a warning that a rule on objects also reports once", async () => {
  const container = `{ name: vllm, image: "vllm/vllm-openai:v0.33.0", args: [--model, Qwen/Qwen3-8B, --tensor-parallel-size, "3"], resources: { limits: { nvidia.com/gpu: "3" } } }`;
  const text = `apiVersion: fusioninfer.io/v1alpha1
kind: InferenceService
metadata: { name: chat, namespace: ml }
spec:
  roles: [{ name: worker, componentType: worker, template: { spec: { containers: [${container}] } } }]
`;
  const { out } = await runAlone(["check", "-"], text, false, { startPack: packs.start });
  expect(out.split("32 attention heads over 3 ranks")).toHaveLength(2);
});
