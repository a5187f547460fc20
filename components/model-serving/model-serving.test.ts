import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ModelServing } from "../index.ts";
import { resourcesIn } from "../resources-in.fixture.ts";

/** Registered resources: type by logical name. */
let registered = new Map<string, string>();

beforeEach(async () => {
  registered = new Map();
  pulumi.runtime.setAllConfig({});
  await pulumi.runtime.setMocks({
    newResource: ({ type, name, inputs }) => {
      registered.set(name, type);
      return { id: `${name}-id`, state: inputs };
    },
    call: () => ({}),
  });
});
afterEach(() => pulumi.runtime.disconnect());

const known = <T>(output: pulumi.Output<T>) =>
  new Promise<T>((resolve) => output.apply((value) => resolve(value)));

const template = {
  roles: [
    {
      name: "gpu",
      entryTemplate: {
        spec: { containers: [{ name: "vllm", image: pulumi.output("vllm:1"), env: [] }] },
      },
    },
  ],
};

it("ModelServing creates a PodGroup and a LeaderWorkerSet per group, and passes Outputs through plugins", async () => {
  const serving = new ModelServing("llama", {
    replicas: 2,
    plugins: [{ name: "nvidia-gpu-defaults" }],
    template,
  });
  await Promise.all(resourcesIn(serving.nodes).map(({ urn }) => known(urn)));
  expect([...registered].map(([name, type]) => `${type} ${name}`).sort()).toEqual([
    "inference:index:ModelServing llama",
    "kubernetes:leaderworkerset.x-k8s.io/v1:LeaderWorkerSet llama-leaderworkerset-0-gpu",
    "kubernetes:leaderworkerset.x-k8s.io/v1:LeaderWorkerSet llama-leaderworkerset-1-gpu",
    "kubernetes:networking.k8s.io/v1:NetworkPolicy llama-networkpolicy-engines",
    "kubernetes:scheduling.volcano.sh/v1beta1:PodGroup llama-podgroup-0",
    "kubernetes:scheduling.volcano.sh/v1beta1:PodGroup llama-podgroup-1",
  ]);
  const spec = await known(serving.nodes.workloads[0]?.spec as pulumi.Output<unknown>);
  expect(spec).toMatchObject({
    leaderWorkerTemplate: {
      workerTemplate: {
        spec: {
          containers: [{ image: "vllm:1", resources: { limits: { "nvidia.com/gpu": "1" } } }],
        },
      },
    },
  });
  expect(await known(serving.servingName)).toBe("llama");
});

it("ModelServing reports every problem of its arguments", () => {
  const args = { replica: 1, plugins: [{ name: "smh" }], template } as never;
  expect(() => new ModelServing("bad", args)).toThrow(
    /ModelServing "bad": 2 problems[\s\S]*plugins\[0\]\.name: is "smh"[\s\S]*replica: unknown field "replica"; did you mean replicas/,
  );
});
