import type { Invariant } from "../../invariant.ts";
import type { RouterRole } from "../../spec/role.ts";
import { besideSharedFields, ownPickerFields } from "../../spec/shared-picker-port.ts";
import { runtimePorts } from "../../topology/runtime-ports.ts";
import { type PartialSpec, routers } from "../helpers/partial-spec.ts";
import type { RawSpec } from "../helpers/raw-spec.ts";
import { sharedPickerHasMemory } from "./picker-memory.ts";
import { poolNameFits } from "./pools.ts";

const maxPort = 65_535;

const portsAreFree: Invariant<RawSpec> = {
  id: "shared-picker-has-ports",
  title: "The ports of a shared picker are valid and not used by the picker itself",
  why: "The API server rejects a Service with invalid or duplicate ports.",
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
      allowed: `ports up to ${maxPort} except ${runtimePorts.health} and ${runtimePorts.metrics}, which every picker uses`,
      fix: "Change ports.first, or lower ports.count.",
    };
  },
};

export const sharedPickerRules: ReadonlyArray<Invariant<RawSpec>> = [
  poolNameFits,
  portsAreFree,
  sharedPickerHasMemory,
];

export const routerSharesItsPicker: Invariant<PartialSpec> = {
  id: "router-shares-its-picker",
  title: "A router with a shared picker does not configure the picker's pods and is not exported",
  why: "The service has no picker pods to configure, and other clusters call one port of the picker's Service.",
  source: "docs/endpoint-picker.md, One picker for many pools",
  code: "conflict",
  *check(spec) {
    for (const { index, role } of routers(spec)) {
      if (role.shared === undefined) continue;
      const field = fieldOfPods(role);
      if (field !== undefined)
        yield {
          path: ["roles", index, field],
          given: "is set together with shared",
          allowed: `only ${besideSharedFields.join(", ")} and flowControl with shared, because the SharedEndpointPicker sets the rest for all its pools`,
          fix: `Set it on SharedEndpointPicker ${role.shared.name}.`,
        };
      if (role.export !== undefined)
        yield {
          path: ["roles", index, "export"],
          given: "is set together with shared",
          allowed:
            "export only with a picker that is not shared, because other clusters call one port of the picker's Service",
          fix: "Remove shared, or remove export.",
        };
    }
  },
};

/**
 * Returns a field of the role that configures the picker's pods. `replicas` and `metricsAuth` are compared with their
 * defaults, because objects in a cluster contain these.
 */
function fieldOfPods(role: RouterRole): string | undefined {
  if (role.replicas !== 1) return "replicas";
  if (!role.metricsAuth) return "metricsAuth";
  return ownPickerFields.find((field) => role[field as keyof RouterRole] !== undefined);
}
