import type { ClientHttp2Stream } from "node:http2";
import { ParentGateways } from "./parent-gateways.ts";
import { PickerConnection } from "./picker-connection.ts";
import { PickerHealth } from "./picker-health.ts";
import type { RemoteCluster, RemotePicker } from "./remote-cluster.ts";
import type { RemoteSecurity } from "./remote-security.ts";

/** How requests reach a cluster, by its routing mode. */
export interface ClusterWay {
  /** @throws Error that says why no request would reach it */
  probe(): Promise<void>;
  /** Undefined where nothing there is known to take requests. */
  next(random: () => number): NextStep | undefined;
  /** New connections for new certificates. */
  renew(): void;
  close(): void;
}

/** What becomes of a request: its stream goes to a picker, or it is sent to a gateway (`ip:port`). */
export type NextStep =
  | { readonly kind: "picker"; readonly open: () => ClientHttp2Stream }
  | { readonly kind: "parent"; readonly address: string };

export interface ClusterWayOptions {
  readonly security: RemoteSecurity;
  /** A connection was lost: what was known of the cluster is in doubt. */
  readonly onLost: () => void;
}

/** Milliseconds that an answer may take. */
const answerTimeout = 500;

/** Undefined where the import says no address of the cluster. */
export function clusterWay(
  { mode, picker, parents }: RemoteCluster,
  options: ClusterWayOptions,
): ClusterWay | undefined {
  if (mode === "ParentMode")
    return parents.length === 0 ? undefined : wayOfParents(parents, options);
  return picker === undefined ? undefined : wayOfPicker(picker, options);
}

function wayOfPicker(
  { addresses, service, healthPort }: RemotePicker,
  options: ClusterWayOptions,
): ClusterWay {
  const connection = new PickerConnection({ addresses, service, ...options });
  const health =
    healthPort === undefined
      ? undefined
      : new PickerHealth(addresses.map(({ host }) => ({ host, port: healthPort })));
  const step: NextStep = { kind: "picker", open: () => connection.open() };
  return {
    async probe() {
      await connection.probe(answerTimeout);
      await health?.check(answerTimeout);
    },
    next: () => step,
    renew: () => connection.renew(),
    close() {
      connection.close();
      health?.close();
    },
  };
}

function wayOfParents(
  addresses: RemoteCluster["parents"],
  { onLost }: ClusterWayOptions,
): ClusterWay {
  const gateways = new ParentGateways({ addresses, onLost });
  return {
    probe: () => gateways.probe(answerTimeout),
    next(random) {
      const { reachable } = gateways;
      const address = reachable[Math.floor(random() * reachable.length)];
      return address === undefined ? undefined : { kind: "parent", address };
    },
    renew() {},
    close: () => gateways.close(),
  };
}
