import { expect, it } from "vitest";
import { planInferenceService } from "../../sdk/index.ts";
import { pageText } from "./markdown.ts";

it("README.md shows the refusal of its first program with tensorParallel: 1", () => {
  const [, shown = ""] =
    /tensorParallel: 1 \}\)`[^`]*```\n(InferenceService "chat": 1 problem\n[^`]*)```/.exec(
      pageText("README.md"),
    ) ?? [];
  const plan = () =>
    planInferenceService({
      metadata: { name: "chat" },
      spec: {
        model: { source: "huggingFace", name: "Qwen/Qwen3-32B" },
        accelerator: "h100-sxm",
        engine: { name: "vllm", maxModelLen: 32_768, tensorParallel: 1 },
        roles: [
          { name: "worker", componentType: "worker", replicas: 3 },
          {
            name: "router",
            componentType: "router",
            httproute: { parentRefs: [{ name: "gateway" }] },
          },
        ],
      },
    });
  const words = (text: string) => text.trim().split(/\s+/).join(" ");
  let message = "";
  try {
    plan();
  } catch (error) {
    message = (error as Error).message;
  }
  expect(words(message)).toBe(words(shown));
});
