import { describe, expect, it } from "vitest";
import { identityOf } from "../../kubernetes/values/manifest.ts";
import { output, router, service, worker } from "../../testing/samples/sample-service.ts";
import type { InferenceServiceInput } from "../index.ts";
import { planInferenceService } from "../plan/inference-service.ts";
import { planLLMServerPool, planPool } from "../plan/pools/pool.ts";
import { parseKind } from "../validate/spec-kind.ts";
import { inferencePoolSpecKind, llmServerPoolSpecKind } from "../validate/spec-kinds.ts";
import { poolGatewayTypes, poolSupportOf } from "./index.ts";

const listeners = [{ name: "http", port: 80, protocol: "HTTP" }];
const withGateway = (gateway: object, fields: object = {}): InferenceServiceInput =>
  service([worker(), router({ gateway, ...fields })]);
const plan = (gateway: object, fields: object = {}) =>
  planInferenceService(withGateway(gateway, fields));

const ofGateways = ["networking.istio.io", "networking.gke.io"];
const added = (manifests: ReturnType<typeof plan>) =>
  manifests.filter(({ apiVersion }) => ofGateways.some((group) => apiVersion.startsWith(group)));

describe("objects of a gateway for the pool of a service", () => {
  it("gateway.type plans the objects without a Gateway", () => {
    const manifests = plan({ type: "istio" });
    expect(manifests.filter(({ kind }) => kind === "Gateway")).toEqual([]);
    expect(added(manifests)).toEqual([
      {
        apiVersion: "networking.istio.io/v1",
        kind: "DestinationRule",
        metadata: expect.objectContaining({ name: "svc-epp", namespace: "default" }),
        spec: {
          host: "svc-epp.default.svc.cluster.local",
          trafficPolicy: {
            portLevelSettings: [
              { port: { number: 9002 }, tls: { mode: "SIMPLE", insecureSkipVerify: true } },
            ],
          },
        },
      },
    ]);
  });

  it("the objects refer to the pool's picker, which serves TLS by default", () => {
    const manifests = plan({ type: "istio" });
    const spec = (kind: string) => manifests.find((manifest) => manifest.kind === kind)?.spec;
    expect(spec("InferencePool")).toMatchObject({
      endpointPickerRef: { name: "svc-epp", port: { number: 9002 } },
    });
    expect(JSON.stringify(spec("Deployment"))).not.toContain("secure-serving");
  });

  it.each([
    ["istio", ["DestinationRule svc-epp"]],
    ["gke-l7-rilb", ["HealthCheckPolicy svc-pool", "GCPBackendPolicy svc-pool"]],
    ["nginx", []],
    ["somebody-elses", []],
  ])("the class of a planned Gateway determines the objects: %s", (gatewayClassName, objects) => {
    const manifests = plan({ gatewayClassName, listeners });
    expect(added(manifests).map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(
      objects,
    );
    const gateway = manifests.find(({ kind }) => kind === "Gateway");
    expect(gateway?.spec).toEqual({ gatewayClassName, listeners });
  });

  it("the type wins over the class, and an unknown class has no objects", () => {
    const gatewayClassName = "istio";
    expect(added(plan({ type: "generic", gatewayClassName, listeners }))).toEqual([]);
    expect(added(plan({ gatewayClassName: output(), listeners }))).toEqual([]);
  });

  it("the health check uses the target port of the model servers", () => {
    const [check] = added(plan({ type: "gke" }, { targetPort: 9999 }));
    expect(check?.spec).toMatchObject({
      targetRef: { group: "inference.networking.k8s.io", kind: "InferencePool", name: "svc-pool" },
      default: { config: { httpHealthCheck: { requestPath: "/health", port: 9999 } } },
    });
  });
});

describe("objects of a gateway for a pool", () => {
  const metadata = { name: "llama", namespace: "platform" };
  const pool = (spec: object) =>
    planPool(
      parseKind(inferencePoolSpecKind, { metadata, spec: { selector: { a: "b" }, ...spec } }),
    );

  it("pools without a service have the same objects", () => {
    expect(added(pool({ gateway: { type: "gke" } })).map(identityOf)).toEqual([
      "networking.gke.io/HealthCheckPolicy/platform/llama",
      "networking.gke.io/GCPBackendPolicy/platform/llama",
    ]);
    const spec = { modelServerSelector: { a: "b" }, gateway: { type: "istio" } };
    const shared = planLLMServerPool(parseKind(llmServerPoolSpecKind, { metadata, spec }));
    expect(added(shared).map(identityOf)).toEqual([
      "networking.istio.io/DestinationRule/platform/llama-epp",
    ]);
  });

  it("a picker of another deployment gets no objects", () => {
    const endpointPicker = { serviceRef: { name: "theirs" } };
    expect(added(pool({ gateway: { type: "istio" }, endpointPicker }))).toEqual([]);
  });
});

describe("an invalid gateway is refused", () => {
  const whole =
    'allowed: a type for an existing Gateway, such as { type: "istio" }; or a Gateway to create, such as ' +
    '{ gatewayClassName: "istio", listeners: [{ name: "http", port: 80, protocol: "HTTP" }] }. ';
  const refusal = (gateway: object) => {
    try {
      plan(gateway);
    } catch (error) {
      return (error as Error).message.split("\n").slice(1).join("\n").trim();
    }
    return "planned";
  };

  it.each([
    [{}, `roles[1].gateway: is empty; ${whole}Set one of the two, or remove \`gateway\`.`],
    [
      { type: "istio", infrastructure: { labels: { a: "b" } } },
      `roles[1].gateway: has no gatewayClassName and no listeners; ${whole}Add the missing fields, or name an existing Gateway in httproute.parentRefs.`,
    ],
    [
      { gatewayClassName: "istio", listeners: [] },
      `roles[1].gateway: has no listeners; ${whole}Add the missing fields, or name an existing Gateway in httproute.parentRefs.`,
    ],
    [
      { type: "istoi" },
      'roles[1].gateway.type: is "istoi"; allowed: generic, istio, gke, envoy-gateway, agentgateway, ngf. Did you mean istio?',
    ],
    [
      { type: "haproxy" },
      'roles[1].gateway.type: is "haproxy"; allowed: generic, istio, gke, envoy-gateway, agentgateway, ngf. Set type to one of these.',
    ],
    [
      { type: output() },
      "roles[1].gateway.type: is an Output; allowed: a plain value, because it determines which objects are created. Pass the value itself, for example from stack configuration.",
    ],
  ])("%j", (gateway, message) => {
    expect(refusal(gateway)).toBe(message);
  });
});

it("no GatewayClass belongs to two kinds of gateways", () => {
  const classes = poolGatewayTypes.flatMap((type) => poolSupportOf(type).classes);
  const covers = (pattern: string, name: string) =>
    pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
  const twice = classes.filter(
    (name) => classes.filter((pattern) => covers(pattern, name)).length > 1,
  );
  expect(twice).toEqual([]);
});
