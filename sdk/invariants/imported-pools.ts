import type { Path } from "../errors.ts";
import type { ImportSupport } from "../gateways/gateway.ts";
import {
  gateways,
  importGatewaysWith,
  importGatewayTypes,
  importSupportOf,
} from "../gateways/index.ts";
import type { Invariant } from "../invariant.ts";
import { importPickerRules } from "./import-pickers.ts";
import { parentsAgentWritesAlone } from "./parents-agent.ts";
import type { RawSpec } from "./raw-spec.ts";
import { importReplacesANamedPrefix } from "./route-matches.ts";

const proposal = "Multi-Cluster Inference proposal";

interface Gateway {
  readonly type?: unknown;
  readonly acceptsImports?: unknown;
}

const gatewayOf = ({ spec }: RawSpec): Gateway => (spec.gateway ?? {}) as Gateway;
const typeOf = (written: RawSpec): string => String(gatewayOf(written).type ?? "generic");
/** Undefined for a type that the schema refuses: no more is said about it. */
const supportOf = (written: RawSpec): ImportSupport | undefined => {
  const type = importGatewayTypes.find((known) => known === typeOf(written));
  return type && importSupportOf(type);
};

const parentsOf = ({ spec }: RawSpec): ReadonlyArray<Record<string, unknown>> =>
  Array.isArray(spec.parents) ? (spec.parents as Array<Record<string, unknown>>) : [];

const mixedRulesNeedAGateway: Invariant<RawSpec> = {
  id: "weighted-imports-need-a-gateway",
  title: "A rule over a pool and an import is only for a gateway that can serve it",
  why: "Any other answers the import's share of the requests with 500, or refuses the whole rule.",
  source: `${proposal}: 'traffic MUST be split equally'; Gateway API: an invalid backendRef gets 500`,
  code: "conflict",
  *check(written) {
    const backend = supportOf(written)?.backend;
    if (backend === undefined || written.spec.local === undefined) return;
    if (written.spec.picker !== undefined) return;
    const isAccepted = gatewayOf(written).acceptsImports === true;
    if (backend.besidePool === "always" || (backend.besidePool === "if-accepted" && isAccepted))
      return;
    if (written.spec.parents !== undefined || written.spec.parentsAgent !== undefined) return;
    yield {
      path: ["local"],
      given: "is set, and the gateway is not said to take imports",
      allowed:
        backend.besidePool === "never"
          ? `no \`local\` with gateway.type ${typeOf(written)}: its import holds the pools of every cluster`
          : "a `picker`, a gateway with acceptsImports, or `parents` that it can reach as backends of its own",
      fix:
        backend.besidePool === "never"
          ? "Remove `local`."
          : "Give the import a `picker`, set gateway.acceptsImports where that is so, or name the exporting clusters' gateways in `parents`.",
    };
  },
};

const importsOnlyWhereTaken: Invariant<RawSpec> = {
  id: "gateways-without-imports-route-by-parents",
  title: "A gateway that takes no import reaches other clusters by a picker or by their gateways",
  why: "It refuses an InferencePoolImport as a backend, so that every request for it would be answered with 500.",
  source: gateways.agentgateway.imports.source,
  code: "reference",
  *check(written) {
    const support = supportOf(written);
    if (support === undefined || support.backend !== undefined) return;
    const { parents, parentsAgent, picker } = written.spec;
    if (parents !== undefined || parentsAgent !== undefined || picker !== undefined) return;
    if (support.parents === undefined)
      yield {
        path: ["picker"],
        given: "is missing",
        allowed: `a picker for the import with gateway.type ${typeOf(written)}`,
        fix: "Write `picker: {}`, or choose another gateway.type.",
      };
    else
      yield {
        path: ["parents"],
        given: "is missing",
        allowed: "at least one gateway of an exporting cluster",
        fix: "Export the pool in ParentMode and name the gateways, or have them named by a `parentsAgent`; or choose another gateway.type.",
      };
  },
};

const parentsHaveAKind: Invariant<RawSpec> = {
  id: "parents-have-a-backend-kind",
  title: "Gateways of other clusters are backends of a kind that the gateway has",
  why: "HTTPRoute has no standard kind of backend for a host of another cluster.",
  source: "Gateway API, HTTPBackendRef",
  code: "conflict",
  *check(written) {
    const support = supportOf(written);
    if (support === undefined || support.parents !== undefined) return;
    const field = ["parents", "parentsAgent"].find((each) => written.spec[each] !== undefined);
    if (field === undefined) return;
    yield {
      path: [field],
      given: `is set for a gateway of type ${typeOf(written)}`,
      allowed: `gateway.type ${importGatewaysWith(({ parents }) => parents !== undefined)}`,
      fix: `Set gateway.type, or leave \`${field}\` out.`,
    };
  },
};

const parentsAloneWhereTheyMustBe: Invariant<RawSpec> = {
  id: "parents-share-a-rule-where-the-gateway-can",
  title: "A rule over a pool and other clusters' gateways is only for a gateway that can serve it",
  why: "Another one makes the whole rule invalid, the pool's share included.",
  source: gateways.ngf.imports.source,
  code: "conflict",
  *check(written) {
    const { parents, parentsAgent, local } = written.spec;
    if ((parents ?? parentsAgent) === undefined || local === undefined) return;
    if (supportOf(written)?.parents?.besidePool !== false) return;
    yield {
      path: ["local"],
      given: `is set beside \`parents\` of a gateway of type ${typeOf(written)}`,
      allowed: `one of them, or gateway.type ${importGatewaysWith(({ parents }) => parents?.besidePool === true)}`,
      fix: "Remove `local`, and route to the pool here by an InferenceRoute of its own.",
    };
  },
};

const parentsAreVerifiedByWhatIsRead: Invariant<RawSpec> = {
  id: "parent-ca-is-where-the-gateway-reads-it",
  title: "The CA of another cluster's gateway is where the gateway here reads it",
  why: "A gateway that finds no CA refuses the connection, or does not verify it.",
  source: "BackendTLSPolicy: caCertificateRefs; Istio DestinationRule: credentialName",
  code: "reference",
  *check(written) {
    const ca = supportOf(written)?.parents?.ca;
    if (ca === undefined) return;
    const { tls: ofAgent } = (written.spec.parentsAgent ?? {}) as { tls?: unknown };
    const all: ReadonlyArray<readonly [path: Path, tls: unknown]> = [
      ...parentsOf(written).map(({ tls }, at) => [["parents", at, "tls"], tls] as const),
      [["parentsAgent", "tls"], ofAgent],
    ];
    for (const [path, tls] of all) {
      if (tls === null || typeof tls !== "object") continue;
      const given = ["caConfigMap", "caSecret"].filter((key) => Object.hasOwn(tls, key));
      if (given.length === 1 && given[0] === ca) continue;
      yield {
        path,
        given: given.length === 0 ? "names no CA" : `has ${given.join(" and ")}`,
        allowed: `${ca} for gateway.type ${typeOf(written)}`,
        fix: `Give ${ca} and nothing else to verify by.`,
      };
    }
  },
};

const resolvableHosts: Invariant<RawSpec> = {
  id: "ngf-parents-have-names",
  title: "NGINX Gateway Fabric reaches other gateways by name",
  why: "Its backend is a Service of type ExternalName, which names a host and cannot name an address.",
  source: "Kubernetes Service: externalName",
  code: "name",
  *check(written) {
    if (supportOf(written)?.parents?.needsHostName !== true) return;
    for (const [at, { host }] of parentsOf(written).entries()) {
      if (typeof host !== "string" || !/^[\d.]+$|:/.test(host)) continue;
      yield {
        path: ["parents", at, "host"],
        given: `is ${JSON.stringify(host)}, an address`,
        allowed: "a DNS name",
        fix: "Give the gateway a name in DNS, and write it here.",
      };
    }
  },
};

const saidOnlyWhereAsked: Invariant<RawSpec> = {
  id: "accepts-imports-is-for-generic-gateways",
  title: "Whether imports share rules is said of gateways that are not known",
  why: "Of the others it is known, and what is said would not be heeded.",
  source: proposal,
  code: "conflict",
  *check(written) {
    if (gatewayOf(written).acceptsImports !== true) return;
    const support = supportOf(written);
    if (support === undefined || support.backend?.besidePool === "if-accepted") return;
    yield {
      path: ["gateway", "acceptsImports"],
      given: `is true of a gateway of type ${typeOf(written)}`,
      allowed: "gateway.type generic",
      fix: "Remove it, or set gateway.type generic.",
    };
  },
};

const importTlsHasATarget: Invariant<RawSpec> = {
  id: "import-tls-has-an-import",
  title: "A policy on an import is for routes that lead to the import",
  why: "A route over other clusters' gateways has no import that the policy would hold for.",
  source: "Gateway API, BackendTLSPolicy targetRefs",
  code: "conflict",
  *check(written) {
    if (written.spec.tls === undefined || written.spec.parents === undefined) return;
    yield {
      path: ["tls"],
      given: "is set beside `parents`",
      allowed: "`tls` of each parent",
      fix: "Move it to the parents.",
    };
  },
};

const pickersChooseFreely: Invariant<RawSpec> = {
  id: "import-picker-fits-the-gateway",
  title: "A picker for an import is for gateways that send requests wherever a picker says",
  why: "Others send them to pods of the pool in their own cluster only, and the pool of the import has none.",
  source: `${proposal}: 'the importing IG ... calls the remote EPP'; docs/gateways.md`,
  code: "conflict",
  *check(written) {
    const support = supportOf(written);
    if (written.spec.picker === undefined || support === undefined) return;
    if (support.picked === undefined)
      yield {
        path: ["picker"],
        given: `is set for a gateway of type ${typeOf(written)}`,
        allowed: `gateway.type ${importGatewaysWith(({ picked }) => picked !== undefined)}`,
        fix: "Remove it, or set another gateway.type.",
      };
    else if (support.picked === "alone" && written.spec.local !== undefined)
      yield {
        path: ["local"],
        given: `is set beside \`picker\` for a gateway of type ${typeOf(written)}`,
        allowed: `one pool a rule, or gateway.type ${importGatewaysWith(({ picked }) => picked === "beside-pool")}`,
        fix: "Remove `local`, and give this cluster to the import (importIntoExporters of its ClusterSet).",
      };
    if (support.picked !== undefined && written.spec.parents !== undefined)
      yield {
        path: ["picker"],
        given: "is set beside `parents`",
        allowed: "one of them",
        fix: "Remove one: the picker knows the gateways of clusters in ParentMode from the import.",
      };
  },
};

const globalPickersHaveTheirType: Invariant<RawSpec> = {
  id: "global-picker-has-its-gateway-type",
  title: "Settings of llm-d's global picker are for gateways that ask it",
  why: "No other type makes one.",
  source: gateways["llm-d-global-epp"].imports.source,
  code: "conflict",
  *check(written) {
    if (written.spec.globalPicker === undefined || typeOf(written) === "llm-d-global-epp") return;
    yield {
      path: ["globalPicker"],
      given: `is set for a gateway of type ${typeOf(written)}`,
      allowed: "gateway.type llm-d-global-epp",
      fix: "Set it, or remove globalPicker.",
    };
  },
};

const somethingIsSent: Invariant<RawSpec> = {
  id: "import-route-has-a-weight",
  title: "Some backend of a route has a weight",
  why: "With every weight 0 all requests are answered with 500.",
  source: "Gateway API, HTTPRouteRule backendRefs",
  code: "count",
  *check(written) {
    const { spec } = written;
    const weights = [
      ...(spec.local === undefined ? [] : [(spec.local as { weight?: unknown }).weight ?? 1]),
      ...(spec.parents === undefined
        ? [spec.weight ?? 1]
        : parentsOf(written).map(({ weight }) => weight ?? 1)),
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

const parentsDiffer: Invariant<RawSpec> = {
  id: "parents-name-clusters-once",
  title: "A cluster is named once among the parents",
  why: "The backend of each is named after its cluster.",
  source: proposal,
  code: "conflict",
  *check(written) {
    const names = parentsOf(written).map((parent) => parent?.cluster);
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

export const importedPoolRules: ReadonlyArray<Invariant<RawSpec>> = [
  mixedRulesNeedAGateway,
  importsOnlyWhereTaken,
  parentsHaveAKind,
  parentsAloneWhereTheyMustBe,
  parentsAreVerifiedByWhatIsRead,
  resolvableHosts,
  saidOnlyWhereAsked,
  importTlsHasATarget,
  pickersChooseFreely,
  globalPickersHaveTheirType,
  ...importPickerRules,
  parentsAgentWritesAlone,
  somethingIsSent,
  importReplacesANamedPrefix,
  parentsDiffer,
];
