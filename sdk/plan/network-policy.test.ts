import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { arbitraryService } from "../../testing/samples/arbitrary-service.ts";
import { router, service, vllmTemplate, worker } from "../../testing/samples/sample-service.ts";
import { formatProblem, SpecError } from "../errors.ts";
import { ControllersSpec } from "../spec/controllers.ts";
import { parseModelServing } from "../validate/model-serving.ts";
import { parseKind } from "../validate/spec-kind.ts";
import {
  clusterSetSpecKind,
  importedPoolSpecKind,
  inferencePoolSpecKind,
} from "../validate/spec-kinds.ts";
import { planControllers } from "./controllers/controllers.ts";
import { planInferenceService } from "./inference-service.ts";
import { planClusterSet } from "./multi-cluster/cluster-set.ts";
import { planImportedPool } from "./multi-cluster/imported-pool.ts";
import { planPool } from "./pools/pool.ts";
import { planModelServing } from "./workloads/model-serving.ts";

/** Source of a connection: a pod, or an address outside the cluster. */
type Source =
  | { readonly namespace: string; readonly labels: Readonly<Record<string, string>> }
  | { readonly address: string };

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: ReadonlyArray<{ key: string; operator: string; values?: string[] }>;
}
interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string };
}
interface PolicySpec {
  readonly podSelector: Selector;
  readonly ingress: ReadonlyArray<{ from?: Peer[]; ports?: Array<{ port: number }> }>;
}

const matches = (
  { matchLabels = {}, matchExpressions = [] }: Selector,
  labels: Readonly<Record<string, string>>,
): boolean =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every(({ key, operator, values = [] }) =>
    operator === "Exists" ? key in labels : values.includes(labels[key] ?? ""),
  );

const isPeer = (peer: Peer, source: Source, own: string): boolean =>
  "address" in source
    ? peer.ipBlock?.cidr === source.address
    : peer.ipBlock === undefined &&
      (peer.namespaceSelector === undefined
        ? source.namespace === own
        : matches(peer.namespaceSelector, { "kubernetes.io/metadata.name": source.namespace })) &&
      matches(peer.podSelector ?? {}, source.labels);

/** Reports whether the NetworkPolicies of a plan permit a connection to one of its pods. */
function passes(
  plan: readonly Manifest[],
  source: Source,
  labels: Readonly<Record<string, string>>,
  port: number,
): boolean {
  const policies = plan.filter(
    ({ kind, spec }) =>
      kind === "NetworkPolicy" && matches((spec as PolicySpec).podSelector, labels),
  );
  return (
    policies.length === 0 ||
    policies.some(({ metadata, spec }) =>
      (spec as PolicySpec).ingress.some(
        ({ from, ports }) =>
          (ports === undefined || ports.some((each) => each.port === port)) &&
          (from === undefined ||
            from.some((peer) => isPeer(peer, source, metadata.namespace ?? ""))),
      ),
    )
  );
}

const podOf = (plan: readonly Manifest[], name: string): Record<string, string> => {
  const found = plan.find(({ kind, metadata }) => kind === "Deployment" && metadata.name === name);
  if (found === undefined) throw new Error(`${name} is not planned`);
  const { template } = found.spec as {
    template: { metadata: { labels: Record<string, string> } };
  };
  return template.metadata.labels;
};

const engine = {
  "fusioninfer.io/service": "svc",
  "fusioninfer.io/component-type": "worker",
  "fusioninfer.io/role-name": "worker",
};
const stranger: Source = { namespace: "other", labels: {} };
const outside: Source = { address: "203.0.113.0/24" };
const gatewayPod: Source = { namespace: "gateways", labels: { app: "envoy" } };
const scraper: Source = { namespace: "monitoring", labels: {} };
const inference = (fields: object, spec: object = {}) =>
  planInferenceService(service([worker(), router(fields)], spec));

describe("NetworkPolicy of a service's engines", () => {
  const known = {
    gateway: { type: "istio" },
    httproute: { parentRefs: [{ name: "gateway", namespace: "gateways" }] },
  };

  it("permits only the gateway and the picker, and only on the serving port", () => {
    const plan = inference(known);
    const picker = { namespace: "default", labels: podOf(plan, "svc-epp") };
    for (const source of [gatewayPod, picker]) {
      expect(passes(plan, source, engine, 8000)).toBe(true);
      expect(passes(plan, source, engine, 8265)).toBe(false);
    }
    for (const source of [stranger, outside, scraper, { namespace: "default", labels: {} }])
      for (const port of [8000, 6379, 8265]) expect(passes(plan, source, engine, port)).toBe(false);
  });

  it("permits every pod of the cluster on the serving port if the proxies' location is unknown", () => {
    const plan = inference({ httproute: known.httproute });
    expect(passes(plan, stranger, engine, 8000)).toBe(true);
    expect(passes(plan, stranger, engine, 8265)).toBe(false);
    expect(passes(plan, outside, engine, 8000)).toBe(false);
  });

  it("permits addresses outside the cluster if the gateway's proxies run there", () => {
    expect(passes(inference({ gateway: { type: "gke" } }), outside, engine, 8000)).toBe(true);
  });

  it("permits the configured gateway namespaces, scraper namespaces and networks", () => {
    const networkPolicy = {
      gatewayNamespaces: ["gateways"],
      scraperNamespaces: ["monitoring"],
      networks: [outside.address],
    };
    const plan = inference({}, { networkPolicy });
    expect(passes(plan, gatewayPod, engine, 8000)).toBe(true);
    expect(passes(plan, scraper, engine, 8000)).toBe(true);
    expect(passes(plan, outside, engine, 8000)).toBe(true);
    expect(passes(plan, stranger, engine, 8000)).toBe(false);
  });

  describe("with access", () => {
    const access = {
      jwt: {
        issuers: [
          { issuer: "https://a.example", audiences: ["llm"], jwksUrl: "https://a.example/keys" },
        ],
      },
    };
    const listeners = [{ name: "https", port: 443, protocol: "HTTPS" }];
    const envoy = {
      "app.kubernetes.io/managed-by": "envoy-gateway",
      "app.kubernetes.io/component": "proxy",
    };
    const byGateway = { "gateway.networking.k8s.io/gateway-name": "gateway" };
    it.each([
      ["istio", { gateway: { gatewayClassName: "istio", listeners } }, "default", byGateway],
      ["envoy-gateway", { gateway: { type: "envoy-gateway" } }, "envoy-gateway-system", envoy],
      [
        "envoy-gateway in its own namespace",
        { gateway: { type: "envoy-gateway" } },
        "gateways",
        envoy,
      ],
      ["agentgateway", { gateway: { type: "agentgateway" } }, "gateways", byGateway],
    ] as const)("permits only the proxies of %s and the picker", (_, fields, namespace, labels) => {
      const route = "listeners" in fields.gateway ? {} : { httproute: known.httproute };
      const plan = inference({ ...route, ...fields, access });
      const picker = podOf(plan, "svc-epp");
      const proxy = { namespace, labels };
      expect(passes(plan, proxy, engine, 8000)).toBe(true);
      expect(passes(plan, proxy, picker, 9002)).toBe(true);
      expect(passes(plan, { namespace: "default", labels: picker }, engine, 8000)).toBe(true);
      for (const source of [
        stranger,
        outside,
        scraper,
        gatewayPod,
        { namespace, labels: {} },
        { namespace: "other", labels },
      ]) {
        expect(passes(plan, source, engine, 8000)).toBe(false);
        expect(passes(plan, source, picker, 9002)).toBe(false);
      }
    });
  });

  it("permits any port between the engines of an arbitrary service", () => {
    fc.assert(
      fc.property(arbitraryService, fc.integer({ min: 1, max: 65_535 }), (input, port) => {
        const plan = planInferenceService(input);
        const pods = plan
          .filter(({ kind }) => kind === "LeaderWorkerSet")
          .flatMap(({ metadata, spec }) => {
            const { leaderWorkerTemplate: group } = spec as {
              leaderWorkerTemplate: Record<string, { metadata?: { labels?: object } }>;
            };
            return [group.leaderTemplate, group.workerTemplate].flatMap((template) =>
              template === undefined
                ? []
                : [
                    {
                      namespace: metadata.namespace ?? "",
                      labels: template.metadata?.labels ?? {},
                    },
                  ],
            );
          }) as Array<{ namespace: string; labels: Record<string, string> }>;
        for (const from of pods)
          for (const to of pods) expect(passes(plan, from, to.labels, port)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it("no NetworkPolicy is planned for engines on the host network, or if policies are disabled", () => {
    const engines = (plan: readonly Manifest[]) =>
      plan.filter(({ metadata }) => metadata.name === "svc-engines");
    const template = vllmTemplate(8);
    const onHost = { ...template, spec: { ...template.spec, hostNetwork: true } };
    expect(engines(planInferenceService(service([worker({ template: onHost })])))).toEqual([]);
    const closed = { networkPolicy: { enabled: false } };
    expect(engines(inference({}, closed))).toEqual([]);
    expect(inference({}, closed).filter(({ kind }) => kind === "NetworkPolicy")).toEqual([]);
  });

  it("the pods are the same with and without a NetworkPolicy", () => {
    const workloads = (spec: object) =>
      inference({}, spec).filter(({ kind }) => kind === "LeaderWorkerSet");
    expect(workloads({})).toEqual(workloads({ networkPolicy: { enabled: false } }));
  });
});

describe("NetworkPolicy of a service without a router", () => {
  const unrouted = (networkPolicy: object) =>
    planInferenceService(service([worker()], { networkPolicy }));

  it("permits the configured peers and the pickers of pools in the namespace", () => {
    const told = { gatewayNamespaces: ["gateways"], networks: [outside.address] };
    const picker: Source = { namespace: "default", labels: { app: "pool-epp" } };
    for (const source of [gatewayPod, outside, picker]) {
      expect(passes(unrouted(told), source, engine, 8000)).toBe(true);
      expect(passes(unrouted(told), source, engine, 8265)).toBe(false);
    }
    expect(passes(unrouted(told), stranger, engine, 8000)).toBe(false);
    expect(passes(unrouted({}), stranger, engine, 8000)).toBe(true);
    expect(passes(unrouted({}), outside, engine, 8000)).toBe(false);
  });
});

describe("NetworkPolicy of a ModelServing", () => {
  const entry = (spec: object = {}) => ({
    metadata: {},
    spec: { containers: [{ name: "vllm", image: "vllm:1" }], ...spec },
  });
  const serving = (spec: object = {}, entrySpec: object = {}) =>
    planModelServing(
      parseModelServing({
        metadata: { name: "x" },
        spec: {
          ...spec,
          replicas: 2,
          template: { roles: [{ name: "gpu", entryTemplate: entry(entrySpec) }] },
        },
      }),
    );
  const pod = { "modelserving.volcano.sh/name": "x", "modelserving.volcano.sh/role": "gpu" };
  const peer: Source = { namespace: "default", labels: pod };

  it("permits any port between its pods, and only the serving port for other pods", () => {
    const plan = serving();
    for (const port of [8000, 6379, 20_000]) expect(passes(plan, peer, pod, port)).toBe(true);
    expect(passes(plan, stranger, pod, 8000)).toBe(true);
    expect(passes(plan, stranger, pod, 6379)).toBe(false);
    expect(passes(plan, outside, pod, 8000)).toBe(false);
  });

  it("selects the pods of every serving group", () => {
    const labels = serving()
      .filter(({ kind }) => kind === "LeaderWorkerSet")
      .map(({ spec }) => {
        const { workerTemplate } = (
          spec as { leaderWorkerTemplate: { workerTemplate: { metadata: { labels: object } } } }
        ).leaderWorkerTemplate;
        return workerTemplate.metadata.labels;
      });
    expect(labels).toEqual([expect.objectContaining(pod), expect.objectContaining(pod)]);
  });

  it("permits the port of a sidecar in front of the engine", () => {
    const containers = [
      { name: "proxy", image: "p:1", ports: [{ containerPort: 8000 }] },
      {
        name: "vllm",
        image: "v:1",
        args: ["--port=8200"],
        resources: { limits: { "nvidia.com/gpu": "1" } },
      },
    ];
    const plan = serving({}, { containers });
    const open = [8000, 8200, 9000].filter((port) => passes(plan, stranger, pod, port));
    expect(open).toEqual([8000, 8200]);
  });

  it("permits the configured gateway namespaces, scraper namespaces and networks", () => {
    const networkPolicy = {
      gatewayNamespaces: ["gateways"],
      scraperNamespaces: ["monitoring"],
      networks: [outside.address],
    };
    const plan = serving({ networkPolicy });
    const picker: Source = { namespace: "default", labels: { app: "pool-epp" } };
    for (const source of [gatewayPod, scraper, outside, picker])
      expect(passes(plan, source, pod, 8000)).toBe(true);
    expect(passes(plan, stranger, pod, 8000)).toBe(false);
  });

  it("is not planned on the host network, or if policies are disabled", () => {
    const policies = (plan: readonly Manifest[]) =>
      plan.filter(({ kind }) => kind === "NetworkPolicy");
    expect(policies(serving())).toHaveLength(1);
    expect(policies(serving({}, { hostNetwork: true }))).toEqual([]);
    expect(policies(serving({ networkPolicy: { enabled: false } }))).toEqual([]);
  });
});

const metadata = { name: "x", namespace: "system" };
const controllersSpec = (fields: object) => ({
  metadata: { ...metadata, labels: {}, annotations: {} },
  spec: ControllersSpec.parse({ podPlugins: {}, ...fields }),
});

describe("NetworkPolicies of programs", () => {
  it.each<[what: string, plan: readonly Manifest[], name: string, open: number[]]>([
    ["a picker", inference({}), "svc-epp", [9002, 9003, 9090]],
    [
      "the picker of a pool",
      planPool(parseKind(inferencePoolSpecKind, { metadata, spec: { selector: { a: "b" } } })),
      "x-epp",
      [9002, 9003, 9090],
    ],
    [
      "the picker of an import",
      planImportedPool(
        parseKind(importedPoolSpecKind, {
          metadata,
          spec: { parentRefs: [{ name: "g" }], picker: {} },
        }),
      ),
      "x-import-epp",
      [9002, 9003, 9090],
    ],
    [
      "llm-d's picker of an import",
      planImportedPool(
        parseKind(importedPoolSpecKind, {
          metadata,
          spec: { parentRefs: [{ name: "g" }], gateway: { type: "llm-d-global-epp" } },
        }),
      ),
      "x-import-epp",
      [9002, 9003, 9090],
    ],
    [
      "the status controller",
      planControllers(controllersSpec({})),
      "inference-status-controller",
      [9090],
    ],
    [
      "the webhook",
      planControllers(controllersSpec({})),
      "inference-pod-plugin-webhook",
      [9443, 9090],
    ],
    [
      "the controller of a cluster set",
      planClusterSet(
        parseKind(clusterSetSpecKind, {
          metadata,
          spec: { members: [{ name: "east", kubeconfigSecret: "east" }] },
        }),
      ),
      "inference-multi-cluster-controller",
      [9090],
    ],
  ])("clients reach %s only on its ports", (_what, plan, name, open) => {
    const ports = [9002, 9003, 9090, 9443, 8080];
    expect(ports.filter((port) => passes(plan, stranger, podOf(plan, name), port)).sort()).toEqual(
      open.toSorted(),
    );
  });

  it("llm-d's picker of an import permits only the configured namespaces", () => {
    const plan = (networkPolicy: object) =>
      planImportedPool(
        parseKind(importedPoolSpecKind, {
          metadata,
          spec: {
            parentRefs: [{ name: "g" }],
            gateway: { type: "llm-d-global-epp" },
            networkPolicy,
          },
        }),
      );
    const told = plan({ gatewayNamespaces: ["gateways"], scraperNamespaces: ["monitoring"] });
    const picker = podOf(told, "x-import-epp");
    expect(passes(told, gatewayPod, picker, 9002)).toBe(true);
    expect(passes(told, gatewayPod, picker, 9090)).toBe(false);
    expect(passes(told, scraper, picker, 9090)).toBe(true);
    expect(passes(told, stranger, picker, 9002)).toBe(false);
    expect(plan({ enabled: false }).some(({ kind }) => kind === "NetworkPolicy")).toBe(false);
  });

  it("metrics are permitted only for scraper namespaces and the status controller", () => {
    const plan = inference({}, { networkPolicy: { scraperNamespaces: ["monitoring"] } });
    const picker = podOf(plan, "svc-epp");
    const controller = { namespace: "system", labels: { app: "inference-status-controller" } };
    expect(passes(plan, scraper, picker, 9090)).toBe(true);
    expect(passes(plan, controller, picker, 9090)).toBe(true);
    expect(passes(plan, stranger, picker, 9090)).toBe(false);
  });

  it.each(["generic", "istio", "gke", "envoy-gateway", "agentgateway", "ngf"])(
    "the API server can read the pages of a gated service's picker behind %s",
    (type) => {
      for (const networkPolicy of [{}, { scraperNamespaces: ["monitoring"] }]) {
        const of = (spec: object) => inference({ gateway: { type } }, { networkPolicy, ...spec });
        const gated = of({ rollout: { gate: {} } });
        expect(passes(gated, outside, podOf(gated, "svc-epp"), 9090)).toBe(true);
        expect(passes(gated, outside, podOf(gated, "svc-epp"), 9002)).toBe(type === "gke");
        const ungated = of({});
        expect(passes(ungated, outside, podOf(ungated, "svc-epp"), 9090)).toBe(false);
      }
    },
  );

  it("the webhook permits only the API server's networks if they are set", () => {
    const plan = planControllers(
      controllersSpec({ networkPolicy: { networks: [outside.address] } }),
    );
    const webhook = podOf(plan, "inference-pod-plugin-webhook");
    expect(passes(plan, outside, webhook, 9443)).toBe(true);
    expect(passes(plan, stranger, webhook, 9443)).toBe(false);
  });
});

describe("the picker of an exported pool", () => {
  const exported = (fields: object, spec: object = {}) => inference({ export: fields }, spec);
  const networks = { allowedNetworks: [outside.address] };

  it.each([
    ["serviceType", { serviceType: "LoadBalancer" }],
    ["metrics", { metrics: true }],
  ])("B1: an unrestricted %s is refused", (field, fields) => {
    const problems = (() => {
      try {
        exported(fields);
      } catch (error) {
        if (error instanceof SpecError) return error.problems.map(formatProblem);
      }
      return [];
    })();
    expect(problems).toEqual([
      expect.stringMatching(
        new RegExp(`export.${field}: .*allowed: .*allowedNetworks or clientCa`),
      ),
    ]);
    exported({ ...fields, ...networks });
    exported({ ...fields, clientCaConfigMap: "clients" });
  });

  it("B1: only the allowed networks reach the picker, and reach its metrics only if they are exported", () => {
    const plan = exported({ serviceType: "LoadBalancer", ...networks });
    const picker = podOf(plan, "svc-epp");
    const elsewhere: Source = { address: "198.51.100.0/24" };
    expect(passes(plan, outside, picker, 9002)).toBe(true);
    expect(passes(plan, outside, picker, 9090)).toBe(false);
    expect(passes(plan, elsewhere, picker, 9002)).toBe(false);
    const ports = (of: readonly Manifest[]) =>
      of
        .filter(({ kind }) => kind === "Service")
        .flatMap(({ spec }) => (spec as { ports: Array<{ port: number }> }).ports)
        .map(({ port }) => port);
    expect(ports(plan)).toEqual([9002, 9003]);
    expect(plan.find(({ kind }) => kind === "Service")?.spec).toMatchObject({
      loadBalancerSourceRanges: networks.allowedNetworks,
    });
    const withMetrics = exported({ serviceType: "LoadBalancer", metrics: true, ...networks });
    expect(ports(withMetrics)).toEqual([9002, 9003, 9090]);
    expect(passes(withMetrics, outside, picker, 9090)).toBe(true);
  });

  it("pods of this cluster reach the picker if other policies are disabled", () => {
    const plan = exported(networks, { networkPolicy: { enabled: false } });
    expect(passes(plan, stranger, podOf(plan, "svc-epp"), 9002)).toBe(true);
  });

  it("metrics require a client certificate if the export has a certificate and a client CA", () => {
    const plan = exported({ metrics: true, certificateSecret: "s", clientCaConfigMap: "c" });
    const text = JSON.stringify(plan.find(({ kind }) => kind === "Deployment"));
    expect(text).toContain('"--metrics-client-ca-file=/certificates/clients/ca.crt"');
    expect(text).toContain('"--metrics-cert-dir=/certificates/serving"');
  });

  it("gateways of other clusters reach the engines in EndpointMode", () => {
    expect(passes(exported(networks), outside, engine, 8000)).toBe(true);
    expect(passes(exported({ ...networks, mode: "ParentMode" }), outside, engine, 8000)).toBe(
      false,
    );
  });
});
