import { describe, expect, it } from "vitest";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { router, service, worker } from "../../testing/samples/sample-service.ts";
import { type PoolGatewayType, poolGatewayTypes } from "../gateways/index.ts";
import { parseKind } from "../validate/spec-kind.ts";
import { importedPoolSpecKind, inferenceRouteSpecKind } from "../validate/spec-kinds.ts";
import { planInferenceService } from "./inference-service.ts";
import { planInferenceRoute } from "./models/models.ts";
import { planImportedPool } from "./multi-cluster/imported-pool.ts";

/** Gateways whose default timeout cuts off long responses. */
const cutting = ["envoy-gateway"];
const expected = (type: string) => (cutting.includes(type) ? { request: "0s" } : undefined);

const timeoutsOf = (manifests: readonly Manifest[]) =>
  manifests
    .filter(({ kind }) => kind === "HTTPRoute")
    .flatMap(({ spec }) => (spec as { rules: Array<{ timeouts?: object }> }).rules)
    .map(({ timeouts }) => timeouts);

const metadata = { name: "x", namespace: "y" };
const parentRefs = [{ name: "gateway" }];

describe.each(poolGatewayTypes)("routes behind %s", (type: PoolGatewayType) => {
  const own = (httproute: object, gateway: object = { type }) =>
    timeoutsOf(planInferenceService(service([worker(), router({ gateway, httproute })])));
  const between = (rule: object) =>
    timeoutsOf(
      planInferenceRoute(
        parseKind(inferenceRouteSpecKind, {
          metadata,
          spec: { parentRefs, gateway: { type }, rules: [{ pools: [{ name: "p" }], ...rule }] },
        }),
      ),
    );

  it("routes of a service disable the request timeout if the gateway's default cuts off responses", () => {
    expect(own({ parentRefs })).toEqual([expected(type)]);
    expect(own({ parentRefs, rules: [{}, { filters: [] }] })).toEqual([
      expected(type),
      expected(type),
    ]);
  });

  it("explicit timeouts of routes are kept", () => {
    const timeouts = { request: "90s" };
    expect(own({ parentRefs, rules: [{ timeouts }] })).toEqual([timeouts]);
    expect(between({ timeouts })).toEqual([timeouts]);
  });

  it("routes of an InferenceRoute disable the request timeout if the gateway's default cuts off responses", () => {
    expect(between({})).toEqual([expected(type)]);
  });
});

it("the GatewayClass of a created gateway determines the timeouts", () => {
  const listeners = [{ name: "http", port: 80, protocol: "HTTP" }];
  const gateway = { gatewayClassName: "eg", listeners };
  const plan = planInferenceService(service([worker(), router({ gateway, httproute: undefined })]));
  expect(timeoutsOf(plan)).toEqual([{ request: "0s" }]);
});

it("an InferenceRoute without a gateway type has no timeouts", () => {
  const spec = { parentRefs, rules: [{ pools: [{ name: "p" }] }] };
  expect(
    timeoutsOf(planInferenceRoute(parseKind(inferenceRouteSpecKind, { metadata, spec }))),
  ).toEqual([undefined]);
});

it.each([
  [{ gateway: { type: "envoy-gateway" }, picker: {} }, [{ request: "0s" }]],
  [{ gateway: { type: "gke" } }, [undefined]],
  [{ gateway: { type: "generic" }, picker: {}, local: {} }, [undefined, undefined]],
  [{}, [undefined]],
])("the route to an imported pool with %j has timeouts %j", (fields, timeouts) => {
  const spec = { parentRefs, ...fields };
  const pool = parseKind(importedPoolSpecKind, { metadata, spec });
  expect(timeoutsOf(planImportedPool(pool))).toEqual(timeouts);
});

it("timeouts behind GKE, which rejects them, cause a warning", () => {
  const advice: string[] = [];
  const httproute = { parentRefs, rules: [{ timeouts: { request: "0s" } }] };
  planInferenceService(service([worker(), router({ gateway: { type: "gke" }, httproute })]), {
    onAdvice: ({ given }) => advice.push(given),
  });
  expect(advice).toEqual(["is set, but gke rejects routes with timeouts"]);
});
