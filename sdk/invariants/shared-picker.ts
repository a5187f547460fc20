import type { Invariant } from "../invariant.ts";
import { runtimePorts } from "../topology/runtime-ports.ts";
import { poolNameFits } from "./pools.ts";
import type { RawSpec } from "./raw-spec.ts";

const maxPort = 65_535;

const portsAreFree: Invariant<RawSpec> = {
  id: "shared-picker-has-ports",
  title: "The ports of a shared picker are ports, and none of those that every picker has",
  why: "The API server refuses a Service with a port that is none, or that occurs twice.",
  source: "Kubernetes Service, spec.ports",
  code: "conflict",
  *check({ spec }) {
    const { first = 10_000, count = 16 } = (spec.ports ?? {}) as Record<string, unknown>;
    if (typeof first !== "number" || typeof count !== "number") return;
    const last = first + count - 1;
    const taken = [runtimePorts.health, runtimePorts.metrics].find(
      (port) => port >= first && port <= last,
    );
    if (last <= maxPort && taken === undefined) return;
    yield {
      path: ["ports"],
      given: `are ${first} to ${last}`,
      allowed: `ports up to ${maxPort}, without ${runtimePorts.health} and ${runtimePorts.metrics}, which every picker has`,
      fix: "Choose another first port, or fewer of them.",
    };
  },
};

export const sharedPickerRules: ReadonlyArray<Invariant<RawSpec>> = [poolNameFits, portsAreFree];
