import { type Endpoint, newLiveState } from "../../scheduling/endpoint.ts";
import { label } from "../../sdk/topology/names.ts";
import { Simulation } from "../../testing/model-server/simulation.ts";
import type { Trace } from "./trace.ts";

/** A model server as routers see it. */
export interface Pod {
  readonly index: number;
  /** What only an oracle may ask. */
  readonly simulation: Simulation;
  /** What a picker knows of it. */
  readonly endpoint: Endpoint;
  readonly role: "prefiller" | "decoder";
  alive: boolean;
  /** Requests that were sent there and have not ended. */
  outstanding: number;
}

/** A pod for each of a trace, on addresses that follow each other. */
export const podsOf = (trace: Trace, network: Network = { prefix: "10.0", port: 8_000 }): Pod[] =>
  Array.from({ length: trace.pods }, (_, index) => podOf(trace, index, network));

export interface Network {
  /** The first two bytes of the addresses. */
  readonly prefix: string;
  readonly port: number;
}

function podOf(
  { engine, engineOf, prefillers }: Trace,
  index: number,
  { prefix, port }: Network,
): Pod {
  const role = prefillers?.includes(index) ? "prefiller" : "decoder";
  const ip = `${prefix}.${Math.floor(index / 250)}.${(index % 250) + 1}`;
  return {
    index,
    simulation: new Simulation(engineOf?.[index] ?? engine),
    role,
    alive: true,
    outstanding: 0,
    endpoint: {
      id: `default/pod-${index}-rank-0`,
      namespace: "default",
      pod: `pod-${index}`,
      podUid: `uid-${index}`,
      rank: 0,
      ip,
      port,
      address: `${ip}:${port}`,
      labels: { [label.componentType]: role },
      live: newLiveState(),
    },
  };
}
