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

describe("a model has a route", () => {
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
    ["where a route names it", "named", { model: "named", baseModel: undefined }],
    ["where a route names it as a base model", "base", { model: "base", baseModel: "base" }],
    ["with the base model of its pool", "adapter", { model: "adapter", baseModel: "base" }],
    ["with it where a rewrite is for it", "alias", { model: "alias", baseModel: "base" }],
    [
      "where an LLMService has it on a pool of any model",
      "registered",
      { model: "registered", baseModel: undefined },
    ],
  ])("%s", (_, name, expected) => {
    expect(routeModel(name, path, routes, 0)).toEqual({ ...expected, target: undefined });
  });

  it.each(["other", "lost", ""])("and %j has none", (name) => {
    expect(routeModel(name, path, routes, 0)).toBeUndefined();
  });
});

describe("a model that nobody names goes on", () => {
  const open = (rules: readonly object[], pools = [pool("a")]) =>
    routesOf({ routes: [route(rules)], pools });
  it.each([
    ["to a pool that takes any", open([{ backendRefs: to("a") }]), path, true],
    ["to one that does not exist yet", open([{ backendRefs: to("b") }]), path, true],
    ["to a Service", open([{ backendRefs: [{ name: "svc", port: 80 }] }]), path, true],
    [
      "not to a pool that takes registered ones",
      open([{ backendRefs: to("a") }], [pool("a", true)]),
      path,
      false,
    ],
    [
      "not where its weight is 0",
      open([{ backendRefs: [{ ...to("a")[0], weight: 0 }] }]),
      path,
      false,
    ],
    ["not to a rule without a backend", open([{}]), path, false],
    [
      "not where only named models do",
      open([{ matches: [byName("m")], backendRefs: to("a") }]),
      path,
      false,
    ],
    [
      "below a prefix",
      open([{ matches: [{ path: { value: "/v1" } }], backendRefs: to("a") }]),
      path,
      true,
    ],
    [
      "not beside it",
      open([{ matches: [{ path: { value: "/v1/c" } }], backendRefs: to("a") }]),
      path,
      false,
    ],
    [
      "at an exact path",
      open([{ matches: [{ path: { type: "Exact", value: path } }], backendRefs: to("a") }]),
      `${path}?a=b`,
      true,
    ],
    [
      "where a regular expression may fit",
      open([
        { matches: [{ path: { type: "RegularExpression", value: "x" } }], backendRefs: to("a") },
      ]),
      path,
      true,
    ],
    [
      "where the path is not known",
      open([{ matches: [{ path: { value: "/x" } }], backendRefs: to("a") }]),
      undefined,
      true,
    ],
  ])("%s", (_, routes, at, goesOn) => {
    expect(routeModel("m2", at, routes, 0) !== undefined).toBe(goesOn);
  });
});

describe("targets of several pools", () => {
  const split = rewrite("r", [rule(["review"], ["v1", 10], ["v2", 90])], about("a"));
  const pools = [pool("a"), pool("b")];
  const draw = (routes: ModelRoutes, chance: number) => routeModel("review", path, routes, chance);
  const review = { matches: [byName("review")], backendRefs: to("a") };
  const v2 = { matches: [byName("v2")], backendRefs: to("b") };

  it("targets of several pools are drawn before the pool, by weight", () => {
    const routes = routesOf({ routes: [route([review, v2])], pools, rewrites: [split] });
    expect(draw(routes, 0.05)).toEqual({ model: "review", baseModel: undefined, target: "v1" });
    expect(draw(routes, 0.5)).toEqual({ model: "v2", baseModel: undefined, target: "v2" });
  });

  it("targets of several pools are drawn too where an LLMService has them", () => {
    const services = [
      service("s", [model("review", { targets: targets(["v1", 10], ["v2", 90]) })], on("a")),
    ];
    const routes = routesOf({ routes: [route([review, v2])], pools, services });
    expect(draw(routes, 0.5)).toMatchObject({ model: "v2", target: "v2" });
  });

  it.each([
    ["where all are the pool's own", [review, { ...v2, backendRefs: to("a") }], [split]],
    ["where no route has them", [review], [split]],
    [
      "where the rule is for every model",
      [review, v2],
      [rewrite("r", [rule(undefined, ["v2"])], about("a"))],
    ],
    [
      "where no route leads the model to the pool",
      [{ ...review, backendRefs: to("b") }, v2],
      [split],
    ],
  ])("targets of several pools are left to the picker %s", (_, rules, rewrites) => {
    const routes = routesOf({ routes: [route(rules)], pools, rewrites });
    expect(draw(routes, 0.5)).toEqual({ model: "review", baseModel: undefined, target: undefined });
  });

  it("targets of several pools are left to the picker where the pool refuses the model", () => {
    const routes = routesOf({
      routes: [route([review, v2])],
      ...{ pools: [pool("a", true), pool("b")], rewrites: [split] },
    });
    expect(draw(routes, 0.5)?.target).toBeUndefined();
  });
});

it("an older route decides which base model a name has", () => {
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

describe("an HTTPRoute is read", () => {
  it("with the gateways that do not refuse it", () => {
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

  it("not while it is being deleted", () => {
    const metadata = { name: "r", deletionTimestamp: "2026-01-01T00:00:00Z" };
    expect(readModelRoute({ metadata, spec: {} })).toBeUndefined();
  });
});

it("ten thousand models cost a lookup no more than ten, and their table a few milliseconds", () => {
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
