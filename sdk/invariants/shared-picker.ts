import type { Invariant } from "../invariant.ts";
import type { RouterRole } from "../spec/role.ts";
import { besideSharedFields, ownPickerFields } from "../spec/shared-picker-port.ts";
import { runtimePorts } from "../topology/runtime-ports.ts";
import { type PartialSpec, routers } from "./partial-spec.ts";
import { sharedPickerHasRoom } from "./picker-memory.ts";
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

export const sharedPickerRules: ReadonlyArray<Invariant<RawSpec>> = [
  poolNameFits,
  portsAreFree,
  sharedPickerHasRoom,
];

export const routerSharesItsPicker: Invariant<PartialSpec> = {
  id: "router-shares-its-picker",
  title: "A router that shares a picker says nothing of a picker's pods and exports nothing",
  why: "The service has no picker of its own: what is said of its pods would be ignored, and other clusters ask one port of a Service.",
  source: "docs/endpoint-picker.md, One picker for many pools",
  code: "conflict",
  *check(spec) {
    for (const { index, role } of routers(spec)) {
      if (role.shared === undefined) continue;
      const field = fieldOfPods(role);
      if (field !== undefined)
        yield {
          path: ["roles", index, field],
          given: "is set beside shared",
          allowed: `${besideSharedFields.join(", ")} and flowControl beside shared, since pods and pages are those of the SharedEndpointPicker`,
          fix: `Say it of SharedEndpointPicker ${role.shared.name}.`,
        };
      if (role.export !== undefined)
        yield {
          path: ["roles", index, "export"],
          given: "is set beside shared",
          allowed:
            "export of a service with a picker of its own, since other clusters ask one port of a Service",
          fix: "Remove shared, or do not export the service.",
        };
    }
  },
};

/** A field that says what the pods of a picker are like. Objects in a cluster have the defaults of two of them. */
function fieldOfPods(role: RouterRole): string | undefined {
  if (role.replicas !== 1) return "replicas";
  if (!role.metricsAuth) return "metricsAuth";
  return ownPickerFields.find((field) => role[field as keyof RouterRole] !== undefined);
}
