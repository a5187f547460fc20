import { describe, expect, it } from "vitest";
import { layOut } from "../topology/role-layout.ts";
import { parseInferenceService } from "../validate/inference-service.ts";
import { planParsed } from "./inference-service.ts";
import { serviceReadiness, unawaitedReadiness, type Wait } from "./readiness-text.ts";

const template = {
  spec: { containers: [{ name: "vllm", image: "vllm:v0.30.0", args: ["--model", "m"] }] },
};
const worker = (name: string, rest: object = {}) => ({
  name,
  componentType: "worker",
  template,
  ...rest,
});
const router = { name: "router", componentType: "router" };
const routed = { ...router, httproute: { parentRefs: [{ name: "gateway" }] } };

function readinessOf(wait: Wait, ...roles: object[]): string {
  const service = parseInferenceService({
    metadata: { name: "qwen", namespace: "ml" },
    spec: { roles },
  });
  const { metadata, spec } = service;
  const manifests = planParsed(service, {});
  return serviceReadiness({ metadata, layouts: layOut(metadata.name, spec), manifests }, wait);
}

describe("serviceReadiness", () => {
  it.each([
    [
      "none",
      [worker("inference"), routed],
      "`pulumi up` does not wait for LeaderWorkerSets of role inference, Deployment qwen-epp and HTTPRoute qwen-httproute. " +
        "Check them with `pulumi-inference status qwen -n ml`.",
    ],
    [
      "none",
      [worker("a"), worker("b", { replicas: 40 })],
      "`pulumi up` does not wait for LeaderWorkerSets of roles a and b. Check them with `pulumi-inference status qwen -n ml`.",
    ],
    [
      "replicas",
      [worker("inference"), routed],
      "`pulumi up` waits for minReplicas of role inference, Deployment qwen-epp and HTTPRoute qwen-httproute.",
    ],
    [
      "replicas",
      [worker("a", { replicas: 0 }), router],
      "`pulumi up` waits for Deployment qwen-epp.",
    ],
    [
      "available",
      [worker("inference")],
      "`pulumi up` waits for condition Available of InferenceService qwen.",
    ],
    ["none", [worker("a", { replicas: 0 })], "There is nothing to wait for."],
  ] as const)("%s, %j", (wait, roles, text) => {
    expect(readinessOf(wait, ...roles)).toBe(text);
  });

  it("does not change when a role is scaled", () => {
    const scaled = (replicas: number) => readinessOf("none", worker("a", { replicas }), routed);
    expect(scaled(7)).toBe(scaled(2));
  });
});

it("unawaitedReadiness names the objects and the kubectl command", () => {
  const deployment = (name: string) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
  });
  expect(unawaitedReadiness([deployment("llama-epp")], "ml")).toBe(
    "`pulumi up` does not wait for Deployment llama-epp. Check it with `kubectl get deployment/llama-epp -n ml`.",
  );
  expect(unawaitedReadiness([deployment("a"), deployment("b")], "ml")).toContain(
    "Deployment a and Deployment b. Check them with `kubectl get deployment/a deployment/b -n ml`.",
  );
  expect(unawaitedReadiness([], "ml")).toBe("There is nothing to wait for.");
});
