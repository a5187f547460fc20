import type { ClientHttp2Stream } from "node:http2";
import { type Reach, reachOf } from "../../../sdk/spec/reachable-address.ts";
import type { GatewayRequest } from "./gateway-probe.ts";
import { ParentGateways } from "./parent-gateways.ts";
import { PickerConnection } from "./picker-connection.ts";
import { PickerHealth } from "./picker-health.ts";
import type { RemoteCluster, RemotePicker } from "./remote-cluster.ts";
import type { RemoteSecurity } from "./remote-security.ts";

/** Route of requests to a cluster, by its routing mode. */
export interface ClusterRoute {
  /** @throws Error with the reason why a request would not reach the cluster */
  probe(): Promise<void>;
  /** Returns the next step of a request; undefined if no address of the cluster is known to accept requests. */
  next(random: () => number): NextStep | undefined;
  /** Same as `next`, but also uses addresses that do not respond to probes. */
  nextUnseen(random: () => number): NextStep | undefined;
  /** Opens new connections, for new certificates. */
  renew(): void;
  close(): void;
}

/** Next step of a request: its stream is relayed to a picker, or the request is sent to a gateway (`ip:port`). */
export type NextStep =
  | {
      readonly kind: "picker";
      readonly open: (mayLeave: boolean, hops: number) => ClientHttp2Stream;
      /** Addresses to which the picker may send the request. */
      readonly reach: Reach;
    }
  | { readonly kind: "parent"; readonly address: string };

export interface ClusterRouteOptions {
  readonly security: RemoteSecurity;
  readonly gateways: GatewayProbes;
  /** Whether loopback addresses are allowed, for clusters on one machine. */
  readonly loopback: boolean;
  /** Called when a connection is lost, so that the cluster is probed immediately. */
  readonly onLost: () => void;
}

/** How to probe gateways of other clusters. */
export interface GatewayProbes {
  /** Undefined for plain HTTP. */
  readonly security: RemoteSecurity | undefined;
  readonly request: GatewayRequest | undefined;
}

/** Timeout of a probe, in ms. */
const answerTimeoutMs = 500;

/** Returns undefined if the import has no address of the cluster. */
export function clusterRoute(
  { name, mode, picker, parents, networks }: RemoteCluster,
  options: ClusterRouteOptions,
): ClusterRoute | undefined {
  const reach = reachOf({ networks, loopback: options.loopback });
  if (mode === "ParentMode")
    return parents.length === 0 ? undefined : wayOfParents(name, parents, reach, options);
  return picker === undefined ? undefined : wayOfPicker(name, picker, reach, options);
}

function wayOfPicker(
  cluster: string,
  { addresses, service, healthPort }: RemotePicker,
  reach: Reach,
  options: ClusterRouteOptions,
): ClusterRoute {
  const connection = new PickerConnection({
    ...{ addresses, service, cluster, ...options },
    // The picker may be behind a load balancer whose address is outside the networks of the cluster's pods.
    reach: reachOf({ networks: undefined, loopback: options.loopback }),
  });
  const health =
    healthPort === undefined
      ? undefined
      : new PickerHealth(addresses.map(({ host }) => ({ host, port: healthPort })));
  const open = (mayLeave: boolean, hops: number) => connection.open(mayLeave, hops);
  const step: NextStep = { kind: "picker", open, reach };
  return {
    async probe() {
      await connection.probe(answerTimeoutMs);
      await health?.check(answerTimeoutMs);
    },
    next: () => step,
    nextUnseen: () => step,
    renew: () => connection.renew(),
    close() {
      connection.close();
      health?.close();
    },
  };
}

function wayOfParents(
  cluster: string,
  addresses: RemoteCluster["parents"],
  reach: Reach,
  { onLost, gateways: { security, request } }: ClusterRouteOptions,
): ClusterRoute {
  const gateways = new ParentGateways({
    ...{ addresses, reach, onLost },
    probe: {
      tls: security && ((host) => security.optionsFor({ cluster, service: "", host })),
      request,
    },
  });
  const oneOf = (all: readonly string[], random: () => number): NextStep | undefined => {
    const address = all[Math.floor(random() * all.length)];
    return address === undefined ? undefined : { kind: "parent", address };
  };
  return {
    probe: () => gateways.probe(answerTimeoutMs),
    next: (random) => oneOf(gateways.reachable, random),
    nextUnseen: (random) => oneOf(gateways.known, random),
    renew() {},
    close: () => gateways.close(),
  };
}
