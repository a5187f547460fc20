import { expect, it } from "vitest";
import { service, vllmTemplate, worker } from "../../../testing/samples/sample-service.ts";
import { planInferenceService } from "../../plan/inference-service.ts";

function adviceFor(image: string, role: object = {}, fields: object = {}, pod: object = {}) {
  const advice: string[] = [];
  const { spec } = vllmTemplate(8, { image, ...fields });
  planInferenceService(
    service([worker({ template: { spec: { ...spec, ...pod } }, drainSeconds: 600, ...role })]),
    { onAdvice: ({ given, fix }) => advice.push(`${given} ${fix}`) },
  );
  return advice.filter((text) => text.includes("cut off running responses"));
}

const unknown = "ghcr.io/llm-d/llm-d-cuda:v0.9.0";
const serve = (...args: string[]) => ({ command: ["vllm", "serve"], args: ["m", ...args] });
const custom = { multinode: { nodeCount: 2, executor: "custom" } };
const sglang = { args: ["python3", "-m", "sglang.launch_server", "--host", "0.0.0.0"] };

it.each([
  ["vLLM that drains", adviceFor("vllm/vllm-openai:v0.30.0"), []],
  [
    "a version before 0.18",
    adviceFor("vllm/vllm-openai:v0.10.0"),
    ["before 0.18", "Use a newer image"],
  ],
  [
    "an image of unknown version",
    adviceFor(unknown, {}, serve()),
    ["tag does not contain", 'Add "--shutdown-timeout", "600" if the image contains vLLM 0.18'],
  ],
  [
    "an unknown version whose command drains",
    adviceFor(unknown, {}, serve("--shutdown-timeout", "60")),
    [],
  ],
  [
    "a script without the flag",
    adviceFor("vllm/vllm-openai:v0.30.0", {}, { command: ["sh", "-c", "vllm serve m"] }),
    ["cannot add --shutdown-timeout", 'Add "--shutdown-timeout", "600"'],
  ],
  [
    "a group of the template's own",
    adviceFor("lmsysorg/sglang:v0.5.5", custom, sglang),
    ["executor custom", "Set terminationGracePeriodSeconds"],
  ],
  [
    "such a group with a grace period",
    adviceFor("lmsysorg/sglang:v0.5.5", custom, sglang, { terminationGracePeriodSeconds: 300 }),
    [],
  ],
  ["no drain", adviceFor(unknown, { drainSeconds: 0 }, serve()), []],
])("drain advice for %s contains the cause and the fix", (_, advice, texts) => {
  expect(advice).toHaveLength(texts.length > 0 ? 1 : 0);
  for (const text of texts) expect(advice[0]).toContain(text);
});
