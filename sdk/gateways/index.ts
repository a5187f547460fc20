import { isDeferred } from "../../kubernetes/values/deferred.ts";
import { agentgateway } from "./agentgateway.ts";
import { envoyGateway } from "./envoy-gateway.ts";
import type { Gateway, ImportSupport, ModelRouterSupport, PoolSupport } from "./gateway.ts";
import type { GatewayKind } from "./gateway-kind.ts";
import { generic } from "./generic.ts";
import { gke } from "./gke.ts";
import { istio } from "./istio.ts";
import { kgateway } from "./kgateway.ts";
import { llmDGlobalEpp } from "./llm-d-global-epp.ts";
import { ngf } from "./ngf.ts";

/** The kinds of gateways by the words of `gateway.type`. */
export const gateways = {
  generic,
  istio,
  gke,
  "envoy-gateway": envoyGateway,
  kgateway,
  agentgateway,
  ngf,
  "llm-d-global-epp": llmDGlobalEpp,
} as const satisfies Record<string, Gateway>;

type Gateways = typeof gateways;
type TypeWith<Part> = {
  [Type in keyof Gateways]: Gateways[Type] extends Part ? Type : never;
}[keyof Gateways];

/** A gateway that serves pools of its own cluster. */
export type PoolGatewayType = TypeWith<{ readonly pools: object }>;
/** A gateway whose routes to pools of other clusters are known. */
export type ImportGatewayType = TypeWith<{ readonly imports: object }>;

type OwnKinds<Type> = Type extends keyof Gateways ? keyof Gateways[Type]["ownKinds"] : never;

/** A kind that one of these gateways alone has. */
export type GatewayKindName = OwnKinds<keyof Gateways>;

const types = Object.keys(gateways) as Array<keyof Gateways>;

export const poolGatewayTypes = types.filter(
  (type): type is PoolGatewayType => gateways[type].pools !== undefined,
);
export const importGatewayTypes = types.filter(
  (type): type is ImportGatewayType => gateways[type].imports !== undefined,
);

/** The kinds that certain gateways alone have. */
export const gatewayKinds = Object.assign({}, ...types.map((type) => gateways[type].ownKinds)) as {
  readonly [Name in GatewayKindName]: Extract<
    Gateways[keyof Gateways]["ownKinds"],
    Record<Name, GatewayKind>
  >[Name];
};
export const gatewayKindNames = Object.keys(gatewayKinds) as GatewayKindName[];

export const poolSupportOf = (type: PoolGatewayType): PoolSupport => gateways[type].pools;
export const importSupportOf = (type: ImportGatewayType): ImportSupport => gateways[type].imports;

/** Returns the timeouts that a route behind a gateway needs so that long answers end; undefined if it needs none. */
export function routeTimeouts(
  type: PoolGatewayType | ImportGatewayType,
): { readonly request: string } | undefined {
  const pools: PoolSupport | undefined = gateways[type].pools;
  // Gateway API: a timeout of 0 s is none.
  return pools?.answerLimitSeconds === undefined ? undefined : { request: "0s" };
}

/** Returns how a gateway asks a model router; undefined if it has no object for that. */
export const modelRouterSupportOf = (type: PoolGatewayType): ModelRouterSupport | undefined =>
  poolSupportOf(type).modelRouter;

/** Types of gateways that have an object by which they ask a model router. */
export const modelRouterGatewayTypes = poolGatewayTypes.filter(
  (type) => modelRouterSupportOf(type) !== undefined,
);

/** Returns the types of gateways that route to pools of other clusters in some way, as a list in words. */
export const importGatewaysWith = (holds: (support: ImportSupport) => boolean): string =>
  importGatewayTypes.filter((type) => holds(importSupportOf(type))).join(", ");

/** Returns the gateway that makes a GatewayClass; undefined for the class of any other. */
export const gatewayOfClass = (name: string): PoolGatewayType | undefined =>
  poolGatewayTypes.find((type) =>
    poolSupportOf(type).classes.some((known) =>
      known.endsWith("*") ? name.startsWith(known.slice(0, -1)) : name === known,
    ),
  );

/** A router's `gateway` as written: a kind of gateway, and the spec of one to create if it has any. */
export interface WrittenGateway {
  readonly type?: PoolGatewayType | undefined;
  readonly [field: string]: unknown;
}

/** Returns the spec of the Gateway that is created; undefined if only a type, or nothing, is written. */
export function createdGateway(
  gateway: WrittenGateway | undefined,
): Record<string, unknown> | undefined {
  const { type: _type, ...spec } = gateway ?? {};
  return Object.keys(spec).length > 0 ? spec : undefined;
}

/** Returns the kind of gateway as written, else the one that its class names, else generic. */
export function poolGatewayType(gateway: WrittenGateway | undefined): PoolGatewayType {
  const { type, gatewayClassName } = gateway ?? {};
  if (type !== undefined) return type;
  if (gatewayClassName === undefined || isDeferred(gatewayClassName)) return "generic";
  return gatewayOfClass(String(gatewayClassName)) ?? "generic";
}
