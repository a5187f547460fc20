import type * as pulumi from "@pulumi/pulumi";
import {
  importGatewayTypes,
  importSupportOf,
  modelRouterGatewayTypes,
  poolGatewayTypes,
} from "../sdk/gateways/index.ts";
import * as exported from "./index.ts";

interface ComponentClass {
  readonly name: string;
  new (name: string, args: never, opts?: object): pulumi.ComponentResource & { nodes: object };
}

/** Component with arguments that create all of its children. */
export interface ComponentCase {
  readonly title: string;
  readonly type: ComponentClass;
  /** Returns the arguments. `name` occurs in selectors and in names of models. */
  readonly argsOf: (name: string) => object;
}

export const make = ({ type, argsOf }: ComponentCase, name: string, opts: object = {}) =>
  new type(name, argsOf(name) as never, opts);

const template = {
  spec: {
    containers: [
      {
        name: "vllm",
        image: "vllm/vllm-openai:v0.32.0",
        args: ["serve", "m", "--kv-transfer-config", "{}"],
        resources: { limits: { "nvidia.com/gpu": 8 } },
      },
    ],
  },
};
const multinode = { nodeCount: 2 };
const service = (type: string) => ({
  roles: [
    { name: "prefill", componentType: "prefiller", multinode, template },
    { name: "decode", componentType: "decoder", replicas: 2, multinode, template },
    {
      name: "router",
      componentType: "router",
      replicas: 2,
      gateway: {
        type,
        gatewayClassName: "g",
        listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
      },
      export: {},
    },
  ],
  models: [{ name: "m" }],
  rewrites: [{ targets: [{ modelRewrite: "m2" }] }],
  statusObject: true,
});

const imported = (type: (typeof importGatewayTypes)[number]) => ({
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
});

const of = (type: ComponentClass, argsOf: ComponentCase["argsOf"], gateway?: string) => ({
  title: gateway === undefined ? type.name : `${type.name} behind ${gateway}`,
  type,
  argsOf,
});

/** Every component with children, for every gateway. */
export const components: readonly ComponentCase[] = [
  ...poolGatewayTypes.flatMap((type) => [
    of(exported.InferenceService, () => service(type), type),
    of(
      exported.InferencePool,
      (app) => ({ selector: { app }, gateway: { type }, endpointPicker: { replicas: 2 } }),
      type,
    ),
  ]),
  of(exported.LLMServerPool, (app) => ({
    modelServerSelector: { app },
    allowedNamespaces: [{ namespace: "chat", models: ["chat-*"] }],
    endpointPicker: { replicas: 2 },
    export: {},
  })),
  ...importGatewayTypes.map((type) =>
    of(exported.ImportedInferencePool, () => imported(type), type),
  ),
  ...modelRouterGatewayTypes.map((type) =>
    of(exported.ModelRouter, () => ({ gateway: { name: "gateway", type } }), type),
  ),
  of(exported.SharedEndpointPicker, () => ({ gatewayType: "istio" })),
  of(exported.InferenceControllers, () => ({
    replicas: 2,
    metricsReaders: [{ name: "prometheus", namespace: "monitoring" }],
    debugReaders: [{ name: "on-call", namespace: "operations" }],
    podPlugins: { webhookUrls: ["https://p.example/"] },
  })),
  of(exported.ClusterSet, () => ({
    members: [{ name: "a", kubeconfigSecret: "a" }],
    replicas: 2,
  })),
  of(exported.ClusterSetMember, () => ({ token: true })),
  of(exported.ServiceObjectives, (name) => ({
    of: { name },
    objectives: { availability: 0.999, firstToken: { seconds: 0.6, share: 0.99 } },
  })),
  of(exported.ModelServing, () => ({
    replicas: 2,
    template: { roles: [{ name: "gpu", entryTemplate: template }] },
  })),
  of(exported.LLMService, (name) => ({ models: [{ name }], poolRef: [{ name: "p" }] })),
  of(exported.InferenceObjective, () => ({ poolRef: { name: "p" }, priority: 1 })),
  of(exported.InferenceModelRewrite, () => ({
    poolRef: { name: "p" },
    rules: [{ targets: [{ modelRewrite: "m" }] }],
  })),
  of(exported.InferenceRoute, () => ({
    gateway: { type: "envoy-gateway" },
    access: { apiKeys: { secret: "keys" } },
    parentRefs: [{ name: "g" }],
    rules: [{ pools: [{ name: "p" }] }],
  })),
];
