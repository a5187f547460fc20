import { describe, expect, it } from "vitest";
import { type ModelRoutes, modelRoutes, routeModel } from "./model-routes.ts";
import { aged, model, rewrite, routedPool, rule, service, targets } from "./objects.fixture.ts";
import { type ModelRouteObject, readModelRoute } from "./read-model-route.ts";

const header = (name: string, value: string) => ({ headers: [{ name, value }] });
const byName = (value: string) => header("X-Gateway-Model-Name", value);
const byBase = (value: string) => header("x-gateway-base-model-name", value);
const to = (...pools: readonly string[]) =>
  pools.map((name) => ({ group: "inference.networking.k8s.io", kind: "InferencePool", name }));

const route = (
  rules: readonly object[],
  {
    metadata = {},
    ...rest
  }: { readonly metadata?: object; readonly [field: string]: unknown } = {},
): ModelRouteObject =>
  readModelRoute({
    metadata: { name: "route", ...metadata },
    spec: { parentRefs: [{ name: "gateway" }], rules },
    ...rest,
  }) as ModelRouteObject;

const pool = (name: string, registrationRequired = false) =>
  routedPool({ name, registrationRequired });
const on = (...pools: readonly string[]) => ({
  pools: pools.map((name) => ({ namespace: "default", name })),
});
const about = (name: string) => ({
  poolRef: { group: "inference.networking.k8s.io", kind: "InferencePool", name },
});

const routesOf = (objects: Partial<Parameters<typeof modelRoutes>[0]>): ModelRoutes =>
  modelRoutes({ routes: [], pools: [], services: [], rewrites: [], ...objects });

const path = "/v1/chat/completions";

describe("route of a model", () => {
  const routes = routesOf({
    routes: [
      route([
        { matches: [byName("named")], backendRefs: to("a") },
        { matches: [byBase("base")], backendRefs: to("b") },
        { backendRefs: to("closed") },
      ]),
    ],
    pools: [pool("a"), pool("b"), pool("closed", true), pool("unrouted")],
    services: [
      service("s", [model("registered")], on("closed")),
      service("t", [model("adapter")], on("b")),
      service("u", [model("lost")], on("unrouted")),
    ],
    rewrites: [rewrite("r", [rule(["alias"], ["adapter"])], about("b"))],
  });
  it.each([
    ["a route names the model", "named", { model: "named", baseModel: undefined }],
    ["a route names the model as a base model", "base", { model: "base", baseModel: "base" }],
    [
      "an adapter has the base model of its pool",
      "adapter",
      { model: "adapter", baseModel: "base" },
    ],
    [
      "a rewritten name has the base model of its pool",
      "alias",
      { model: "alias", baseModel: "base" },
    ],
    [
      "an LLMService registers the model on a routed pool",
      "registered",
      { model: "registered", baseModel: undefined },
    ],
  ])("%s", (_, name, expected) => {
    expect(routeModel(name, path, routes, 0)).toEqual({ ...expected, target: undefined });
  });

  it.each(["other", "lost", ""])("model %j has no route", (name) => {
    expect(routeModel(name, path, routes, 0)).toBeUndefined();
  });
});

describe("route of an unnamed model", () => {
  const open = (rules: readonly object[], pools = [pool("a")]) =>
    routesOf({ routes: [route(rules)], pools });
  it.each([
    ["exists for a pool that accepts any model", open([{ backendRefs: to("a") }]), path, true],
    ["exists for a pool that does not exist yet", open([{ backendRefs: to("b") }]), path, true],
    ["exists for a Service", open([{ backendRefs: [{ name: "svc", port: 80 }] }]), path, true],
    [
      "does not exist for a pool that requires registration",
      open([{ backendRefs: to("a") }], [pool("a", true)]),
      path,
      false,
    ],
    [
      "does not exist for a backend with weight 0",
      open([{ backendRefs: [{ ...to("a")[0], weight: 0 }] }]),
      path,
      false,
    ],
    ["does not exist for a rule without a backend", open([{}]), path, false],
    [
      "does not exist if the rule matches named models only",
      open([{ matches: [byName("m")], backendRefs: to("a") }]),
      path,
      false,
    ],
    [
      "exists for a path below the prefix",
      open([{ matches: [{ path: { value: "/v1" } }], backendRefs: to("a") }]),
      path,
      true,
    ],
    [
      "does not exist for a path outside the prefix",
      open([{ matches: [{ path: { value: "/v1/c" } }], backendRefs: to("a") }]),
      path,
      false,
    ],
    [
      "exists for an exact path",
      open([{ matches: [{ path: { type: "Exact", value: path } }], backendRefs: to("a") }]),
      `${path}?a=b`,
      true,
    ],
    [
      "exists if the path may match a regular expression",
      open([
        { matches: [{ path: { type: "RegularExpression", value: "x" } }], backendRefs: to("a") },
      ]),
      path,
      true,
    ],
    [
      "exists if the path is unknown",
      open([{ matches: [{ path: { value: "/x" } }], backendRefs: to("a") }]),
      undefined,
      true,
    ],
  ])("%s", (_, routes, at, goesOn) => {
    expect(routeModel("m2", at, routes, 0) !== undefined).toBe(goesOn);
  });
});

describe("targets on several pools", () => {
  const split = rewrite("r", [rule(["review"], ["v1", 10], ["v2", 90])], about("a"));
  const pools = [pool("a"), pool("b")];
  const draw = (routes: ModelRoutes, chance: number) => routeModel("review", path, routes, chance);
  const review = { matches: [byName("review")], backendRefs: to("a") };
  const v2 = { matches: [byName("v2")], backendRefs: to("b") };

  it("targets on several pools are drawn by weight before the pool is chosen", () => {
    const routes = routesOf({ routes: [route([review, v2])], pools, rewrites: [split] });
    expect(draw(routes, 0.05)).toEqual({ model: "review", baseModel: undefined, target: "v1" });
    expect(draw(routes, 0.5)).toEqual({ model: "v2", baseModel: undefined, target: "v2" });
  });

  it("targets on several pools are also drawn for an LLMService", () => {
    const services = [
      service("s", [model("review", { targets: targets(["v1", 10], ["v2", 90]) })], on("a")),
    ];
    const routes = routesOf({ routes: [route([review, v2])], pools, services });
    expect(draw(routes, 0.5)).toMatchObject({ model: "v2", target: "v2" });
  });

  it.each([
    ["if all targets are on the same pool", [review, { ...v2, backendRefs: to("a") }], [split]],
    ["if no route names the targets", [review], [split]],
    [
      "if the rule applies to every model",
      [review, v2],
      [rewrite("r", [rule(undefined, ["v2"])], about("a"))],
    ],
    ["if no route sends the model to the pool", [{ ...review, backendRefs: to("b") }, v2], [split]],
  ])("the picker draws the target %s", (_, rules, rewrites) => {
    const routes = routesOf({ routes: [route(rules)], pools, rewrites });
    expect(draw(routes, 0.5)).toEqual({ model: "review", baseModel: undefined, target: undefined });
  });

  it("the picker draws the target if the pool refuses the model", () => {
    const routes = routesOf({
      routes: [route([review, v2])],
      ...{ pools: [pool("a", true), pool("b")], rewrites: [split] },
    });
    expect(draw(routes, 0.5)?.target).toBeUndefined();
  });
});

it("the older of two routes decides the base model of a name", () => {
  const routes = (first: number, second: number) =>
    routesOf({
      routes: [
        route([{ matches: [byBase("x")], backendRefs: to("a") }], {
          metadata: { name: "r1", ...aged(first) },
        }),
        route([{ matches: [byBase("y")], backendRefs: to("b") }], {
          metadata: { name: "r2", ...aged(second) },
        }),
      ],
      pools: [pool("a"), pool("b")],
      services: [service("s", [model("m")], on("a", "b"))],
    });
  expect(routeModel("m", path, routes(1, 2), 0)?.baseModel).toBe("x");
  expect(routeModel("m", path, routes(2, 1), 0)?.baseModel).toBe("y");
});

describe("readModelRoute", () => {
  it("omits gateways that refuse the route", () => {
    const parent = (name: string, status: string) => ({
      parentRef: { name },
      conditions: [{ type: "Accepted", status }],
    });
    const object = {
      metadata: { name: "r", namespace: "ns" },
      spec: {
        parentRefs: [
          ...[
            { name: "new" },
            { name: "yes" },
            { name: "no" },
            { name: "far", namespace: "infra" },
          ],
          { name: "mesh", group: "", kind: "Service" },
        ],
      },
      status: { parents: [parent("yes", "True"), parent("no", "False")] },
    };
    expect(readModelRoute(object)?.gateways).toEqual([
      { namespace: "ns", name: "new" },
      { namespace: "ns", name: "yes" },
      { namespace: "infra", name: "far" },
    ]);
  });

  it("returns undefined for a route that is being deleted", () => {
    const metadata = { name: "r", deletionTimestamp: "2026-01-01T00:00:00Z" };
    expect(readModelRoute({ metadata, spec: {} })).toBeUndefined();
  });
});

it("a table of 10,000 models finds registered models and no others", () => {
  const tableOf = (count: number) =>
    routesOf({
      routes: [route([{ matches: [byBase("base")], backendRefs: to("a") }])],
      pools: [pool("a", true)],
      services: Array.from({ length: count }, (_, at) =>
        service(`s${at}`, [model(`m${at}`)], on("a")),
      ),
    });
  const [small, large] = [tableOf(10), tableOf(10_000)];
  expect(large.byModel.size).toBe(10_001);
  expect(routeModel("m9999", path, large, 0)).toEqual({
    ...{ model: "m9999", baseModel: "base", target: undefined },
  });
  expect(routeModel("m10", path, small, 0)).toBeUndefined();
});
