import { isDeferred } from "../../kubernetes/values/deferred.ts";
import type { AccessSupport, Credential } from "./access-support.ts";
import { agentgateway } from "./agentgateway.ts";
import { envoyGateway } from "./envoy-gateway.ts";
import type { Gateway, ImportSupport, ModelRouterSupport, PoolSupport } from "./gateway.ts";
import type { GatewayKind } from "./gateway-kind.ts";
import { generic } from "./generic.ts";
import { gke } from "./gke.ts";
import { istio } from "./istio.ts";
import { llmDGlobalEpp } from "./llm-d-global-epp.ts";
import { ngf } from "./ngf.ts";

/** The kinds of gateways by value of `gateway.type`. */
export const gateways = {
  generic,
  istio,
  gke,
  "envoy-gateway": envoyGateway,
  agentgateway,
  ngf,
  "llm-d-global-epp": llmDGlobalEpp,
} as const satisfies Record<string, Gateway>;

type Gateways = typeof gateways;
type TypeWith<Part> = {
  [Type in keyof Gateways]: Gateways[Type] extends Part ? Type : never;
}[keyof Gateways];

/** A gateway that serves pools of its cluster. */
export type PoolGatewayType = TypeWith<{ readonly pools: object }>;
/** A gateway with known support for pools of other clusters. */
export type ImportGatewayType = TypeWith<{ readonly imports: object }>;

type OwnKinds<Type> = Type extends keyof Gateways ? keyof Gateways[Type]["ownKinds"] : never;

/** A kind that only one of these gateways has. */
export type GatewayKindName = OwnKinds<keyof Gateways>;

const types = Object.keys(gateways) as Array<keyof Gateways>;

export const poolGatewayTypes = types.filter(
  (type): type is PoolGatewayType => gateways[type].pools !== undefined,
);
export const importGatewayTypes = types.filter(
  (type): type is ImportGatewayType => gateways[type].imports !== undefined,
);

/** The kinds that only certain gateways have. */
export const gatewayKinds = Object.assign({}, ...types.map((type) => gateways[type].ownKinds)) as {
  readonly [Name in GatewayKindName]: Extract<
    Gateways[keyof Gateways]["ownKinds"],
    Record<Name, GatewayKind>
  >[Name];
};
export const gatewayKindNames = Object.keys(gatewayKinds) as GatewayKindName[];

export const poolSupportOf = (type: PoolGatewayType): PoolSupport => gateways[type].pools;
export const importSupportOf = (type: ImportGatewayType): ImportSupport => gateways[type].imports;

/**
 * Returns the timeouts that a route needs so that its gateway does not cut long responses; undefined if it needs no
 * timeouts.
 */
export function routeTimeouts(
  type: PoolGatewayType | ImportGatewayType,
): { readonly request: string } | undefined {
  const pools: PoolSupport | undefined = gateways[type].pools;
  // Gateway API: 0 s disables the timeout.
  return pools?.answerLimitSeconds === undefined ? undefined : { request: "0s" };
}

/** Returns how a gateway calls a model router; undefined if it has no object that configures this. */
export const modelRouterSupportOf = (type: PoolGatewayType): ModelRouterSupport | undefined =>
  poolSupportOf(type).modelRouter;

/** Returns how a gateway restricts clients; undefined if it has no policy that is known to do so. */
export const accessSupportOf = (type: PoolGatewayType): AccessSupport | undefined =>
  poolSupportOf(type).access;

/** Returns the types of gateways that have a policy for a kind of credentials. */
export const accessGatewayTypes = (credential: Credential): readonly PoolGatewayType[] =>
  poolGatewayTypes.filter((type) =>
    (accessSupportOf(type)?.credentials ?? []).includes(credential),
  );

/** Types of gateways that can call a model router. */
export const modelRouterGatewayTypes = poolGatewayTypes.filter(
  (type) => modelRouterSupportOf(type) !== undefined,
);

/** Returns the types of gateways whose support for pools of other clusters passes a test, as a list in words. */
export const importGatewaysWith = (holds: (support: ImportSupport) => boolean): string =>
  importGatewayTypes.filter((type) => holds(importSupportOf(type))).join(", ");

/** Returns the gateway that implements a GatewayClass; undefined for an unknown class. */
export const gatewayOfClass = (name: string): PoolGatewayType | undefined =>
  poolGatewayTypes.find((type) =>
    poolSupportOf(type).classes.some((known) =>
      known.endsWith("*") ? name.startsWith(known.slice(0, -1)) : name === known,
    ),
  );

/** GatewayClasses of gateways that route to no InferencePool, with the reason and the way out. */
export const classesWithoutPools: Readonly<Record<string, { given: string; fix: string }>> = {
  kgateway: {
    given: "kgateway routes to no InferencePool from 2.2 on",
    fix: 'Use agentgateway, which succeeds it for inference: gatewayClassName "agentgateway".',
  },
};

/** A router's `gateway` as written: a kind of gateway, and the spec of a Gateway to create, if any. */
export interface WrittenGateway {
  readonly type?: PoolGatewayType | undefined;
  readonly [field: string]: unknown;
}

/** Returns the spec of the Gateway to create; undefined if only a type is written, or nothing. */
export function createdGateway(
  gateway: WrittenGateway | undefined,
): Record<string, unknown> | undefined {
  const { type: _type, ...spec } = gateway ?? {};
  return Object.keys(spec).length > 0 ? spec : undefined;
}

/** Returns the kind of gateway as written, otherwise the kind that its class belongs to, otherwise generic. */
export function poolGatewayType(gateway: WrittenGateway | undefined): PoolGatewayType {
  const { type, gatewayClassName } = gateway ?? {};
  if (type !== undefined) return type;
  if (gatewayClassName === undefined || isDeferred(gatewayClassName)) return "generic";
  return gatewayOfClass(String(gatewayClassName)) ?? "generic";
}
