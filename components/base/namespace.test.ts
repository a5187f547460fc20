import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { recordProgram } from "../../recorder/index.ts";
import {
  ClusterSet,
  ClusterSetMember,
  type ComponentOptions,
  ImportedInferencePool,
  InferenceControllers,
  InferenceModelRewrite,
  InferenceObjective,
  InferencePool,
  InferenceRoute,
  InferenceService,
  LLMServerPool,
  LLMService,
  type MetadataArgs,
  ModelRouter,
  ModelServing,
  ServiceObjectives,
  SharedEndpointPicker,
} from "../index.ts";

/** Inputs of registered resources, by type and logical name. */
let registered = new Map<string, unknown>();
/** Resources that the namespace of a namespaced child depends on. */
let dependencies: Array<Promise<Set<pulumi.Resource>>> = [];

async function startProgram({ preview = false } = {}) {
  registered = new Map();
  dependencies = [];
  await pulumi.runtime.setMocks(
    {
      newResource: ({ type, name, inputs }) => {
        registered.set(`${type} ${name}`, inputs);
        // A provider that generates names returns them only after the object is created.
        const state = preview && type.endsWith(":Namespace") ? { metadata: undefined } : inputs;
        return { id: `${name}-id`, state };
      },
      call: () => ({}),
    },
    "project",
    "stack",
    preview,
  );
}

beforeEach(() => startProgram());
afterEach(() => pulumi.runtime.disconnect());

const recording: ComponentOptions = {
  transformations: [
    ({ props }: pulumi.ResourceTransformationArgs) => {
      const { namespace } = (props as { metadata?: { namespace?: unknown } }).metadata ?? {};
      const output = pulumi.output(namespace) as pulumi.Output<unknown> & {
        allResources(): Promise<Set<pulumi.Resource>>;
      };
      if (namespace !== undefined) dependencies.push(output.allResources());
      return undefined;
    },
  ],
};

const template = {
  spec: {
    containers: [
      {
        name: "vllm",
        image: "vllm/vllm-openai:v0.11.0",
        args: ["--model", "m"],
        ports: [{ name: "http", containerPort: 8000 }],
        resources: { limits: { "nvidia.com/gpu": 8 } },
      },
    ],
  },
};
const webhook = {
  name: "audit",
  type: "Webhook",
  webhook: { url: "https://plugins.example.com/audit" },
} as const;

/** Every component, with all arguments that write a namespace. */
const components: Record<
  string,
  (metadata: MetadataArgs, opts: ComponentOptions) => pulumi.ComponentResource
> = {
  InferenceService: (metadata, opts) =>
    new InferenceService(
      "it",
      {
        metadata,
        statusObject: true,
        models: [{ name: "m" }],
        rewrites: [{ targets: [{ modelRewrite: "m" }] }],
        plugins: [webhook],
        roles: [
          { name: "prefill", componentType: "prefiller", template },
          { name: "decode", componentType: "decoder", multinode: { nodeCount: 2 }, template },
          {
            name: "router",
            componentType: "router",
            metricsAuth: true,
            export: {},
            gateway: {
              gatewayClassName: "envoy",
              listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
            },
          },
        ],
      },
      opts,
    ),
  InferencePool: (metadata, opts) =>
    new InferencePool(
      "it",
      { metadata, selector: { app: "m" }, endpointPicker: { metricsAuth: true } },
      opts,
    ),
  LLMServerPool: (metadata, opts) =>
    new LLMServerPool(
      "it",
      { metadata, modelServerSelector: { app: "m" }, allowedNamespaces: ["games"] },
      opts,
    ),
  LLMService: (metadata, opts) =>
    new LLMService("it", { metadata, models: [{ name: "m" }], poolRef: [{ name: "pool" }] }, opts),
  InferenceModelRewrite: (metadata, opts) =>
    new InferenceModelRewrite(
      "it",
      { metadata, poolRef: { name: "pool" }, rules: [{ targets: [{ modelRewrite: "m" }] }] },
      opts,
    ),
  InferenceObjective: (metadata, opts) =>
    new InferenceObjective("it", { metadata, poolRef: { name: "pool" } }, opts),
  InferenceRoute: (metadata, opts) =>
    new InferenceRoute(
      "it",
      { metadata, parentRefs: [{ name: "gateway" }], rules: [{ pools: [{ name: "pool" }] }] },
      opts,
    ),
  "ImportedInferencePool for Istio": (metadata, opts) =>
    new ImportedInferencePool(
      "it",
      {
        metadata,
        routeNamespace: "routes",
        gateway: { type: "istio" },
        parents: [{ cluster: "east", host: "10.0.0.1", port: 80 }],
        parentRefs: [{ name: "gateway" }],
      },
      opts,
    ),
  "ImportedInferencePool with llm-d's picker": (metadata, opts) =>
    new ImportedInferencePool(
      "it",
      { metadata, gateway: { type: "llm-d-global-epp" }, parentRefs: [{ name: "gateway" }] },
      opts,
    ),
  SharedEndpointPicker: (metadata, opts) =>
    new SharedEndpointPicker("it", { metadata, gatewayType: "istio" }, opts),
  ModelRouter: (metadata, opts) =>
    new ModelRouter("it", { metadata, gateway: { name: "gateway", type: "gke" } }, opts),
  ServiceObjectives: (metadata, opts) =>
    new ServiceObjectives("it", { metadata, of: { name: "chat" } }, opts),
  InferenceControllers: (metadata, opts) =>
    new InferenceControllers("it", { metadata, podPlugins: {} }, opts),
  ModelServing: (metadata, opts) =>
    new ModelServing(
      "it",
      { metadata, template: { roles: [{ name: "main", entryTemplate: template }] } },
      opts,
    ),
  ClusterSet: (metadata, opts) =>
    new ClusterSet("it", { metadata, members: [{ name: "east", kubeconfigSecret: "east" }] }, opts),
  ClusterSetMember: (metadata, opts) => new ClusterSetMember("it", { metadata, token: true }, opts),
};

const namespaceOf = (name: string) =>
  new k8s.core.v1.Namespace(name, { metadata: { name: "inference" } });

/** Ends the program, so that all its registrations have reached the monitor. */
async function ended() {
  await pulumi.runtime.disconnect();
  const made = [...registered].filter(([name]) => !name.startsWith("kubernetes:core/v1:Namespace"));
  return Object.fromEntries(made);
}

describe("a namespace that is only known later", () => {
  beforeEach(() =>
    pulumi.runtime.setConfig("pulumi-inference:podPluginUrls", "https://plugins.example.com/"),
  );

  it.each(Object.entries(components))(
    "%s creates the same objects as with a plain namespace, after the Namespace",
    async (_, make) => {
      make({ namespace: "inference" }, {});
      const plain = await ended();
      await startProgram();
      const namespace = namespaceOf("ns");
      make({ namespace: namespace.metadata.name }, recording);
      expect(await ended()).toEqual(plain);
      expect(Object.keys(plain).length).toBeGreaterThan(1);
      const elsewhere = (found: Set<pulumi.Resource>) => !found.has(namespace);
      const without = (await Promise.all(dependencies)).filter(elsewhere).length;
      // Objects in a namespace that the arguments contain as a plain value.
      const plainlyElsewhere = Object.values(plain).filter((inputs) =>
        /"namespace":"(games|routes)"/.test(
          JSON.stringify({ ...(inputs as { metadata?: object }).metadata }),
        ),
      );
      expect(without).toBe(plainlyElsewhere.length);
    },
  );

  it.each(Object.entries(components))(
    "%s is previewed before the namespace is known",
    async (_, make) => {
      await startProgram({ preview: true });
      make({ namespace: new k8s.core.v1.Namespace("ns").metadata.name }, {});
      const previewed = await ended();
      await startProgram();
      make({ namespace: "inference" }, {});
      expect(Object.keys(previewed).sort()).toEqual(Object.keys(await ended()).sort());
      expect(JSON.stringify(previewed)).not.toContain("namespace-known-later");
    },
  );

  it("a Namespace that a component creates has its kind as its logical name", async () => {
    new ImportedInferencePool("it", {
      metadata: { namespace: pulumi.output("inference") },
      createNamespace: true,
      parentRefs: [{ name: "gateway" }],
    });
    await pulumi.runtime.disconnect();
    expect(registered.get("kubernetes:core/v1:Namespace it-namespace")).toMatchObject({
      metadata: { name: "inference" },
    });
  });

  it("is in no message about other arguments", () => {
    const namespace = pulumi.output("inference");
    const make = () => new InferenceService("it", { metadata: { namespace }, roles: [] });
    expect(make).toThrow('InferenceService "it"');
    expect(make).not.toThrow("known-later");
  });

  it("still prevents two components from creating the same object", async () => {
    const namespace = pulumi.output("inference");
    const poolRef = { name: "pool" };
    const messages = await refusals(() => {
      for (const name of ["a", "b"])
        new InferenceObjective(name, { metadata: { name: "same", namespace }, poolRef });
    });
    expect(messages).toContain("which InferenceObjective");
    expect(messages).toContain("also creates; allowed: each object once");
  });

  it.each([
    [undefined, "is an Output of undefined"],
    ["Not_A_Label", 'is "Not_A_Label"'],
  ])("is refused if it resolves to %j", async (value, words) => {
    const namespace = pulumi.output(value) as pulumi.Output<string>;
    const messages = await refusals(
      () => new InferencePool("it", { metadata: { namespace }, selector: { app: "m" } }),
    );
    expect(messages).toContain(`InferencePool "it": metadata.namespace: ${words}`);
  });
});

/** Returns the errors in a preview of a program. */
async function refusals(program: () => void): Promise<string> {
  await pulumi.runtime.disconnect();
  const { diagnostics } = await recordProgram({
    project: "p",
    stack: "s",
    program: { run: async () => program() },
  });
  return diagnostics.map(({ message }) => message).join("\n");
}
