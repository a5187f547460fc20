import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, it } from "vitest";
import {
  importGatewayTypes,
  importSupportOf,
  modelRouterGatewayTypes,
  poolGatewayTypes,
} from "../sdk/gateways/index.ts";
import * as exported from "./index.ts";
import { resourcesIn } from "./resources-in.fixture.ts";

/** Registered resources, by logical name. */
let registered = new Map<
  string,
  { type: string; metadata: { annotations?: object } | undefined }
>();

/** Starts another program, in which all names are free. */
async function startProgram() {
  registered = new Map();
  pulumi.runtime.setAllConfig({});
  await pulumi.runtime.setMocks({
    newResource: ({ type, name, inputs }) => {
      registered.set(name, { type, metadata: inputs.metadata });
      return { id: `${name}-id`, state: inputs };
    },
    call: () => ({}),
  });
}
beforeEach(startProgram);

const known = <T>(output: pulumi.Output<T>) =>
  new Promise<T>((resolve) => output.apply((value) => resolve(value)));
const childrenOf = (component: string) =>
  [...registered].flatMap(([name, { type }]) =>
    type.startsWith("kubernetes:") && name.startsWith(component) ? [name] : [],
  );

type Options = { transform?: object };
type Make = (name: string, opts: Options) => pulumi.ComponentResource & { nodes: object };

const template = {
  spec: {
    containers: [
      {
        name: "vllm",
        image: "vllm/vllm-openai:v0.11.0",
        args: ["serve", "m", "--kv-transfer-config", "{}"],
        resources: { limits: { "nvidia.com/gpu": 8 } },
      },
    ],
  },
};
const multinode = { nodeCount: 2 };
const service = (type: string) => (name: string, opts: Options) =>
  new exported.InferenceService(
    name,
    {
      roles: [
        { name: "prefill", componentType: "prefiller", multinode, template },
        { name: "decode", componentType: "decoder", replicas: 2, multinode, template },
        {
          name: "router",
          componentType: "router",
          replicas: 2,
          gateway: {
            type: type as "istio",
            gatewayClassName: "g",
            listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
          },
          export: {},
        },
      ],
      models: [{ name: "m" }],
      rewrites: [{ targets: [{ modelRewrite: "m2" }] }],
      statusObject: true,
    },
    opts,
  );

const imported = (type: (typeof importGatewayTypes)[number]) => (name: string, opts: Options) =>
  new exported.ImportedInferencePool(
    name,
    {
      gateway: { type },
      createNamespace: true,
      routeNamespace: "routes",
      parentRefs: [{ name: "gateway" }],
      ...(importSupportOf(type).picked !== undefined &&
        importSupportOf(type).parents === undefined && { picker: { replicas: 2 } }),
      ...(importSupportOf(type).backend?.isPlanned && { globalPicker: { replicas: 2 } }),
      ...(importSupportOf(type).parents === undefined
        ? { tls: { caConfigMap: "ca", hostname: "pool.example" } }
        : {
            parents: ["a", "b"].map((cluster) => ({
              cluster,
              host: `gw.${cluster}.example`,
              port: 443,
              tls: { [importSupportOf(type).parents?.ca ?? ""]: "ca", hostname: "gw" },
            })),
          }),
    },
    opts,
  );

/** Every component with children, with arguments that create all of them. */
const components: ReadonlyArray<readonly [title: string, type: { name: string }, make: Make]> = [
  ...poolGatewayTypes.flatMap((type) => [
    [`InferenceService behind ${type}`, exported.InferenceService, service(type)] as const,
    [
      `InferencePool behind ${type}`,
      exported.InferencePool,
      (name: string, opts: Options) =>
        new exported.InferencePool(
          name,
          { selector: { app: name }, gateway: { type }, endpointPicker: { replicas: 2 } },
          opts,
        ),
    ] as const,
  ]),
  [
    "LLMServerPool",
    exported.LLMServerPool,
    (name, opts) =>
      new exported.LLMServerPool(
        name,
        {
          modelServerSelector: { app: name },
          allowedNamespaces: [{ namespace: "chat", models: ["chat-*"] }],
          endpointPicker: { replicas: 2 },
          export: {},
        },
        opts,
      ),
  ],
  ...importGatewayTypes.map(
    (type) =>
      [
        `ImportedInferencePool behind ${type}`,
        exported.ImportedInferencePool,
        imported(type),
      ] as const,
  ),
  ...modelRouterGatewayTypes.map(
    (type) =>
      [
        `ModelRouter behind ${type}`,
        exported.ModelRouter,
        (name: string, opts: object) =>
          new exported.ModelRouter(name, { gateway: { name: "gateway", type } }, opts),
      ] as const,
  ),
  [
    "SharedEndpointPicker",
    exported.SharedEndpointPicker,
    (name, opts) => new exported.SharedEndpointPicker(name, { gatewayType: "istio" }, opts),
  ],
  [
    "InferenceControllers",
    exported.InferenceControllers,
    (name, opts) =>
      new exported.InferenceControllers(
        name,
        {
          replicas: 2,
          metricsReaders: [{ name: "prometheus", namespace: "monitoring" }],
          debugReaders: [{ name: "on-call", namespace: "operations" }],
          podPlugins: { webhookUrls: ["https://p.example/"] },
        },
        opts,
      ),
  ],
  [
    "ClusterSet",
    exported.ClusterSet,
    (name, opts) =>
      new exported.ClusterSet(
        name,
        { members: [{ name: "a", kubeconfigSecret: "a" }], replicas: 2 },
        opts,
      ),
  ],
  [
    "ClusterSetMember",
    exported.ClusterSetMember,
    (name, opts) => new exported.ClusterSetMember(name, { token: true }, opts),
  ],
  [
    "ModelServing",
    exported.ModelServing,
    (name, opts) =>
      new exported.ModelServing(
        name,
        { replicas: 2, template: { roles: [{ name: "gpu", entryTemplate: template }] } },
        opts,
      ),
  ],
  [
    "LLMService",
    exported.LLMService,
    (name, opts) =>
      new exported.LLMService(name, { models: [{ name }], poolRef: [{ name: "p" }] }, opts),
  ],
  [
    "InferenceObjective",
    exported.InferenceObjective,
    (name, opts) =>
      new exported.InferenceObjective(name, { poolRef: { name: "p" }, priority: 1 }, opts),
  ],
  [
    "InferenceModelRewrite",
    exported.InferenceModelRewrite,
    (name, opts) =>
      new exported.InferenceModelRewrite(
        name,
        { poolRef: { name: "p" }, rules: [{ targets: [{ modelRewrite: "m" }] }] },
        opts,
      ),
  ],
  [
    "InferenceRoute",
    exported.InferenceRoute,
    (name, opts) =>
      new exported.InferenceRoute(
        name,
        { parentRefs: [{ name: "g" }], rules: [{ pools: [{ name: "p" }] }] },
        opts,
      ),
  ],
];

/** Returns a transform for every key of these nodes, which annotates the object with the key's path. */
const transformsFor = (nodes: object, path: readonly string[] = []): object =>
  Object.fromEntries(
    Object.entries(nodes).map(([purpose, node]) => {
      const own = [...path, purpose];
      const isPlace = Array.isArray(node) || pulumi.Resource.isInstance(node);
      return [
        purpose,
        isPlace
          ? { metadata: { annotations: { place: own.join(".") } } }
          : transformsFor(node as object, own),
      ];
    }),
  );

describe.each(components)("the children of %s", (_title, _type, make) => {
  it("each child is under one key of its nodes", async () => {
    const { nodes } = make("some", {});
    const resources = resourcesIn(nodes);
    const urns = await Promise.all(resources.map(({ urn }) => known(urn)));
    const names = urns.map((urn) => urn.split("::").at(-1));
    expect(names.sort()).toEqual(childrenOf("some").sort());
    expect(names.length).toBeGreaterThan(0);
  });

  it("each child is changed by the transform of its key", async () => {
    const transform = transformsFor(make("some", {}).nodes);
    await startProgram();
    const { nodes } = make("some", { transform });
    await Promise.all(resourcesIn(nodes).map(({ urn }) => known(urn)));
    const unchanged = childrenOf("some").filter(
      (name) => !Object.hasOwn(registered.get(name)?.metadata?.annotations ?? {}, "place"),
    );
    expect(unchanged).toEqual([]);
  });
});

it("every component is in the table, or consists only of components and definitions", () => {
  const all = Object.values(exported).filter(
    (value): value is typeof value & { name: string; __pulumiType: string } =>
      typeof value === "function" && "__pulumiType" in value,
  );
  const tested = new Set(components.map(([, type]) => type.name));
  expect(
    all
      .map(({ name }) => name)
      .filter((name) => !tested.has(name))
      .sort(),
  ).toEqual(["InferenceCrds", "MultiClusterInferenceService"]);
});
