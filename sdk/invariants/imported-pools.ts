import type { Invariant } from "./invariant.ts";
import type { Written } from "./written.ts";

const proposal = "Multi-Cluster Inference proposal";

interface Gateway {
  readonly type?: unknown;
  readonly acceptsImports?: unknown;
}

const gatewayOf = ({ spec }: Written): Gateway => (spec.gateway ?? {}) as Gateway;

const mixedRulesNeedAGateway: Invariant<Written> = {
  id: "weighted-imports-need-a-gateway",
  title: "A rule over a pool and an import is only for a gateway that can serve it",
  why: "Any other answers the import's share of the requests with 500, or refuses the whole rule.",
  source: `${proposal}: 'traffic MUST be split equally'; Gateway API: an invalid backendRef gets 500`,
  code: "conflict",
  *check(written) {
    const { type = "generic", acceptsImports = false } = gatewayOf(written);
    if (type !== "generic" || acceptsImports || written.spec.local === undefined) return;
    if (written.spec.parents !== undefined) return;
    yield {
      path: ["local"],
      given: "is set, and the gateway is not said to take imports",
      allowed:
        "a gateway with acceptsImports, or `parents` that it can reach as backends of its own",
      fix: "Set gateway.acceptsImports where that is so, or name the exporting clusters' gateways in `parents`.",
    };
  },
};

const agentgatewayNeedsParents: Invariant<Written> = {
  id: "agentgateway-routes-by-parents",
  title: "agentgateway reaches other clusters by their gateways",
  why: "It refuses an InferencePoolImport as a backend, so that every request for it would be answered with 500.",
  source: "agentgateway, 2026-08: unsupported backendRef, reason InvalidKind",
  code: "reference",
  *check(written) {
    if (gatewayOf(written).type !== "agentgateway" || written.spec.parents !== undefined) return;
    yield {
      path: ["parents"],
      given: "is missing",
      allowed: "at least one gateway of an exporting cluster",
      fix: "Export the pool in ParentMode and name the gateways, or choose another gateway.type.",
    };
  },
};

const parentsAreOfAgentgateway: Invariant<Written> = {
  id: "parents-have-a-backend-kind",
  title: "Gateways of other clusters are backends of a kind that the gateway has",
  why: "HTTPRoute has no standard kind of backend for a host of another cluster.",
  source: "Gateway API, HTTPBackendRef",
  code: "conflict",
  *check(written) {
    if (written.spec.parents === undefined || gatewayOf(written).type === "agentgateway") return;
    yield {
      path: ["parents"],
      given: `is set for a gateway of type ${String(gatewayOf(written).type ?? "generic")}`,
      allowed: "gateway.type agentgateway",
      fix: "Set gateway.type, or leave `parents` out.",
    };
  },
};

const somethingIsSent: Invariant<Written> = {
  id: "import-route-leads-somewhere",
  title: "Some backend of a route has a weight",
  why: "With every weight 0 all requests are answered with 500.",
  source: "Gateway API, HTTPRouteRule backendRefs",
  code: "count",
  *check({ spec }) {
    const parents = Array.isArray(spec.parents)
      ? (spec.parents as Array<{ weight?: unknown }>)
      : [];
    const weights = [
      ...(spec.local === undefined ? [] : [(spec.local as { weight?: unknown }).weight ?? 1]),
      ...(spec.parents === undefined
        ? [spec.weight ?? 1]
        : parents.map(({ weight }) => weight ?? 1)),
    ];
    if (weights.some((weight) => weight !== 0)) return;
    yield {
      path: ["weight"],
      given: "is 0, as every other weight is",
      allowed: "at least one weight above 0",
      fix: "Give the import, a parent or `local` a weight.",
    };
  },
};

const parentsDiffer: Invariant<Written> = {
  id: "parents-name-clusters-once",
  title: "A cluster is named once among the parents",
  why: "The backend of each is named after its cluster.",
  source: proposal,
  code: "conflict",
  *check({ spec }) {
    const parents = Array.isArray(spec.parents)
      ? (spec.parents as Array<{ cluster?: unknown }>)
      : [];
    const names = parents.map((parent) => parent?.cluster);
    for (const [at, name] of names.entries()) {
      const first = names.indexOf(name);
      if (first === at || name === undefined) continue;
      yield {
        path: ["parents", at, "cluster"],
        given: `is ${JSON.stringify(name)}, the cluster of parents[${first}]`,
        allowed: "each cluster once",
        fix: "Remove one of them.",
      };
    }
  },
};

export const importedPoolRules: ReadonlyArray<Invariant<Written>> = [
  mixedRulesNeedAGateway,
  agentgatewayNeedsParents,
  parentsAreOfAgentgateway,
  somethingIsSent,
  parentsDiffer,
];
