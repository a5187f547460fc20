import { describe, expect, it } from "vitest";
import { identityOf, type Manifest } from "../../../kubernetes/values/manifest.ts";
import { readPickerConfig } from "../../../scheduling/config/read.ts";
import { parseKind } from "../../validate/spec-kind.ts";
import { inferencePoolSpecKind, llmServerPoolSpecKind } from "../../validate/spec-kinds.ts";
import { pickerConfigIn } from "../planned.fixture.ts";
import { llmServiceRules } from "../programs/rbac-rules.ts";
import { planLLMServerPool, planPool } from "./pool.ts";

const metadata = { name: "llama", namespace: "platform", labels: { team: "ml" } };
const llmServerPool = (spec: object) =>
  planLLMServerPool(
    parseKind(llmServerPoolSpecKind, {
      metadata,
      spec: { modelServerSelector: { app: "vllm" }, ...spec },
    }),
  );
const ofKind = (plan: readonly Manifest[], kind: string) =>
  plan.filter((manifest) => manifest.kind === kind);

describe("LLMServerPool", () => {
  it.each([
    [{ kvEvents: true }, "precise-prefix-cache-producer"],
    [{ kvEvents: true, strategy: "queue-size" }, "precise-prefix-cache-producer"],
    [{ kvEvents: false }, "approx-prefix-cache-producer"],
    [{}, "approx-prefix-cache-producer"],
  ])("endpointPicker %j configures %s, also for a shared picker", (picker, producer) => {
    const own = pickerConfigIn(llmServerPool({ endpointPicker: picker }));
    const shared = { name: "shared", port: 10_001 };
    const [pool] = ofKind(
      llmServerPool({ endpointPicker: { ...picker, shared } }),
      "InferencePool",
    );
    const texts = [own, pool?.metadata.annotations?.["pulumi-inference/picker-config"]];
    for (const text of texts) expect(text).toContain(`"type": "${producer}"`);
  });

  it.each([
    [{}, undefined],
    [{ appProtocol: "kubernetes.io/h2c" }, "kubernetes.io/h2c"],
  ])("the pool of %j has the protocol %s", (spec, appProtocol) => {
    const plan = llmServerPool(spec);
    for (const kind of ["InferencePool", "LLMServerPool"])
      expect(Object.hasOwn(ofKind(plan, kind)[0]?.spec as object, "appProtocol")).toBe(
        appProtocol !== undefined,
      );
  });

  it("plans its picker, its InferencePool and an object of its own kind", () => {
    const plan = llmServerPool({});
    expect(plan.map(identityOf)).toEqual([
      "/ServiceAccount/platform/llama-epp",
      "rbac.authorization.k8s.io/Role/platform/llama-epp",
      "rbac.authorization.k8s.io/RoleBinding/platform/llama-epp",
      "rbac.authorization.k8s.io/ClusterRole//platform-llama-epp-metrics-auth",
      "rbac.authorization.k8s.io/ClusterRoleBinding//platform-llama-epp-metrics-auth",
      "apps/Deployment/platform/llama-epp",
      "/Service/platform/llama-epp",
      "networking.k8s.io/NetworkPolicy/platform/llama-epp",
      "inference.networking.k8s.io/InferencePool/platform/llama",
      "inference.x-k8s.io/LLMServerPool/platform/llama",
    ]);
    expect(plan.at(-2)).toEqual({
      apiVersion: "inference.networking.k8s.io/v1",
      kind: "InferencePool",
      metadata: {
        name: "llama",
        namespace: "platform",
        labels: { team: "ml", "pulumi-inference/pool": "llama" },
        annotations: { "pulumi-inference/registration": "required" },
      },
      spec: {
        targetPorts: [{ number: 8000 }],
        selector: { matchLabels: { app: "vllm" } },
        endpointPickerRef: { name: "llama-epp", port: { number: 9002 }, failureMode: "FailClose" },
      },
    });
    expect(plan.at(-1)).toEqual({
      apiVersion: "inference.x-k8s.io/v1alpha1",
      kind: "LLMServerPool",
      metadata: {
        name: "llama",
        namespace: "platform",
        labels: { team: "ml", "pulumi-inference/pool": "llama" },
      },
      spec: {
        modelServerSelector: { app: "vllm" },
        targetPorts: [8000],
        failureMode: "FailClose",
        allowUnregisteredModels: false,
        allowedNamespaces: [],
      },
    });
    const [deployment] = ofKind(plan, "Deployment");
    expect(deployment?.spec).toMatchObject({
      selector: { matchLabels: { app: "llama-epp", "pulumi-inference/pool": "llama" } },
      template: {
        spec: {
          containers: [
            { args: expect.arrayContaining(["--pool-name=llama", "--pool-namespace=platform"]) },
          ],
        },
      },
    });
  });

  it("allowUnregisteredModels removes the registration annotation", () => {
    const [pool] = ofKind(llmServerPool({ allowUnregisteredModels: true }), "InferencePool");
    expect(pool?.metadata.annotations).toBeUndefined();
  });

  it("the picker gets one Role in each admitted namespace, and no second one in its own", () => {
    const plan = llmServerPool({ allowedNamespaces: ["chat", "platform", "games"] });
    const [, chat, games] = ofKind(plan, "Role");
    expect([chat?.metadata, games?.metadata]).toMatchObject([
      { name: "platform-llama-epp", namespace: "chat" },
      { name: "platform-llama-epp", namespace: "games" },
    ]);
    expect(chat?.rules).toEqual(llmServiceRules);
    expect(ofKind(plan, "RoleBinding")[2]).toMatchObject({
      metadata: { name: "platform-llama-epp", namespace: "games" },
      roleRef: { kind: "Role", name: "platform-llama-epp" },
      subjects: [{ kind: "ServiceAccount", name: "llama-epp", namespace: "platform" }],
    });
    expect(ofKind(plan, "InferencePool")[0]?.metadata.annotations).toEqual({
      "pulumi-inference/registration": "required",
      "pulumi-inference/allowed-namespaces": "chat,games",
    });
  });

  it("annotations contain the granted and the reserved names", () => {
    const plan = llmServerPool({
      allowedNamespaces: ["chat", { namespace: "games", models: ["games-*"] }],
      reservedModels: ["meta-llama/*"],
    });
    expect(ofKind(plan, "InferencePool")[0]?.metadata.annotations).toMatchObject({
      "pulumi-inference/allowed-namespaces": "chat,games",
      "pulumi-inference/allowed-models": '{"games":["games-*"]}',
      "pulumi-inference/reserved-models": '["meta-llama/*"]',
    });
    expect(ofKind(plan, "Role")).toHaveLength(3);
  });

  it("serviceRef plans no picker and names the existing one", () => {
    const plan = llmServerPool({
      endpointPicker: { serviceRef: { name: "shared-epp", port: 9100 } },
      allowedNamespaces: ["chat"],
    });
    expect(plan.map(({ kind }) => kind)).toEqual(["InferencePool", "LLMServerPool"]);
    expect(plan[0]?.spec).toMatchObject({
      endpointPickerRef: { name: "shared-epp", port: { number: 9100 } },
    });
  });
});

describe("exported pool", () => {
  const plan = llmServerPool({
    export: {
      serviceType: "LoadBalancer",
      serviceAnnotations: { "cloud/internal": "true" },
      allowedNetworks: ["10.0.0.0/8"],
    },
  });

  it("has the export and its mode as annotations of the InferencePool", () => {
    expect(ofKind(plan, "InferencePool")[0]?.metadata.annotations).toEqual({
      "pulumi-inference/registration": "required",
      "inference.networking.x-k8s.io/export": "ClusterSet",
      "inference.networking.x-k8s.io/export-mode": "EndpointMode",
    });
  });

  it("permits the allowed networks to reach the picker, but not its metrics", () => {
    expect(ofKind(plan, "Service")[0]).toMatchObject({
      metadata: { annotations: { "cloud/internal": "true" } },
      spec: {
        type: "LoadBalancer",
        ports: [
          { port: 9002, appProtocol: "http2" },
          { port: 9003, appProtocol: "http2" },
        ],
      },
    });
    expect(ofKind(plan, "NetworkPolicy")[1]).toMatchObject({
      metadata: { name: "llama-epp-export" },
      spec: {
        podSelector: { matchLabels: { app: "llama-epp" } },
        ingress: [
          {
            from: [{ ipBlock: { cidr: "10.0.0.0/8" } }],
            ports: [9002, 9003].map((port) => ({ protocol: "TCP", port })),
          },
        ],
      },
    });
  });
});

it("an exported pool's picker has a serving certificate and a client CA", () => {
  const plan = llmServerPool({
    export: { certificateSecret: "epp-tls", clientCaConfigMap: "clients" },
  });
  const [{ spec }] = ofKind(plan, "Deployment") as unknown as [
    { spec: { template: { spec: { containers: Array<{ args: string[] }>; volumes: object[] } } } },
  ];
  const { template } = spec;
  expect(template.spec.containers[0]?.args.slice(-3)).toEqual([
    "--cert-path=/certificates/serving",
    "--enable-cert-reload=true",
    "--client-ca-file=/certificates/clients/ca.crt",
  ]);
  expect(template.spec.containers[0]).toMatchObject({
    volumeMounts: [
      { name: "serving-certificate", mountPath: "/certificates/serving", readOnly: true },
      { name: "client-authorities", mountPath: "/certificates/clients", readOnly: true },
    ],
  });
  expect(template.spec.volumes).toEqual([
    { name: "serving-certificate", secret: { secretName: "epp-tls" } },
    { name: "client-authorities", configMap: { name: "clients" } },
  ]);
});

it("an exported pool's picker serves with a certificate of the issuer", () => {
  const issuer = { name: "pickers", kind: "ClusterIssuer", dnsNames: ["a.pickers.example"] };
  const plan = llmServerPool({ export: { certificateIssuer: issuer } });
  const [made] = ofKind(plan, "Certificate");
  const picker = `${plan.find(({ kind }) => kind === "Deployment")?.metadata.name}`;
  const secretName = `${picker}-serving`;
  expect(made?.metadata.name).toBe(secretName);
  expect(made?.spec).toEqual({
    secretName,
    dnsNames: [`${picker}.${made?.metadata.namespace}.svc`, "a.pickers.example"],
    usages: ["digital signature", "key encipherment", "server auth"],
    privateKey: { rotationPolicy: "Always" },
    issuerRef: { name: "pickers", kind: "ClusterIssuer", group: "cert-manager.io" },
  });
  expect(plan.filter((each) => each !== made)).toEqual(
    llmServerPool({ export: { certificateSecret: secretName } }),
  );
  expect(() =>
    llmServerPool({ export: { certificateSecret: "s", certificateIssuer: issuer } }),
  ).toThrow(
    "export.certificateIssuer: is set together with certificateSecret; allowed: one of them",
  );
});

const defaultConfig = "{apiVersion: llm-d.ai/v1alpha1, kind: EndpointPickerConfig}";

describe("flow control", () => {
  const configOf = (spec: object) => pickerConfigIn(llmServerPool(spec)) as string;
  it("is planned by default and can be disabled", () => {
    const plain = configOf({});
    expect(plain).toContain("flowControl");
    expect(configOf({ flowControl: {} })).toBe(plain);
    expect(configOf({ flowControl: { enabled: false } })).not.toContain("flowControl");
  });

  it("requests wait 30 s by default", () => {
    const wait = (flowControl: object) =>
      JSON.parse(configOf({ flowControl })).flowControl.defaultRequestTTL;
    expect(wait({})).toBe("30s");
    expect(wait({ requestTimeoutSeconds: 20 })).toBe("20s");
  });

  it.each([
    ["istio", "300s"],
    ["agentgateway", "300s"],
    ["envoy-gateway", "299s"],
    ["ngf", "59s"],
  ])("the default wait for the first model server behind %s is %s", (type, expected) => {
    const wait = (flowControl: object) =>
      JSON.parse(configOf({ gateway: { type }, flowControl })).flowControl.noEndpointRequestTTL;
    expect(wait({})).toBe(expected);
    expect(wait({ noServerTimeoutSeconds: 600 })).toBe("600s");
  });

  it("the default wait for a model server in an exported pool is one second", () => {
    const wait = (flowControl: object) =>
      JSON.parse(configOf({ export: {}, flowControl })).flowControl.noEndpointRequestTTL;
    expect(wait({})).toBe("1s");
    expect(wait({ noServerTimeoutSeconds: 60 })).toBe("60s");
  });

  it("unparsedBodies of the pool becomes a flag or an annotation", () => {
    const plan = (endpointPicker: object) => JSON.stringify(llmServerPool({ endpointPicker }));
    expect(plan({ unparsedBodies: "allow" })).toContain('"--unparsed-bodies=allow"');
    expect(plan({})).not.toContain("unparsed-bodies");
    const shared = { shared: { name: "shared", port: 10_001 } };
    expect(plan({ ...shared, unparsedBodies: "allow" })).toContain(
      '"pulumi-inference/unparsed-bodies":"allow"',
    );
  });

  it("fairness.byTenantHeader becomes the flag --tenant-header", () => {
    const args = (fairness: object) => JSON.stringify(llmServerPool({ fairness }));
    expect(args({ byTenantHeader: "X-Tenant" })).toContain('"--tenant-header=X-Tenant"');
    expect(args({})).not.toContain("--tenant-header");
  });

  it("the defaults are limits for chat, weighted services and objectives first", () => {
    expect(JSON.parse(configOf({}))).toMatchObject({
      featureGates: ["flowControl"],
      flowControl: {
        defaultRequestTTL: "30s",
        noEndpointRequestTTL: "300s",
        usageLimitPolicyPluginRef: "slot-reserve-policy",
        defaultPriorityBand: {
          maxRequests: "2000",
          maxBytes: "256Mi",
          fairnessPolicyRef: "weighted-fairness-policy",
          orderingPolicyRef: "slo-deadline-ordering-policy",
        },
      },
    });
  });

  it.each([
    [{ weights: { "a/b": 3 } }, { "a/b": 3 }, "strict"],
    [{ order: "fairness-first" }, {}, "weighted"],
    [{ policy: "round-robin" }, undefined, "strict"],
    [{ policy: "first-come" }, undefined, "strict"],
  ])(
    "the picker can load the planned configuration for fairness %j",
    (fairness, weights, bandPolicy) => {
      const { config, problems } = readPickerConfig(configOf({ fairness }));
      expect(problems).toEqual([]);
      expect(config?.flowControl).toMatchObject({
        bandPolicy,
        maxRequests: Number.POSITIVE_INFINITY,
        requestTtl: 30_000,
        noEndpointTtl: 300_000,
        defaultBand: { maxRequests: 2_000, maxBytes: 256 * 2 ** 20 },
      });
      const fair = config?.flowControl?.defaultBand.fairness;
      expect((fair?.parameters as { weights?: object } | undefined)?.weights).toEqual(weights);
    },
  );

  it.each([
    [
      { fairness: {}, flowControl: { enabled: false } },
      "Remove flowControl.enabled, or remove fairness.",
    ],
    [
      { flowControl: {}, endpointPicker: { endpointPickerConfig: defaultConfig } },
      "is set together with endpointPicker.endpointPickerConfig",
    ],
    [
      { fairness: {}, endpointPicker: { serviceRef: { name: "theirs" } } },
      "is set together with endpointPicker.serviceRef",
    ],
    [{ fairness: { weights: { "a/b": 0 } } }, "weights"],
    [{ flowControl: { maxBytes: "much" } }, "a quantity such as 256Mi"],
  ])("a pool with %j is refused", (spec, message) => {
    expect(() => llmServerPool(spec)).toThrow(message);
  });
});

describe("InferencePool component", () => {
  it("plans a picker and a pool that accepts any model", () => {
    const plan = planPool(
      parseKind(inferencePoolSpecKind, {
        metadata,
        spec: { selector: { app: "qwen" }, targetPorts: [8080, 8081], failureMode: "FailOpen" },
      }),
      { runtimeImage: "epp:1" },
    );
    expect(plan.map(({ kind }) => kind)).toEqual([
      "ServiceAccount",
      "Role",
      "RoleBinding",
      "ClusterRole",
      "ClusterRoleBinding",
      "Deployment",
      "Service",
      "NetworkPolicy",
      "InferencePool",
    ]);
    expect(plan.at(-1)?.metadata.annotations).toBeUndefined();
    expect(plan.at(-1)?.spec).toEqual({
      targetPorts: [{ number: 8080 }, { number: 8081 }],
      selector: { matchLabels: { app: "qwen" } },
      endpointPickerRef: { name: "llama-epp", port: { number: 9002 }, failureMode: "FailOpen" },
    });
  });
});
