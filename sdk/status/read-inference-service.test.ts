import { expect, it } from "vitest";
import { planStatusObject, statusObjectModes } from "../plan/status-object.ts";
import { parseInferenceService } from "../validate/inference-service.ts";
import { readInferenceService } from "./read-inference-service.ts";

const typed = {
  metadata: { name: "chat" },
  spec: {
    model: { name: "Qwen/Qwen3-32B" },
    accelerator: "h100-sxm",
    engine: { name: "vllm", maxModelLen: 32_768 },
    network: { kind: "rdma" },
    roles: [
      { name: "worker", componentType: "worker", accelerator: "h200-sxm" },
      { name: "router", componentType: "router" },
    ],
  },
};
const planned = parseInferenceService(typed);

it.each(statusObjectModes)(
  "a planned object of mode %s keeps its templates even if its model is unknown",
  (mode) => {
    const object = planStatusObject(planned, mode);
    const renamed = JSON.parse(JSON.stringify(object).replaceAll("Qwen/Qwen3-32B", "team/newer"));
    const { service, problem } = readInferenceService(renamed);
    expect(problem).toBeUndefined();
    expect(service?.spec.model).toBeUndefined();
    const { template } = planned.spec.roles[0] as { template: object };
    expect(JSON.stringify(service?.spec.roles[0])).toContain(
      JSON.stringify(template).replaceAll("Qwen/Qwen3-32B", "team/newer"),
    );
  },
);

it("an object without templates gets the templates of its model", () => {
  const { service } = readInferenceService({
    ...{ apiVersion: "fusioninfer.io/v1alpha1", kind: "InferenceService" },
    ...typed,
  });
  expect(service?.spec.roles).toEqual(planned.spec.roles);
});
