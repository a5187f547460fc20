import type { ClientHttp2Stream } from "node:http2";
import { type Reach, reachOf } from "../../../sdk/spec/reachable-address.ts";
import type { GatewayRequest } from "./gateway-probe.ts";
import { ParentGateways } from "./parent-gateways.ts";
import { PickerConnection } from "./picker-connection.ts";
import { PickerHealth } from "./picker-health.ts";
import type { RemoteCluster, RemotePicker } from "./remote-cluster.ts";
import type { RemoteSecurity } from "./remote-security.ts";

/** How requests reach a cluster, by its routing mode. */
export interface ClusterRoute {
  /** @throws Error that says why no request would reach it */
  probe(): Promise<void>;
  /** Undefined where nothing there is known to take requests. */
  next(random: () => number): NextStep | undefined;
  /** Likewise, of all that is there, whether it answers or not. */
  nextUnseen(random: () => number): NextStep | undefined;
  /** New connections for new certificates. */
  renew(): void;
  close(): void;
}

/** What becomes of a request: its stream goes to a picker, or it is sent to a gateway (`ip:port`). */
export type NextStep =
  | {
      readonly kind: "picker";
      readonly open: (mayLeave: boolean, hops: number) => ClientHttp2Stream;
      /** The addresses to which the picker may send it. */
      readonly reach: Reach;
    }
  | { readonly kind: "parent"; readonly address: string };

export interface ClusterRouteOptions {
  readonly security: RemoteSecurity;
  readonly gateways: GatewayProbes;
  /** Whether addresses of this host are those of other clusters. */
  readonly loopback: boolean;
  /** A connection was lost: what was known of the cluster is in doubt. */
  readonly onLost: () => void;
}

/** How gateways of other clusters are looked at. */
export interface GatewayProbes {
  /** Undefined for plain HTTP. */
  readonly security: RemoteSecurity | undefined;
  readonly request: GatewayRequest | undefined;
}

/** Milliseconds that an answer may take. */
const answerTimeoutMs = 500;

/** Undefined where the import says no address of the cluster. */
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
    // Its own address may be that of a load balancer, outside of the networks of its pods.
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
