import { describe, expect, it } from "vitest";
import { rewriteVersions } from "../../../kubernetes/kinds/inference-model-rewrite.ts";
import { router, service, vllmTemplate, worker } from "../../../testing/samples/sample-service.ts";
import { apiMatches } from "../../routing/api-paths.ts";
import { nameRefusal } from "../../routing/model-grants.ts";
import { poolAnnotations } from "../../routing/routed-pool.ts";
import { parseKind } from "../../validate/spec-kind.ts";
import {
  inferenceRouteSpecKind,
  llmServiceSpecKind,
  modelRewriteSpecKind,
  objectiveSpecKind,
} from "../../validate/spec-kinds.ts";
import { planInferenceService } from "../inference-service.ts";
import { withExtensions } from "../status-object.ts";
import { planInferenceRoute, planLLMService, planModelRewrite, planObjective } from "./models.ts";

const metadata = { name: "bots", namespace: "games" };
const meta = { name: "bots", namespace: "games" };

describe("objects for models on other users' pools", () => {
  it("planLLMService returns an LLMService with the given models", () => {
    const spec = {
      models: [{ name: "npc", objective: {}, targetModels: [{ name: "npc-v1", weight: 1 }] }],
      poolRef: [{ name: "llama", namespace: "platform" }],
    };
    expect(planLLMService(parseKind(llmServiceSpecKind, { metadata, spec }))).toEqual([
      {
        apiVersion: "inference.x-k8s.io/v1alpha1",
        kind: "LLMService",
        metadata: meta,
        spec: {
          ...spec,
          poolRef: [{ kind: "LLMServerPool", name: "llama", namespace: "platform" }],
        },
      },
    ]);
  });

  it.each(rewriteVersions)("a rewrite in %s names its targets as that version does", (version) => {
    const targets = [{ modelRewrite: "a", weight: 3 }];
    const spec = {
      poolRef: { name: "llama" },
      rules: [{ matches: [{ model: { value: "m" } }], targets }],
    };
    const [made] = planModelRewrite(parseKind(modelRewriteSpecKind, { metadata, spec }), version);
    const field = version === "inference.networking.x-k8s.io/v1alpha1" ? "split" : "targets";
    expect(made).toEqual({
      apiVersion: version,
      kind: "InferenceModelRewrite",
      metadata: meta,
      spec: {
        poolRef: { group: "inference.networking.k8s.io", kind: "InferencePool", name: "llama" },
        rules: [{ matches: [{ model: { type: "Exact", value: "m" } }], [field]: targets }],
      },
    });
  });

  it("an objective has the given priority", () => {
    const spec = { poolRef: { name: "llama" }, priority: -1 };
    const [made] = planObjective(parseKind(objectiveSpecKind, { metadata, spec }));
    expect(made).toMatchObject({
      apiVersion: "llm-d.ai/v1alpha2",
      kind: "InferenceObjective",
      spec: { priority: -1, poolRef: { kind: "InferencePool", name: "llama" } },
    });
  });
});

describe("a route", () => {
  const plan = (rule: object) =>
    planInferenceRoute(
      parseKind(inferenceRouteSpecKind, {
        metadata,
        spec: { parentRefs: [{ name: "gw" }], rules: [rule] },
      }),
    )[0]?.spec as { rules: unknown[] };

  it("has one backend per pool, with weights", () => {
    expect(
      plan({
        pools: [
          { name: "a", weight: 3 },
          { name: "b", namespace: "other", port: 8001 },
        ],
      }),
    ).toEqual({
      parentRefs: [{ name: "gw" }],
      rules: [
        {
          matches: apiMatches(),
          backendRefs: [
            { group: "inference.networking.k8s.io", kind: "InferencePool", name: "a", weight: 3 },
            {
              group: "inference.networking.k8s.io",
              kind: "InferencePool",
              name: "b",
              namespace: "other",
              port: 8001,
              weight: 1,
            },
          ],
        },
      ],
    });
  });

  it("adds a ReferenceGrant in each other namespace of its pools if referenceGrants is set", () => {
    const pools = [
      { name: "own" },
      { name: "a", namespace: "other" },
      { name: "b", namespace: "other" },
      { name: "c", namespace: "third" },
    ];
    const planned = (referenceGrants?: boolean) =>
      planInferenceRoute(
        parseKind(inferenceRouteSpecKind, {
          metadata,
          spec: { parentRefs: [{ name: "gw" }], rules: [{ pools }, { pools }], referenceGrants },
        }),
      );
    const grants = planned(true).slice(0, -1);
    const from = [
      { group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: metadata.namespace },
    ];
    const to = (name: string) => ({
      group: "inference.networking.k8s.io",
      kind: "InferencePool",
      name,
    });
    expect(grants.map(({ kind, metadata, spec }) => [kind, metadata.namespace, spec])).toEqual([
      ["ReferenceGrant", "other", { from, to: [to("a"), to("b")] }],
      ["ReferenceGrant", "third", { from, to: [to("c")] }],
    ]);
    expect(new Set(grants.map(({ metadata }) => metadata.name))).toEqual(
      new Set([`${metadata.namespace}-${metadata.name}`]),
    );
    expect(planned().map(({ kind }) => kind)).toEqual(["HTTPRoute"]);
  });

  const header = { type: "Exact", name: "X-Gateway-Model-Name", value: "m" };
  const forModel = apiMatches().map((match) => ({ ...match, headers: [header] }));
  it.each([
    ["the default matches", undefined, forModel],
    [
      "matches",
      [{ path: { value: "/v1" } }, { headers: [{ name: "x", value: "y" }] }],
      [
        { path: { value: "/v1" }, headers: [header] },
        { headers: [{ name: "x", value: "y" }, header] },
      ],
    ],
  ])("a rule with a model adds the model header to %s", (_, matches, expected) => {
    expect(plan({ model: "m", matches, pools: [{ name: "a" }] }).rules).toMatchObject([
      { matches: expected },
    ]);
  });

  it("a rule with a base model also matches the base-model header", () => {
    const headers = [header, { ...header, name: "X-Gateway-Base-Model-Name", value: "b" }];
    const matches = [{ path: { value: "/v1" } }];
    const rule = { model: "m", baseModel: "b", matches, pools: [{ name: "a" }] };
    expect(plan(rule).rules).toMatchObject([{ matches: [{ ...matches[0], headers }] }]);
  });

  it("an explicit match of every path is kept", () => {
    const matches = [{ path: { type: "PathPrefix", value: "/" } }];
    expect(plan({ matches, pools: [{ name: "a" }] }).rules).toMatchObject([{ matches }]);
  });

  const routeOf = (rules: object[]) => () =>
    parseKind(inferenceRouteSpecKind, { metadata, spec: { parentRefs: [{ name: "gw" }], rules } });
  const pools = [{ name: "a" }];

  it("a filter that replaces a prefix requires a match on a prefix", () => {
    const path = { type: "ReplacePrefixMatch", replacePrefixMatch: "/v1" };
    const filters = [{ type: "URLRewrite", urlRewrite: { path } }];
    expect(routeOf([{ pools }, { pools, filters }])).toThrow(
      "rules[1].matches: is missing, but a filter replaces a prefix",
    );
    expect(routeOf([{ pools, filters, matches: [{ path: { value: "/team" } }] }])).not.toThrow();
  });

  it("a route with more than 128 matches is refused", () => {
    const rules = (count: number) => Array.from({ length: count }, () => ({ pools }));
    expect(routeOf(rules(10))).not.toThrow();
    expect(routeOf(rules(11))).toThrow("rules: have 132 matches, 12 for each rule without");
    const chat = [{ path: { value: "/v1/chat/completions" } }];
    expect(routeOf(rules(16).map((rule) => ({ ...rule, matches: chat })))).not.toThrow();
  });
});

describe("models of an InferenceService", () => {
  const models = [{ name: "m", targetModels: [{ name: "a" }] }];
  const rewrites = [{ targets: [{ modelRewrite: "a" }] }];
  const plain = planInferenceService(service([worker(), router()]));
  const plan = planInferenceService(service([worker(), router()], { models, rewrites }), {
    rewriteVersion: "inference.networking.x-k8s.io/v1alpha2",
  });

  it("models are registered on the pool of the service, which then requires registration", () => {
    const pool = plan.find(({ kind }) => kind === "InferencePool");
    expect(pool?.metadata.annotations).toMatchObject({
      "pulumi-inference/registration": "required",
    });
    expect(plan.slice(-3, -1)).toMatchObject([
      {
        kind: "LLMService",
        metadata: { name: "svc" },
        spec: { models, poolRef: [{ kind: "InferencePool", name: "svc-pool" }] },
      },
      {
        apiVersion: "inference.networking.x-k8s.io/v1alpha2",
        kind: "InferenceModelRewrite",
        metadata: { name: "svc-rewrites" },
        spec: { poolRef: { name: "svc-pool" }, rules: rewrites },
      },
    ]);
  });

  const poolOf = (...args: Array<readonly string[]>) => {
    const roles = args.map((each, at) =>
      worker({ name: `role-${at}`, template: vllmTemplate(8, { args: [...each] }) }),
    );
    const pool = planInferenceService(service([...roles, router()])).find(
      ({ kind }) => kind === "InferencePool",
    );
    const annotations = pool?.metadata.annotations ?? {};
    return {
      group: "inference.networking.k8s.io",
      name: "svc-pool",
      namespace: "default",
      ...poolAnnotations({ ...annotations, "pulumi-inference/allowed-namespaces": "games" }),
    };
  };

  it("base-model names are reserved for the service's namespace", () => {
    const pool = poolOf(["--model", "org/m"], ["--model=x", "--served-model-name=chat"]);
    expect(pool.reservedModels).toEqual(["chat", "org/m"]);
    const refused = (model: string, namespace = "games") =>
      nameRefusal({ ...pool, modelsOf: new Map([["games", ["*"]]]) }, namespace, model);
    expect(refused("chat")).toBe("reserved");
    expect(refused("chess")).toBeUndefined();
    expect(refused("chat", "default")).toBeUndefined();
  });

  it("an unknown base-model name leaves only granted names to other namespaces", () => {
    const pool = poolOf(["--model", "org/m"], ["--model", "$(MODEL)"]);
    expect(pool.reservedModels).toBeUndefined();
    expect(nameRefusal(pool, "games", "chess")).toBe("ownership-unset");
  });

  it("models and rewrites change no object except the pool", () => {
    const others = ({ kind }: { kind: string }) =>
      !["InferencePool", "LLMService", "InferenceModelRewrite"].includes(kind);
    expect(plan.filter(others)).toEqual(plain.filter(others));
  });

  it.each([
    ["models", { models }],
    ["rewrites", { rewrites }],
  ])("%s require a router", (field, fields) => {
    expect(() => planInferenceService(service([worker()], fields))).toThrow(
      `${field}: is set, but no role is a router`,
    );
  });
});

describe("status object", () => {
  const input = service(
    [
      worker({ replicas: 2, minReplicas: 1, multinode: { nodeCount: 2, executor: "mp" } }),
      router(),
    ],
    { workload: "perRole", schedulingStrategy: { queue: "gpu" }, models: [{ name: "m" }] },
  );
  const objectOf = (statusObject: "full" | "extensions") =>
    planInferenceService(input, { statusObject }).at(-1);

  it("is an InferenceService with the spec, created last", () => {
    expect(objectOf("full")).toMatchObject({
      apiVersion: "fusioninfer.io/v1alpha1",
      kind: "InferenceService",
      metadata: { name: "svc" },
      spec: { workload: "perRole", models: [{ name: "m" }] },
    });
  });

  it("mode extensions stores the other fields in an annotation, without loss", () => {
    const object = objectOf("extensions");
    const { spec, metadata } = object as unknown as {
      spec: { roles: object[] };
      metadata: { annotations: Record<string, string> };
    };
    expect(spec.roles[0]).toMatchObject({ multinode: { nodeCount: 2 } });
    expect(JSON.stringify(spec)).not.toMatch(/minReplicas|executor|queue|workload|models/);
    const extensions = JSON.parse(metadata.annotations["pulumi-inference/extensions"] as string);
    expect(withExtensions(spec, extensions)).toEqual(objectOf("full")?.spec);
  });
});
