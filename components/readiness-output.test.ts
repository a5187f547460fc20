import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  ClusterSet,
  ImportedInferencePool,
  InferenceControllers,
  InferencePool,
  InferenceService,
  LLMServerPool,
  ModelRouter,
  ModelServing,
  type RoleArgs,
  SharedEndpointPicker,
} from "./index.ts";

/** The output `readiness` of every component that has it, with Pulumi's mocks. */

beforeEach(() =>
  pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => ({ id: `${name}-id`, state: inputs }),
    call: () => ({}),
  }),
);
afterEach(() => pulumi.runtime.disconnect());

const metadata = () => ({ namespace: pulumi.output("ml") });
const roles: RoleArgs[] = [
  {
    name: "inference",
    componentType: "worker",
    template: { spec: { containers: [{ name: "vllm", args: ["--model", "m"] }] } },
  },
];

const known = (component: { readiness: pulumi.Output<string> }) =>
  new Promise<string>((resolve) => component.readiness.apply(resolve));

it("readiness lists objects of a service that are not awaited, in a namespace that is known later", async () => {
  const service = new InferenceService("qwen", { metadata: metadata(), roles });
  expect(await known(service)).toBe(
    "`pulumi up` does not wait for LeaderWorkerSets of role inference. Check them with `pulumi-inference status qwen -n ml`.",
  );
});

it("readiness lists the awaited objects of a service", async () => {
  const service = new InferenceService("qwen", { roles, waitFor: true });
  expect(await known(service)).toBe("`pulumi up` waits for minReplicas of role inference.");
});

it.each([
  [
    "llama",
    () => new LLMServerPool("llama", { metadata: metadata(), modelServerSelector: { a: "b" } }),
  ],
  ["qwen", () => new InferencePool("qwen", { metadata: metadata(), selector: { a: "b" } })],
  ["shared", () => new SharedEndpointPicker("shared", { metadata: metadata() })],
])("readiness names the picker of pool %s", async (name, make) => {
  expect(await known(make())).toBe(
    `\`pulumi up\` does not wait for Deployment ${name}-epp. Check it with \`kubectl get deployment/${name}-epp -n ml\`.`,
  );
});

it("readiness names the controllers", async () => {
  expect(await known(new InferenceControllers("controllers", { metadata: metadata() }))).toContain(
    "kubectl get deployment/inference-status-controller -n ml`",
  );
});

it("readiness names a model router", async () => {
  const gateway = { name: "gateway" };
  expect(await known(new ModelRouter("models", { metadata: metadata(), gateway }))).toContain(
    "kubectl get deployment/models-model-router -n ml`",
  );
});

it("readiness contains the command that shows a ModelServing, for any number of groups", async () => {
  const entryTemplate = { spec: { containers: [{ name: "vllm", image: "vllm" }] } };
  const template = { roles: [{ name: "inference", entryTemplate }] };
  const serving = new ModelServing("llama", { metadata: metadata(), replicas: 2, template });
  expect(await known(serving)).toBe(
    "`pulumi up` does not wait for LeaderWorkerSets of ModelServing llama. " +
      "Check them with `kubectl get leaderworkersets -l modelserving.volcano.sh/name=llama -n ml`.",
  );
});

it("readiness names the controller of a cluster set", async () => {
  const members = [{ name: "east", kubeconfigSecret: "east" }];
  expect(await known(new ClusterSet("set", { metadata: metadata(), members }))).toContain(
    "kubectl get deployment/inference-multi-cluster-controller -n ml`",
  );
});

it("readiness names the route and the picker of an import", async () => {
  const imported = new ImportedInferencePool("qwen-pool", {
    metadata: metadata(),
    gateway: { acceptsImports: true },
    parentRefs: [{ name: "inference-gateway" }],
  });
  expect(await known(imported)).toBe(
    "`pulumi up` does not wait for HTTPRoute qwen-pool-import. Check it with `kubectl get httproute/qwen-pool-import -n ml`.",
  );
});
