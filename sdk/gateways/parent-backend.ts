import type { Manifest } from "../../kubernetes/values/manifest.ts";
import type { GatewayType, ImportedParent, ImportedPoolSpec } from "../spec/imported-pool.ts";
import type { Parsed } from "../validate/spec-kind.ts";
import { agentgatewayBackend } from "./agentgateway.ts";
import { istioBackend } from "./istio.ts";
import { ngfBackend } from "./ngf.ts";

/** A reference to a backend, without its weight. */
export interface BackendRef {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly port?: number;
}

/** What makes the gateway of another cluster a backend: objects of the gateway's own, and the reference to them. */
export interface ParentBackend {
  readonly objects: readonly Manifest[];
  readonly ref: BackendRef;
}

/** @returns the backend for a parent of a pool, under a name that is the parent's alone */
export type PlanParent = (pool: Parsed<ImportedPoolSpec>, parent: ImportedParent) => ParentBackend;

/** How each kind of gateway reaches a gateway of another cluster. */
const planners: Partial<Record<GatewayType, PlanParent>> = {
  agentgateway: agentgatewayBackend,
  istio: istioBackend,
  ngf: ngfBackend,
};

/** The backends of the parents; none for a gateway that has none. */
export function parentBackends(
  pool: Parsed<ImportedPoolSpec>,
): Array<ParentBackend & { weight: number }> {
  const { gateway, parents = [] } = pool.spec;
  const plan = planners[gateway.type];
  return plan === undefined
    ? []
    : parents.map((parent) => ({ ...plan(pool, parent), weight: parent.weight }));
}
