import { kinds } from "../../kubernetes/kinds/index.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { type PoolGatewayType, poolSupportOf } from "../gateways/index.ts";
import type { Export } from "../spec/export.ts";
import type { NetworkPolicyArgument } from "../spec/network-policy.ts";
import { label, statusControllerName } from "../topology/names.ts";
import { objectMeta, type PlanContext } from "./object-meta.ts";

/**
 * NetworkPolicies of what is planned: who may open connections to a program or an engine, and to which port. Probes of
 * the kubelet always pass; connections that pods open themselves are nobody's business here.
 */

/** A NetworkPolicyPeer. */
type Peer = Readonly<Record<string, unknown>>;

/** Ports that follow each other, both ends among them. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

export const portsIn = ({ first, last }: PortRange): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

/** Who may come to some ports. */
export interface Door {
  /** Undefined for everybody. */
  readonly from: readonly Peer[] | undefined;
  /** Undefined for every port of every protocol. */
  readonly ports?: ReadonlyArray<number | PortRange>;
}

export const anyNamespace: Peer = { namespaceSelector: {} };

const inNamespaces = (names: readonly unknown[]): Peer => ({
  namespaceSelector: {
    matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "In", values: names }],
  },
});

export const fromNetworks = (cidrs: readonly string[] = []): Peer[] =>
  cidrs.map((cidr) => ({ ipBlock: { cidr } }));

/** A gateway, as far as it is known where its proxies run. */
export interface GatewayLocation {
  readonly type: PoolGatewayType;
  /** Namespaces of the Gateways that the route names, and of the route; undefined without a route here. */
  readonly namespaces: readonly unknown[] | undefined;
}

/** The proxies of the gateway in front. */
export function gatewayPeers(
  { gatewayNamespaces, networks }: NetworkPolicyArgument,
  { type, namespaces }: GatewayLocation,
): Peer[] | undefined {
  if (gatewayNamespaces !== undefined)
    return [inNamespaces(gatewayNamespaces), ...fromNetworks(networks)];
  const { proxies } = poolSupportOf(type);
  if (proxies === "outside")
    return networks === undefined ? undefined : [anyNamespace, ...fromNetworks(networks)];
  const known = proxies === "beside-gateway" && namespaces !== undefined;
  return [
    known ? inNamespaces([...new Set(namespaces)].sort()) : anyNamespace,
    ...fromNetworks(networks),
  ];
}

/**
 * Who comes to the serving port of pods of which it is not known how they are routed: proxies of any gateway, and the
 * picker, which is in the namespace of the pods.
 */
export const unroutedPeers = ({ gatewayNamespaces, networks }: NetworkPolicyArgument): Peer[] => [
  ...(gatewayNamespaces === undefined
    ? [anyNamespace]
    : [{ podSelector: {} }, inNamespaces(gatewayNamespaces)]),
  ...fromNetworks(networks),
];

/** Who reads the pages of a program: it asks them for a token. */
export const pagePeers = ({ scraperNamespaces }: NetworkPolicyArgument): Peer[] =>
  scraperNamespaces === undefined
    ? [anyNamespace]
    : [
        inNamespaces(scraperNamespaces),
        { ...anyNamespace, podSelector: { matchLabels: { [label.app]: statusControllerName } } },
      ];

/** Who reads the metrics of engines, which ask nobody for a token. */
export const scraperPeers = ({ scraperNamespaces }: NetworkPolicyArgument): Peer[] =>
  scraperNamespaces === undefined ? [] : [inNamespaces(scraperNamespaces)];

/** Other clusters; everybody where the export names no networks. */
export const exportPeers = ({ allowedNetworks }: Export): Peer[] | undefined =>
  allowedNetworks.length === 0 ? undefined : fromNetworks(allowedNetworks);

/** A policy for the pods with these labels; doors that nobody comes through are left out. */
export function planNetworkPolicy(
  context: PlanContext,
  name: string,
  podSelector: object,
  doors: readonly Door[],
): Manifest {
  return {
    apiVersion: kinds.NetworkPolicy.apiVersion,
    kind: "NetworkPolicy",
    metadata: objectMeta(context, name),
    spec: {
      podSelector,
      policyTypes: ["Ingress"],
      ingress: doors
        .filter(({ from }) => from === undefined || from.length > 0)
        .map(({ from, ports }) => ({
          ...(from === undefined ? {} : { from }),
          ...(ports === undefined ? {} : { ports: ports.map(portsOf) }),
        })),
    },
  };
}

const portsOf = (port: number | PortRange) =>
  typeof port === "number"
    ? { protocol: "TCP", port }
    : { protocol: "TCP", port: port.first, endPort: port.last };
