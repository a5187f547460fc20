import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { mergePatchType } from "../kubernetes/api/patch-types.ts";
import type { ProgramFunction } from "../recorder/index.ts";
import { type AttachedCluster, freshNamespace } from "../testing/api/cluster.ts";
import { sharedCluster } from "../testing/clusters/shared-cluster.ts";
import { isUnchanged, type OperationResult } from "../testing/programs/operation-result.ts";
import {
  openStack,
  type Stack,
  type StackOptions,
  stateFolder,
} from "../testing/programs/pulumi-stack.ts";
import { InferenceService, type InferenceServiceArgs, type RoleArgs } from "./index.ts";

/** The component from the first `up` to `destroy`, on an API server. */

let cluster: AttachedCluster;
beforeAll(async () => {
  cluster = await sharedCluster();
});
afterAll(() => cluster?.detach());

let namespace: string;
beforeEach(async () => {
  namespace = await freshNamespace(cluster, "component");
});

const template = (env: pulumi.Input<string> = "v") => ({
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
        env: [{ name: "HF_TOKEN", value: env }],
        ports: [{ name: "http", containerPort: 8000 }],
        resources: { limits: { "nvidia.com/gpu": 8 } },
      },
    ],
  },
});

const prefiller: RoleArgs = {
  name: "prefill",
  componentType: "prefiller",
  multinode: { nodeCount: 2 },
  template: template(),
};
const decoder = (fields: Partial<RoleArgs> = {}): RoleArgs => ({
  name: "decode",
  componentType: "decoder",
  replicas: 2,
  multinode: { nodeCount: 4 },
  template: template(),
  ...fields,
});
const router: RoleArgs = {
  name: "router",
  componentType: "router",
  httproute: { parentRefs: [{ name: "gw" }] },
};

/** A stack whose program can be replaced between operations, like an edited program. */
function stack(options: Partial<StackOptions> = {}) {
  const state = stateFolder();
  return (run: ProgramFunction) =>
    openStack({
      project: "p",
      stack: "s",
      program: { run },
      state,
      kubernetes: { kubeconfig: cluster.kubeconfig },
      ...options,
    });
}

/** A program with one service in the test's namespace. */
function serving(
  args: InferenceServiceArgs,
  {
    name = "ds",
    ...opts
  }: ConstructorParameters<typeof InferenceService>[2] & { name?: string } = {},
) {
  return async () => {
    const metadata = { ...args.metadata, namespace };
    const service = new InferenceService(name, { ...args, metadata }, opts);
    return { service: service.serviceName, components: service.components };
  };
}

const disaggregated = (decode?: Partial<RoleArgs>): InferenceServiceArgs => ({
  roles: [prefiller, decoder(decode), router],
});

/** Operation and name of every step that changes a resource, without components. */
const changes = ({ steps }: OperationResult) =>
  steps
    .filter(({ operation, custom }) => custom && operation !== "same")
    .map(({ operation, name }) => `${operation} ${name}`)
    .sort();

const resourcesOf = async (opened: Stack) => (await opened.export()).deployment.resources ?? [];

function expectSuccess(result: OperationResult): OperationResult {
  expect(result.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(result.succeeded).toBe(true);
  return result;
}

interface Listed {
  metadata: { name: string; uid: string };
}
const lws = "leaderworkerset.x-k8s.io/v1";
const listed = async (apiVersion: string, plural: string) => {
  const group = apiVersion.includes("/") ? `apis/${apiVersion}` : `api/${apiVersion}`;
  const path = `/${group}/namespaces/${namespace}/${plural}`;
  return (await cluster.request<{ items: Listed[] }>("GET", path)).items;
};
const namesOf = (objects: Listed[]) => objects.map(({ metadata }) => metadata.name).sort();

describe("up", () => {
  it("registers every child under the component, in order, and a second up changes nothing", async () => {
    const open = stack();
    const program = serving(disaggregated());
    const first = expectSuccess(await open(program).up());
    expect(first.outputs.components?.value).toEqual({
      prefill: { desiredReplicas: 1, nodesPerReplica: 2, totalPods: 2 },
      decode: { desiredReplicas: 2, nodesPerReplica: 4, totalPods: 8 },
    });
    expect(namesOf(await listed(lws, "leaderworkersets"))).toEqual([
      "ds-decode-0",
      "ds-decode-1",
      "ds-prefill-0",
    ]);

    const resources = await resourcesOf(open(program));
    const component = "urn:pulumi:s::p::inference:index:InferenceService::ds";
    const children = resources.filter(({ urn }) => urn.includes("InferenceService$"));
    expect(children.length).toBe(20);
    for (const { parent, urn } of children) expect(parent, urn).toBe(component);
    const prefix = "urn:pulumi:s::p::inference:index:InferenceService$kubernetes:";
    const decode = children.find(({ urn }) => urn.endsWith("decode-1"));
    expect(decode?.urn).toBe(`${prefix}${lws}:LeaderWorkerSet::ds-leaderworkerset-decode-1`);
    expect(decode?.dependencies).toEqual([
      `${prefix}scheduling.volcano.sh/v1beta1:PodGroup::ds-podgroup`,
      `${prefix}rbac.authorization.k8s.io/v1:RoleBinding::ds-rolebinding-pd-sidecar`,
    ]);

    expect(isUnchanged(expectSuccess(await open(program).up()))).toBe(true);
    expect(isUnchanged(expectSuccess(await open(program).refresh()))).toBe(true);
  });

  it("adds and removes only the scaled replicas", async () => {
    const open = stack();
    expectSuccess(await open(serving(disaggregated())).up());
    const uids = async () =>
      new Map(
        (await listed(lws, "leaderworkersets")).map(({ metadata }) => [
          metadata.name,
          metadata.uid,
        ]),
      );
    const before = await uids();
    const larger = open(serving(disaggregated({ replicas: 4 })));
    expect(changes(expectSuccess(await larger.up()))).toEqual([
      "create ds-leaderworkerset-decode-2",
      "create ds-leaderworkerset-decode-3",
    ]);
    const smaller = open(serving(disaggregated({ replicas: 2 })));
    expect(changes(expectSuccess(await smaller.up()))).toEqual([
      "delete ds-leaderworkerset-decode-2",
      "delete ds-leaderworkerset-decode-3",
    ]);
    expect(await uids()).toEqual(before);
  });

  it("renames a component with an alias, while its objects keep their names", async () => {
    const open = stack();
    expectSuccess(await open(serving(disaggregated())).up());
    const args = { ...disaggregated(), metadata: { name: "ds" } };
    const renamed = open(serving(args, { name: "deepseek", aliases: [{ name: "ds" }] }));
    const preview = expectSuccess(await renamed.preview());
    expect(changes(preview)).toEqual([]);
    const formerly = preview.steps.filter(({ formerUrn }) => formerUrn !== undefined);
    expect(formerly.length).toBe(21);
    expect(changes(expectSuccess(await renamed.up()))).toEqual([]);

    const unaliased = await open(serving(args, { name: "other" })).preview();
    expect(changes(unaliased)).toContain("delete deepseek-podgroup");
  });

  it("replaces a LeaderWorkerSet whose sub-groups change, deleting it first", async () => {
    const open = stack();
    expectSuccess(await open(serving(disaggregated())).up());
    const withSubGroups = serving(disaggregated(), {
      transform: {
        workloads: (args, _opts, name) => {
          if (name.endsWith("decode-0"))
            args.spec.leaderWorkerTemplate.subGroupPolicy = { subGroupSize: 2 };
        },
      },
    });
    const result = expectSuccess(await open(withSubGroups).up());
    expect(changes(result)).toEqual(["replace ds-leaderworkerset-decode-0"]);
    expect(result.steps.find(({ operation }) => operation === "replace")?.deleteBeforeReplace).toBe(
      true,
    );
  });

  it("does not change fields in the component's ignoreChanges", async () => {
    const open = stack();
    const args = (replicas: number): InferenceServiceArgs => ({
      roles: [{ name: "w", componentType: "worker", replicas, template: template() }],
    });
    expectSuccess(await open(serving(args(2))).up());
    const ignoring = serving(args(5), { ignoreChanges: ["spec.replicas"] });
    expect(changes(expectSuccess(await open(ignoring).up()))).toEqual([]);
  });

  it("keeps the number of replicas of a running service that gets an autoscaler, and its changes", async () => {
    const open = stack();
    const args = (fields: object, env?: string): InferenceServiceArgs => ({
      roles: [{ name: "w", componentType: "worker", replicas: 4, template: template(env) }, router],
      ...fields,
    });
    const autoscaling = { maxUnits: 8, scaler: "hpa" } as const;
    const set = `/apis/${lws}/namespaces/${namespace}/leaderworkersets/ds-w`;
    const replicas = async () =>
      (await cluster.request<{ spec: { replicas: number } }>("GET", set)).spec.replicas;
    expectSuccess(await open(serving(args({}))).up());
    expectSuccess(await open(serving(args({ autoscaling }))).up());
    expect(await replicas()).toBe(4);
    const scale = { spec: { replicas: 6 } };
    await cluster.request("PATCH", `${set}/scale`, scale, mergePatchType);
    expect(changes(expectSuccess(await open(serving(args({ autoscaling }, "w"))).up()))).toEqual([
      "update ds-leaderworkerset-w",
    ]);
    expect(await replicas()).toBe(6);
  });

  it("applies protect, retainOnDelete and timeouts to every child", async () => {
    const open = stack();
    const opts = { protect: true, retainOnDelete: true, customTimeouts: { create: "2h" } };
    const stackOf = open(serving(disaggregated(), opts));
    expectSuccess(await stackOf.up());
    for (const resource of await resourcesOf(stackOf)) {
      if (!resource.urn.includes("InferenceService$")) continue;
      expect(resource, resource.urn).toMatchObject({
        protect: true,
        retainOnDelete: true,
        customTimeouts: { create: 7200 },
      });
    }
  });
});

describe("destroy", () => {
  it("leaves no objects", async () => {
    const open = stack();
    const program = serving({
      roles: [prefiller, decoder(), { ...router, gateway: gateway(), metricsAuth: true }],
    });
    expectSuccess(await open(program).up());
    expectSuccess(await open(program).destroy());
    const places = [
      [lws, "leaderworkersets"],
      ["scheduling.volcano.sh/v1beta1", "podgroups"],
      ["inference.networking.k8s.io/v1", "inferencepools"],
      ["gateway.networking.k8s.io/v1", "httproutes"],
      ["gateway.networking.k8s.io/v1", "gateways"],
      ["rbac.authorization.k8s.io/v1", "roles"],
      ["rbac.authorization.k8s.io/v1", "rolebindings"],
      ["apps/v1", "deployments"],
      ["v1", "services"],
    ] as const;
    for (const [apiVersion, plural] of places) {
      expect(namesOf(await listed(apiVersion, plural)), plural).toEqual([]);
    }
    const clusterRoles = await cluster.request<{ items: Listed[] }>(
      "GET",
      "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    );
    expect(namesOf(clusterRoles.items).filter((name) => name.startsWith(namespace))).toEqual([]);
  });
});

const gateway = () => ({
  gatewayClassName: "example",
  listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
});

describe("preview", () => {
  it("accepts values in leaves that are only known later", async () => {
    const program = async () => {
      const later = new k8s.core.v1.ConfigMap("later", { metadata: { namespace } });
      const args = {
        roles: [prefiller, decoder({ template: template(later.metadata.uid) }), router],
      };
      return serving(args)();
    };
    const open = stack();
    const preview = expectSuccess(await open(program).preview());
    expect(changes(preview)).toContain("create ds-leaderworkerset-decode-0");
    const planned = preview.steps.map(({ urn }) => urn).sort();
    const up = expectSuccess(await open(program).up());
    expect(up.steps.map(({ urn }) => urn).sort()).toEqual(planned);
    const [object] = await listed(lws, "leaderworkersets");
    expect(JSON.stringify(object)).toMatch(/"name":"HF_TOKEN","value":"[0-9a-f-]{36}"/);
  });
});

it("writes quantities that are only known later in canonical form", async () => {
  const { spec } = template();
  const [engine] = spec.containers;
  const resources = { limits: { "nvidia.com/gpu": 8, cpu: pulumi.output("1000m") } };
  const role = decoder({
    template: { spec: { containers: [{ ...engine, name: "vllm", resources }] } },
  });
  expectSuccess(await stack()(serving({ roles: [prefiller, role] })).up());
  const [object] = await listed(lws, "leaderworkersets");
  expect(JSON.stringify(object)).toMatch(/"limits":\{"cpu":"1","nvidia.com\/gpu":"8"\}/);
});

describe("secrets", () => {
  it("secrets stay secret in the state of the component and its children", async () => {
    const token = "hf_do-not-show";
    const program = async () =>
      serving({ roles: [prefiller, decoder({ template: template(pulumi.secret(token)) })] })();
    const open = stack();
    const result = expectSuccess(await open(program).up());
    const resources = await resourcesOf(open(program));
    expect(JSON.stringify(resources)).not.toContain(token);
    expect(JSON.stringify(result.steps)).not.toContain(token);
    const secrets = resources.filter((resource) =>
      JSON.stringify(resource.inputs ?? {}).includes("ciphertext"),
    );
    expect(secrets.map(({ urn }) => urn.split("::").pop()).sort()).toEqual([
      "ds",
      "ds-leaderworkerset-decode-0",
      "ds-leaderworkerset-decode-1",
    ]);
  });
});

describe("errors", () => {
  it("errors end the program with every problem in one message and no stack trace", async () => {
    const wrong = { roles: [prefiller, { ...decoder(), name: "D!", replicas: -1 }] };
    const { succeeded, diagnostics, steps } = await stack()(serving(wrong)).up();
    expect(succeeded).toBe(false);
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    expect(errors.length).toBe(1);
    expect(errors[0]?.message).toMatch(/^InferenceService "ds".*: \d problems\n {2}/);
    expect(errors[0]?.message).toContain("roles[1].name: ");
    expect(errors[0]?.message).toContain("roles[1].replicas: is -1");
    expect(errors[0]?.message).not.toMatch(/\n\s+at /);
    expect(steps.some(({ name }) => name === "ds")).toBe(false);
  });

  it("errors about one stack's names do not affect another stack in the same process", async () => {
    const results = await Promise.all(
      ["one", "two"].map((name) => stack({ stack: name })(serving(disaggregated())).preview()),
    );
    for (const result of results) expectSuccess(result);
  });
});

describe("providers", () => {
  it("the component passes its providers to its children", async () => {
    const program = async () => {
      const provider = new k8s.Provider("gpu", { kubeconfig: cluster.kubeconfig });
      return serving(disaggregated(), { provider })();
    };
    const open = stack({ kubernetes: undefined });
    expectSuccess(await open(program).up());
    for (const { urn, provider } of await resourcesOf(open(program))) {
      if (urn.includes("InferenceService$")) expect(provider, urn).toContain("::gpu::");
    }
  });
});

describe("waitFor", () => {
  it("waits only until the minimum of every role is ready", async () => {
    const waiting = new Set<string>();
    const ready = async (name: string) => {
      const status = { replicas: 3, readyReplicas: 2, updatedReplicas: 3 };
      const path = `/apis/${lws}/namespaces/${namespace}/leaderworkersets/${name}/status`;
      await cluster.request("PATCH", path, { status }, mergePatchType);
    };
    const open = stack({
      onEvent: (event) => {
        if (event.kind !== "status" || waiting.has(event.urn)) return;
        waiting.add(event.urn);
        if (event.message.includes("readyReplicas")) void ready("ds-w");
      },
    });
    const args: InferenceServiceArgs = {
      waitFor: true,
      roles: [
        { name: "w", componentType: "worker", replicas: 3, minReplicas: 2, template: template() },
        { name: "idle", componentType: "worker", replicas: 0, template: template() },
      ],
    };
    expectSuccess(await open(serving(args)).up());
    expect([...waiting].map((urn) => urn.split("::").pop())).toEqual(["ds-leaderworkerset-w"]);
  });
});

describe("a service that is only referred to", () => {
  it("has the outputs in the state", async () => {
    const urn = "urn:pulumi:s::p::inference:index:InferenceService::ds";
    const open = stack();
    expectSuccess(await open(serving(disaggregated())).up());
    const referring = async () => {
      const made = await serving(disaggregated())();
      const pool = made.service.apply(
        () => new InferenceService("ds", { roles: [] }, { urn }).poolName,
      );
      return { ...made, pool };
    };
    expect(expectSuccess(await open(referring).up()).outputs.pool?.value).toBe("ds-pool");
  });
});
