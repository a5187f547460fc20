import { kinds } from "../../kubernetes/kinds/index.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { type PoolGatewayType, poolSupportOf } from "../gateways/index.ts";
import { label, statusControllerName } from "../names.ts";
import type { Export } from "../spec/export.ts";
import type { NetworkPolicyArgument } from "../spec/network-policy.ts";
import { objectMeta, type PlanContext } from "./object-meta.ts";

/**
 * NetworkPolicies of the plan. They limit which clients may connect to a program or an engine, and on which ports. The
 * kubelet's probes always pass. Outgoing connections are not limited.
 */

type Peer = Readonly<Record<string, unknown>>;

/** A range of ports, including both ends. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

export const portsIn = ({ first, last }: PortRange): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

/** Clients that may connect, and the ports that they may use. */
export interface Door {
  /** Undefined permits every client. */
  readonly from: readonly Peer[] | undefined;
  /** Undefined permits every port of every protocol. */
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

/** Type of a gateway and namespaces that may contain its proxies. */
export interface GatewayLocation {
  readonly type: PoolGatewayType;
  /** Namespaces of the Gateways that the route names or the service creates. Undefined without a route. */
  readonly namespaces: readonly unknown[] | undefined;
  /** Whether the gateway checks credentials, so that only its own proxies may send requests. Default false. */
  readonly isRestricted?: boolean;
}

/** Returns the peers for the proxies of a gateway. Undefined permits every client. */
export function gatewayPeers(
  { gatewayNamespaces, networks }: NetworkPolicyArgument,
  { type, namespaces, isRestricted = false }: GatewayLocation,
): Peer[] | undefined {
  if (gatewayNamespaces !== undefined)
    return [inNamespaces(gatewayNamespaces), ...fromNetworks(networks)];
  const { proxies, access } = poolSupportOf(type);
  if (isRestricted && access !== undefined && namespaces !== undefined) {
    const { podSelector, namespaces: others } = access.proxies;
    return [
      { ...inNamespaces([...new Set([...namespaces, ...others])].sort()), podSelector },
      ...fromNetworks(networks),
    ];
  }
  if (proxies === "outside")
    return networks === undefined ? undefined : [anyNamespace, ...fromNetworks(networks)];
  const known = proxies === "beside-gateway" && namespaces !== undefined;
  return [
    known ? inNamespaces([...new Set(namespaces)].sort()) : anyNamespace,
    ...fromNetworks(networks),
  ];
}

/**
 * Returns the peers for pods whose routing is unknown: proxies of any gateway, and the picker, which is in the pods'
 * namespace.
 */
export const unroutedPeers = ({ gatewayNamespaces, networks }: NetworkPolicyArgument): Peer[] => [
  ...(gatewayNamespaces === undefined
    ? [anyNamespace]
    : [{ podSelector: {} }, inNamespaces(gatewayNamespaces)]),
  ...fromNetworks(networks),
];

/** Returns the peers that may read the pages of a program. The program also checks their tokens. */
export const pagePeers = ({ scraperNamespaces }: NetworkPolicyArgument): Peer[] =>
  scraperNamespaces === undefined
    ? [anyNamespace]
    : [
        inNamespaces(scraperNamespaces),
        { ...anyNamespace, podSelector: { matchLabels: { [label.app]: statusControllerName } } },
      ];

/** Returns the peers that may read the metrics of engines. Engines do not check tokens. */
export const scraperPeers = ({ scraperNamespaces }: NetworkPolicyArgument): Peer[] =>
  scraperNamespaces === undefined ? [] : [inNamespaces(scraperNamespaces)];

/** Returns the peers of other clusters. Undefined, for every client, if the export sets no networks. */
export const exportPeers = ({ allowedNetworks }: Export): Peer[] | undefined =>
  allowedNetworks.length === 0 ? undefined : fromNetworks(allowedNetworks);

/** Returns a policy for the pods with these labels. Doors that permit no client are left out. */
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
