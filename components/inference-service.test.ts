import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { defaultRuntimeImage } from "../sdk/topology/runtime-image.ts";
import {
  InferenceService,
  type InferenceServiceArgs,
  InvalidArgsError,
  type RoleArgs,
} from "./index.ts";
import { resourcesIn } from "./resources-in.fixture.ts";

/**
 * A resource that the component registers, as received by a transformation of the old kind, which runs in the program
 * with the final arguments and options.
 */
interface Request {
  type: string;
  name: string;
  props: Record<string, never>;
  opts: pulumi.CustomResourceOptions & { parent?: pulumi.Resource };
}

let requests: Request[] = [];
const record = {
  transformations: [
    ({ type, name, props, opts }: pulumi.ResourceTransformationArgs) => {
      requests.push({ type, name, props, opts } as Request);
      return undefined;
    },
  ],
};

/** Resources as they reach the engine: type and provider by logical name. */
let registered = new Map<string, { type: string; provider: string | undefined; inputs: object }>();

beforeEach(async () => {
  requests = [];
  registered = new Map();
  pulumi.runtime.setAllConfig({});
  await pulumi.runtime.setMocks({
    newResource: ({ type, name, inputs, provider }) => {
      registered.set(name, { type, provider, inputs });
      return { id: `${name}-id`, state: inputs };
    },
    call: () => ({}),
  });
});

/** The requests of a program must reach their monitor before the next program gets another. */
afterEach(() => pulumi.runtime.disconnect());

const template = (gpus = 8) => ({
  spec: {
    containers: [
      {
        name: "vllm",
        image: "vllm/vllm-openai:v0.11.0",
        args: [
          "--model",
          "m",
          "--kv-transfer-config.kv_connector",
          "NixlConnector",
          "--kv-transfer-config.kv_role",
          "kv_both",
        ],
        ports: [{ name: "http", containerPort: 8000 }],
        resources: { limits: { "nvidia.com/gpu": gpus } },
      },
    ],
  },
});

const worker: RoleArgs = {
  name: "inference",
  componentType: "worker",
  replicas: 2,
  template: template(),
};
const prefiller: RoleArgs = {
  name: "prefill",
  componentType: "prefiller",
  multinode: { nodeCount: 2 },
  template: template(),
};
const decoder: RoleArgs = {
  name: "decode",
  componentType: "decoder",
  replicas: 2,
  multinode: { nodeCount: 4 },
  template: template(),
};
const router: RoleArgs = {
  name: "router",
  componentType: "router",
  httproute: { parentRefs: [{ name: "gw" }], hostnames: ["llm.example.com"] },
};
const everything: InferenceServiceArgs = {
  roles: [
    prefiller,
    decoder,
    {
      ...router,
      gateway: { gatewayClassName: "g", listeners: [{ name: "http", port: 80, protocol: "HTTP" }] },
      metricsAuth: true,
    },
  ],
};

const kindOf = ({ type }: Request) => type.split(":").pop() ?? "";
const request = (name: string) => requests.find((entry) => entry.name === name) as Request;
const known = <T>(output: pulumi.Output<T>) =>
  new Promise<T>((resolve) => output.apply((value) => resolve(value)));

/** Waits until all registrations have reached the monitor. */
async function settled(service: InferenceService) {
  await Promise.all(resourcesIn(service.nodes).map(({ urn }) => known(urn)));
}

describe("children", () => {
  it("each planned object has one child, with a name that starts with the name of the component", async () => {
    const service = new InferenceService("ds", everything, record);
    await settled(service);
    expect([...registered].map(([name, { type }]) => `${type} ${name}`).sort()).toEqual([
      "inference:index:InferenceService ds",
      "kubernetes:apps/v1:Deployment ds-deployment-epp",
      "kubernetes:core/v1:Service ds-service-epp",
      "kubernetes:core/v1:ServiceAccount ds-serviceaccount-epp",
      "kubernetes:core/v1:ServiceAccount ds-serviceaccount-pd-sidecar",
      "kubernetes:gateway.networking.k8s.io/v1:Gateway ds-gateway",
      "kubernetes:gateway.networking.k8s.io/v1:HTTPRoute ds-httproute",
      "kubernetes:inference.networking.k8s.io/v1:InferencePool ds-inferencepool-pool",
      "kubernetes:leaderworkerset.x-k8s.io/v1:LeaderWorkerSet ds-leaderworkerset-decode-0",
      "kubernetes:leaderworkerset.x-k8s.io/v1:LeaderWorkerSet ds-leaderworkerset-decode-1",
      "kubernetes:leaderworkerset.x-k8s.io/v1:LeaderWorkerSet ds-leaderworkerset-prefill-0",
      "kubernetes:networking.k8s.io/v1:NetworkPolicy ds-networkpolicy-engines",
      "kubernetes:networking.k8s.io/v1:NetworkPolicy ds-networkpolicy-epp",
      "kubernetes:policy/v1:PodDisruptionBudget ds-poddisruptionbudget-decode",
      "kubernetes:policy/v1:PodDisruptionBudget ds-poddisruptionbudget-prefill",
      "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole ds-clusterrole-epp-metrics-auth",
      "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding ds-clusterrolebinding-epp-metrics-auth",
      "kubernetes:rbac.authorization.k8s.io/v1:Role ds-role-epp",
      "kubernetes:rbac.authorization.k8s.io/v1:Role ds-role-pd-sidecar",
      "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding ds-rolebinding-epp",
      "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding ds-rolebinding-pd-sidecar",
      "kubernetes:scheduling.volcano.sh/v1beta1:PodGroup ds-podgroup",
    ]);
    for (const { name, opts } of requests) {
      if (name !== "ds") expect(opts.parent, name).toBe(service);
    }
  });

  it("children wait for objects that they refer to, but LeaderWorkerSets do not wait for each other", () => {
    new InferenceService("ds", everything, record);
    const dependencies = Object.fromEntries(
      requests
        .filter(({ name }) => name !== "ds")
        .map((entry) => [
          entry.name,
          ((entry.opts.dependsOn ?? []) as pulumi.Resource[]).map(
            (resource) => resource.constructor.name,
          ),
        ]),
    );
    expect(dependencies).toEqual({
      "ds-podgroup": [],
      "ds-poddisruptionbudget-prefill": [],
      "ds-poddisruptionbudget-decode": [],
      "ds-serviceaccount-pd-sidecar": [],
      "ds-role-pd-sidecar": [],
      "ds-rolebinding-pd-sidecar": ["ServiceAccount", "Role"],
      "ds-leaderworkerset-prefill-0": ["PodGroup", "RoleBinding"],
      "ds-leaderworkerset-decode-0": ["PodGroup", "RoleBinding"],
      "ds-leaderworkerset-decode-1": ["PodGroup", "RoleBinding"],
      "ds-serviceaccount-epp": [],
      "ds-role-epp": [],
      "ds-rolebinding-epp": ["ServiceAccount", "ServiceAccount", "Role", "Role"],
      "ds-clusterrole-epp-metrics-auth": [],
      "ds-clusterrolebinding-epp-metrics-auth": ["ServiceAccount", "ServiceAccount", "ClusterRole"],
      "ds-deployment-epp": ["RoleBinding", "RoleBinding", "ClusterRoleBinding"],
      "ds-service-epp": [],
      "ds-networkpolicy-engines": [],
      "ds-networkpolicy-epp": [],
      "ds-inferencepool-pool": ["Service"],
      "ds-gateway": [],
      "ds-httproute": ["InferencePool", "Gateway"],
    });
  });

  it("children are replaced if an immutable field changes, and are deleted first because their names are fixed", () => {
    new InferenceService("ds", everything, record);
    for (const { name, opts } of requests) {
      if (name !== "ds") expect(opts.deleteBeforeReplace, name).toBe(true);
    }
    expect(request("ds-leaderworkerset-decode-0").opts.replaceOnChanges).toEqual([
      "spec.leaderWorkerTemplate.subGroupPolicy",
      "spec.leaderWorkerTemplate.volumeClaimTemplates",
    ]);
    expect(request("ds-rolebinding-epp").opts.replaceOnChanges).toEqual(["roleRef"]);
    expect(request("ds-serviceaccount-epp").opts.replaceOnChanges).toBeUndefined();
  });

  it("children are accessible by purpose", () => {
    const { nodes } = new InferenceService("ds", everything);
    expect(nodes.workloads.length).toBe(3);
    expect(nodes.picker.deployment).toBeInstanceOf(k8s.apps.v1.Deployment);
    const plain = new InferenceService("plain", { roles: [worker] }).nodes;
    expect(Object.keys(plain)).toEqual([
      "workloads",
      "autoscalers",
      "disruptionBudgets",
      "decodeSidecar",
      "networkPolicy",
      "picker",
      "gatewayObjects",
    ]);
    expect([plain.picker, plain.gatewayObjects]).toEqual([{}, []]);
  });
});

describe("options", () => {
  const paths = {
    ignoreChanges: ["spec.replicas", 'metadata.annotations["a/b"]', "data"],
    replaceOnChanges: ["spec.leaderWorkerTemplate.size"],
  };

  it("passes ignoreChanges and replaceOnChanges to the children that have the property", () => {
    new InferenceService(
      "ds",
      { ...everything, metadata: { annotations: { x: "y" } } },
      { ...record, ...paths },
    );
    const ignored = (name: string) => request(name).opts.ignoreChanges;
    expect(ignored("ds-leaderworkerset-decode-0")).toEqual(paths.ignoreChanges);
    expect(ignored("ds-serviceaccount-epp")).toEqual(['metadata.annotations["a/b"]', "data"]);
    const replaced = (name: string) => request(name).opts.replaceOnChanges;
    expect(replaced("ds-leaderworkerset-decode-0")).toContain("spec.leaderWorkerTemplate.size");
    expect(replaced("ds-podgroup")).toEqual([]);
  });

  it("passes customTimeouts and additionalSecretOutputs to every child", () => {
    const handed = { customTimeouts: { create: "2h" }, additionalSecretOutputs: ["status"] };
    new InferenceService("ds", { ...everything, waitFor: true }, { ...record, ...handed });
    for (const { name, opts } of requests)
      if (name !== "ds") expect(opts, name).toMatchObject(handed);
  });

  it("does not apply the options for children to the component itself", () => {
    new InferenceService("ds", everything, {
      ...record,
      ...paths,
      customTimeouts: { create: "2h" },
      additionalSecretOutputs: ["status"],
      transform: {},
      protect: true,
    });
    expect(Object.keys(request("ds").opts).sort()).toEqual(["protect", "transformations"]);
  });

  it("passes an explicit provider to the children, as provider or providers", async () => {
    const provider = new k8s.Provider("gpu", {});
    await settled(new InferenceService("a", { roles: [worker] }, { provider }));
    await settled(new InferenceService("b", { roles: [worker] }, { providers: [provider] }));
    for (const name of ["a-leaderworkerset-inference", "b-leaderworkerset-inference"]) {
      expect(registered.get(name)?.provider).toMatch(/pulumi:providers:kubernetes::gpu::gpu-id$/);
    }
  });

  it("runs transforms by purpose before a child is registered", async () => {
    const service = new InferenceService("ds", everything, {
      ...record,
      transform: {
        workloads: (args, opts, name) => {
          args.spec.startupPolicy = "LeaderReady";
          if (name.endsWith("decode-0")) opts.import = "default/ds-decode-0";
        },
        picker: { service: { spec: { type: "LoadBalancer" } } },
      },
    });
    await settled(service);
    expect(registered.get("ds-leaderworkerset-prefill-0")?.inputs).toMatchObject({
      spec: { startupPolicy: "LeaderReady" },
    });
    expect(request("ds-leaderworkerset-decode-0").opts.import).toBe("default/ds-decode-0");
    expect(request("ds-leaderworkerset-decode-1").opts.import).toBeUndefined();
    expect(registered.get("ds-service-epp")?.inputs).toMatchObject({
      spec: { type: "LoadBalancer", selector: { app: "ds-epp" } },
    });
  });
});

describe("waiting", () => {
  const annotationsOf = (name: string) =>
    (request(name).props as { metadata?: { annotations?: Record<string, string> } }).metadata
      ?.annotations ?? {};

  it("nothing is awaited by default", () => {
    new InferenceService("ds", everything, record);
    for (const entry of requests) {
      const awaitedByProvider = ["Deployment", "Service"].includes(kindOf(entry));
      const forPulumi = Object.entries(annotationsOf(entry.name)).filter(([key]) =>
        key.startsWith("pulumi.com/"),
      );
      expect(Object.fromEntries(forPulumi), entry.name).toEqual(
        awaitedByProvider ? { "pulumi.com/skipAwait": "true" } : {},
      );
      expect(entry.opts.customTimeouts, entry.name).toBeUndefined();
    }
  });

  it("waitFor awaits the minimum of every role, the endpoint picker and the route", () => {
    new InferenceService("ds", { ...everything, waitFor: true }, record);
    const waiting = requests.filter(({ name }) => "pulumi.com/waitFor" in annotationsOf(name));
    expect(waiting.map(({ name }) => name)).toEqual([
      "ds-leaderworkerset-prefill-0",
      "ds-leaderworkerset-decode-0",
      "ds-httproute",
    ]);
    expect(waiting.map(({ opts }) => opts.customTimeouts?.create)).toEqual([
      "3600s",
      "3600s",
      undefined,
    ]);
    expect(annotationsOf("ds-deployment-epp")).toEqual({});
    expect(annotationsOf("ds-service-epp")).toEqual({ "pulumi.com/skipAwait": "true" });
  });
});

describe("outputs", () => {
  it("outputs contain name, namespace, pool, endpoints and sizes", async () => {
    const service = new InferenceService("ds", { ...everything, metadata: { namespace: "prod" } });
    expect(await known(service.serviceName)).toBe("ds");
    expect(await known(service.namespace)).toBe("prod");
    expect(await known(service.poolName)).toBe("ds-pool");
    expect(await known(service.endpoints)).toEqual({
      hostnames: ["llm.example.com"],
      leaders: [
        "ds-prefill-0-0.ds-prefill-0.prod.svc:8000",
        "ds-decode-0-0.ds-decode-0.prod.svc:8000",
        "ds-decode-1-0.ds-decode-1.prod.svc:8000",
      ],
      endpointPicker: "ds-epp.prod.svc:9002",
      metrics: "ds-epp.prod.svc:9090",
    });
    expect(await known(service.components)).toEqual({
      prefill: { desiredReplicas: 1, nodesPerReplica: 2, totalPods: 2 },
      decode: { desiredReplicas: 2, nodesPerReplica: 4, totalPods: 8 },
    });
  });

  it("outputs contain no pool and no picker without a router", async () => {
    const service = new InferenceService("qwen", { roles: [worker] });
    expect(await known(service.poolName)).toBeUndefined();
    expect(await known(service.endpoints)).toEqual({
      hostnames: [],
      leaders: [
        "qwen-inference-0.qwen-inference.default.svc:8000",
        "qwen-inference-1.qwen-inference.default.svc:8000",
      ],
    });
  });
});

describe("InferenceService", () => {
  const imagesOf = (name: string) =>
    JSON.stringify(registered.get(name)?.inputs).match(/(?<="image":")[^"]+/g);

  it.each([
    ["is this project's by default", {}, undefined, defaultRuntimeImage],
    ["comes from stack configuration", { "pulumi-inference:image": "mine:1" }, undefined, "mine:1"],
    ["is the router's before all", { "pulumi-inference:image": "mine:1" }, "its:2", "its:2"],
  ])("the endpoint picker's image: %s", async (_, config, image, expected) => {
    pulumi.runtime.setAllConfig(config as Record<string, string>);
    const picker = image === undefined ? router : { ...router, image };
    await settled(new InferenceService("ds", { roles: [prefiller, decoder, picker] }));
    expect(imagesOf("ds-deployment-epp")).toEqual([expected]);
  });
});

describe("names of objects", () => {
  const named = (name: string, role: string, options: pulumi.ComponentResourceOptions = {}) =>
    new InferenceService(name, { roles: [{ ...worker, name: role }] }, options);

  it("services with one name under different parents are refused, naming both services", () => {
    const first = new pulumi.ComponentResource("test:index:Group", "x");
    const second = new pulumi.ComponentResource("test:index:Group", "y");
    named("a", "b", { parent: first });
    expect(() => named("a", "b", { parent: second })).toThrow(
      /^InferenceService "a": creates \S*a-b, which InferenceService "a" also creates/,
    );
  });

  it("objects that two components would both create are refused, naming both components", () => {
    named("a", "b-c");
    expect(() => named("a-b", "c")).toThrow(
      /^InferenceService "a-b": creates \S*a-b-c, which InferenceService "a" also creates; allowed: .*metadata\.namespace/,
    );
  });

  it("names may be repeated with another provider, in another namespace, or in another program", async () => {
    named("a", "b-c");
    named("a-b", "c", { provider: new k8s.Provider("other", {}) });
    new InferenceService("elsewhere", {
      metadata: { name: "a-b", namespace: "prod" },
      roles: [{ ...worker, name: "c" }],
    });
    await pulumi.runtime.disconnect();
    await pulumi.runtime.setMocks({
      newResource: ({ inputs }) => ({ id: "x", state: inputs }),
      call: () => ({}),
    });
    named("a-b", "c");
  });

  it("names may be repeated by the same resource, which Pulumi itself refuses", () => {
    named("a", "b");
    expect(() => named("a", "b")).not.toThrow();
  });
});

describe("invalid arguments", () => {
  const wrong = {
    roles: [{ ...worker, name: "W!", replicas: -1 }],
    waitFor: "yes",
  } as unknown as InferenceServiceArgs;

  const refusal = () => {
    try {
      new InferenceService("bad", wrong, record);
    } catch (error) {
      return error as InvalidArgsError;
    }
    throw new Error("was accepted");
  };

  it("invalid arguments are refused together, each with its path, before any registration", () => {
    const { message, problems } = refusal();
    expect(problems.map(({ path }) => path.join("."))).toEqual(
      expect.arrayContaining(["waitFor", "roles.0.name", "roles.0.replicas"]),
    );
    expect(message.split("\n").length).toBe(problems.length + 1);
    expect(message).toMatch(/^InferenceService "bad".*: \d problems\n/);
    expect(message).toContain('waitFor: is "yes"; allowed: true, false, Available. Pass true');
    expect(requests).toEqual([]);
  });

  it("an unknown field is refused with the known fields", () => {
    const args = { roles: [], replicas: 2 } as unknown as InferenceServiceArgs;
    expect(() => new InferenceService("bad", args)).toThrow(
      'replicas: unknown field "replicas"; allowed: metadata, roles, model, accelerator, nodes, acceleratorResource, engine, network, workload, autoscaling, rollout, schedulingStrategy, plugins, accelerators, networkPolicy, models, resilience, rewrites, statusObject, waitFor.',
    );
  });

  it("invalid arguments are an error without a stack trace, and without values for the CLI to repeat", () => {
    const error = refusal();
    expect(error).toBeInstanceOf(InvalidArgsError);
    expect(pulumi.RunError.isInstance(error)).toBe(true);
    expect(pulumi.InputPropertiesError.isInstance(error)).toBe(false);
  });

  it("Outputs are refused as values that must be plain", () => {
    const later = pulumi.output(2) as unknown as number;
    expect(() => new InferenceService("s", { roles: [{ ...worker, replicas: later }] })).toThrow(
      "roles[0].replicas: is an Output",
    );
  });
});

describe("InferenceService", () => {
  it("is recognised by its type, even if another copy of the class created it", () => {
    const service = new InferenceService("qwen", { roles: [worker] });
    expect(InferenceService.isInstance(service)).toBe(true);
    expect(InferenceService.isInstance({ __pulumiType: "inference:index:InferenceService" })).toBe(
      true,
    );
    expect(InferenceService.isInstance(new pulumi.ComponentResource("a:b:C", "c"))).toBe(false);
    expect(InferenceService.isInstance(undefined)).toBe(false);
  });

  it("registers the arguments as written, with defaults", async () => {
    const service = new InferenceService("qwen", { roles: [worker] });
    await known(service.urn);
    expect(registered.get("qwen")?.inputs).toEqual({
      metadata: { name: "qwen", namespace: "default", labels: {}, annotations: {} },
      roles: [{ ...worker, drainSeconds: 600 }],
      workload: "auto",
      schedulingStrategy: { gang: { layout: "subGroup" } },
      networkPolicy: { enabled: true },
      waitFor: false,
    });
  });
});

it.each([
  ["is warned of", undefined, 1],
  ["is taken", true, 0],
])("recycling %s if statusObject is %s", async (_, statusObject, count) => {
  const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
  onTestFinished(() => warn.mockRestore());
  const service = new InferenceService("svc", {
    roles: [prefiller, decoder, router],
    resilience: { recycle: {} },
    ...(statusObject && { statusObject }),
  });
  await settled(service);
  const said = warn.mock.calls.filter(([text]) => /resilience\.recycle: is set/.test(text));
  expect(said).toHaveLength(count);
});
