import type { Path } from "../../../errors.ts";
import type { ImportSupport } from "../../../gateways/gateway.ts";
import {
  gateways,
  importGatewaysWith,
  importGatewayTypes,
  importSupportOf,
} from "../../../gateways/index.ts";
import type { Invariant } from "../../../invariant.ts";
import type { RawSpec } from "../../helpers/raw-spec.ts";
import { parentsAgentWritesAlone } from "../parents-agent.ts";
import { importReplacesANamedPrefix } from "../route-matches.ts";
import { importPickerRules } from "./import-pickers.ts";

const proposal = "Multi-Cluster Inference proposal";

interface Gateway {
  readonly type?: unknown;
  readonly acceptsImports?: unknown;
}

const gatewayOf = ({ spec }: RawSpec): Gateway => (spec.gateway ?? {}) as Gateway;
const typeOf = (written: RawSpec): string => String(gatewayOf(written).type ?? "generic");
/** Returns undefined for an unknown type, which the schema already reports. */
const supportOf = (written: RawSpec): ImportSupport | undefined => {
  const type = importGatewayTypes.find((known) => known === typeOf(written));
  return type && importSupportOf(type);
};

const parentsOf = ({ spec }: RawSpec): ReadonlyArray<Record<string, unknown>> =>
  Array.isArray(spec.parents) ? (spec.parents as Array<Record<string, unknown>>) : [];

const mixedRulesNeedAGateway: Invariant<RawSpec> = {
  id: "weighted-imports-need-a-gateway",
  title: "A rule with a pool and an import requires a gateway that supports both in one rule",
  why: "Other gateways answer the import's share of requests with 500, or reject the whole rule.",
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
      given: "is set, but the gateway is not known to accept imports",
      allowed:
        backend.besidePool === "never"
          ? `no \`local\` with gateway.type ${typeOf(written)}, whose import contains the pools of every cluster`
          : "a `picker`, a gateway with acceptsImports, or `parents` that the gateway supports as backends",
      fix:
        backend.besidePool === "never"
          ? "Remove `local`."
          : "Set `picker`; or set gateway.acceptsImports if the gateway accepts imports; or list the exporting clusters' gateways in `parents`.",
    };
  },
};

const importsOnlyWhereTaken: Invariant<RawSpec> = {
  id: "gateways-without-imports-route-by-parents",
  title:
    "A gateway that rejects imports reaches other clusters through a picker or through their gateways",
  why: "It rejects an InferencePoolImport as a backend, so every request for it would get 500.",
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
        fix: "Set `picker: {}`, or choose another gateway.type.",
      };
    else
      yield {
        path: ["parents"],
        given: "is missing",
        allowed: "at least one gateway of an exporting cluster",
        fix: "Export the pool in ParentMode and list the gateways, or let a `parentsAgent` list them; or choose another gateway.type.",
      };
  },
};

const parentsHaveAKind: Invariant<RawSpec> = {
  id: "parents-have-a-backend-kind",
  title: "`parents` requires a gateway with a backend kind for hosts of other clusters",
  why: "HTTPRoute has no standard backend kind for a host in another cluster.",
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
      fix: `Set gateway.type to one of these, or remove \`${field}\`.`,
    };
  },
};

const parentsAloneWhereTheyMustBe: Invariant<RawSpec> = {
  id: "parents-share-a-rule-where-the-gateway-can",
  title:
    "A rule with a pool and other clusters' gateways requires a gateway that supports both in one rule",
  why: "On other gateways the whole rule is invalid, including the pool's share.",
  source: gateways.ngf.imports.source,
  code: "conflict",
  *check(written) {
    const { parents, parentsAgent, local } = written.spec;
    if ((parents ?? parentsAgent) === undefined || local === undefined) return;
    if (supportOf(written)?.parents?.besidePool !== false) return;
    yield {
      path: ["local"],
      given: `is set together with \`parents\` for a gateway of type ${typeOf(written)}`,
      allowed: `either \`local\` or \`parents\`, or gateway.type ${importGatewaysWith(({ parents }) => parents?.besidePool === true)}`,
      fix: "Remove `local`, and route to the local pool with a separate InferenceRoute.",
    };
  },
};

const parentsAreVerifiedByWhatIsRead: Invariant<RawSpec> = {
  id: "parent-ca-is-where-the-gateway-reads-it",
  title: "The CA of another cluster's gateway is in a field that the local gateway reads",
  why: "A gateway without a CA rejects the connection or does not verify it.",
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
        given: given.length === 0 ? "contains no CA" : `has ${given.join(" and ")}`,
        allowed: `${ca} for gateway.type ${typeOf(written)}`,
        fix: `Set ${ca}, and no other CA field.`,
      };
    }
  },
};

const resolvableHosts: Invariant<RawSpec> = {
  id: "ngf-parents-have-names",
  title: "NGINX Gateway Fabric needs DNS names of other gateways",
  why: "Its backend is a Service of type ExternalName, which takes a host name and no IP address.",
  source: "Kubernetes Service: externalName",
  code: "name",
  *check(written) {
    if (supportOf(written)?.parents?.needsHostName !== true) return;
    for (const [at, { host }] of parentsOf(written).entries()) {
      if (typeof host !== "string" || !/^[\d.]+$|:/.test(host)) continue;
      yield {
        path: ["parents", at, "host"],
        given: `is ${JSON.stringify(host)}, an IP address`,
        allowed: "a DNS name",
        fix: "Create a DNS name for the gateway and use it here.",
      };
    }
  },
};

const setOnlyIfAllowed: Invariant<RawSpec> = {
  id: "accepts-imports-is-for-generic-gateways",
  title: "acceptsImports is set only for gateway type generic",
  why: "For all other types the library knows the answer and ignores the setting.",
  source: proposal,
  code: "conflict",
  *check(written) {
    if (gatewayOf(written).acceptsImports !== true) return;
    const support = supportOf(written);
    if (support === undefined || support.backend?.besidePool === "if-accepted") return;
    yield {
      path: ["gateway", "acceptsImports"],
      given: `is true for a gateway of type ${typeOf(written)}`,
      allowed: "gateway.type generic",
      fix: "Remove acceptsImports, or set gateway.type to generic.",
    };
  },
};

const importTlsHasATarget: Invariant<RawSpec> = {
  id: "import-tls-has-an-import",
  title: "`tls` of an import is for routes whose backend is the import",
  why: "A route to other clusters' gateways has no import as a backend, so the TLS policy would apply to nothing.",
  source: "Gateway API, BackendTLSPolicy targetRefs",
  code: "conflict",
  *check(written) {
    if (written.spec.tls === undefined || written.spec.parents === undefined) return;
    yield {
      path: ["tls"],
      given: "is set together with `parents`",
      allowed: "`tls` of each parent",
      fix: "Move `tls` to each entry of `parents`.",
    };
  },
};

const pickersChooseFreely: Invariant<RawSpec> = {
  id: "import-picker-fits-the-gateway",
  title:
    "A picker for an import requires a gateway that follows any endpoint that a picker returns",
  why: "Other gateways send requests only to the pool's pods in their own cluster, but the import's pool has no pods there.",
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
        fix: "Remove `picker`, or set another gateway.type.",
      };
    else if (support.picked === "alone" && written.spec.local !== undefined)
      yield {
        path: ["local"],
        given: `is set together with \`picker\` for a gateway of type ${typeOf(written)}`,
        allowed: `one pool per rule, or gateway.type ${importGatewaysWith(({ picked }) => picked === "beside-pool")}`,
        fix: "Remove `local`, and include this cluster in the import (importIntoExporters of its ClusterSet).",
      };
    if (support.picked !== undefined && written.spec.parents !== undefined)
      yield {
        path: ["picker"],
        given: "is set together with `parents`",
        allowed: "one of them",
        fix: "Remove one: the picker reads the gateways of clusters in ParentMode from the import.",
      };
  },
};

const globalPickersHaveTheirType: Invariant<RawSpec> = {
  id: "global-picker-has-its-gateway-type",
  title: "Settings of llm-d's global picker require gateway type llm-d-global-epp",
  why: "Other gateway types do not deploy it.",
  source: gateways["llm-d-global-epp"].imports.source,
  code: "conflict",
  *check(written) {
    if (written.spec.globalPicker === undefined || typeOf(written) === "llm-d-global-epp") return;
    yield {
      path: ["globalPicker"],
      given: `is set for a gateway of type ${typeOf(written)}`,
      allowed: "gateway.type llm-d-global-epp",
      fix: "Set gateway.type to llm-d-global-epp, or remove globalPicker.",
    };
  },
};

const somethingIsSent: Invariant<RawSpec> = {
  id: "import-route-has-a-weight",
  title: "At least one backend of a route has a weight above 0",
  why: "If all weights are 0, every request gets 500.",
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
      given: "is 0, and so is every other weight",
      allowed: "at least one weight above 0",
      fix: "Set weight of the import, of a parent or of `local` to 1 or more.",
    };
  },
};

const parentsDiffer: Invariant<RawSpec> = {
  id: "parents-name-clusters-once",
  title: "Each entry of parents names a different cluster",
  why: "The backend of each parent is named after its cluster.",
  source: proposal,
  code: "conflict",
  *check(written) {
    const names = parentsOf(written).map((parent) => parent?.cluster);
    for (const [at, name] of names.entries()) {
      const first = names.indexOf(name);
      if (first === at || name === undefined) continue;
      yield {
        path: ["parents", at, "cluster"],
        given: `is ${JSON.stringify(name)}, which is also the cluster of parents[${first}]`,
        allowed: "each cluster once",
        fix: "Remove one of the two entries.",
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
  setOnlyIfAllowed,
  importTlsHasATarget,
  pickersChooseFreely,
  globalPickersHaveTheirType,
  ...importPickerRules,
  parentsAgentWritesAlone,
  somethingIsSent,
  importReplacesANamedPrefix,
  parentsDiffer,
];
