import type { Invariant } from "../../invariant.ts";
import { annotation } from "../../names.ts";
import { exportsOf, type RawSpec } from "../helpers/raw-spec.ts";
import { certificateHasOneSource } from "./certificate-source.ts";

/** Requirement that only named clusters reach an exported picker. Shared by the rules on specs and on stacks. */
export const closedExport = {
  id: "exports-are-restricted",
  title: "Only named clusters can reach an exported picker",
  why: "Cloud load balancers have a public address by default. Any client that reaches the picker can query its endpoints and put load on it.",
  source: "docs/security.md, threat model: anyone who can reach a port",
  allowed: "this only together with allowedNetworks or clientCaConfigMap",
  fix: "Set allowedNetworks to the networks of the importing clusters, or clientCaConfigMap to the CA of their certificates. allowedNetworks: ['0.0.0.0/0'] allows every address.",
} as const;

const exportsAreClosed: Invariant<RawSpec> = {
  ...closedExport,
  code: "reference",
  *check({ spec }) {
    for (const [path, exported] of exportsOf(spec)) {
      const { serviceType, allowedNetworks, clientCaConfigMap, metrics } = exported;
      const networks = Array.isArray(allowedNetworks) ? allowedNetworks.length : 0;
      if (networks > 0 || clientCaConfigMap !== undefined) continue;
      const { allowed, fix } = closedExport;
      if (serviceType === "LoadBalancer")
        yield { path: [...path, "serviceType"], given: "is LoadBalancer", allowed, fix };
      if (metrics === true) yield { path: [...path, "metrics"], given: "is true", allowed, fix };
    }
  },
};

/** Rules on the export of a pool, for every component that creates a pool. */
export const exportRules: ReadonlyArray<Invariant<RawSpec>> = [
  exportsAreClosed,
  certificateHasOneSource,
  {
    id: "export-is-set-by-argument",
    title: "A pool is exported with `export`, not with annotations",
    why: "An export mode without an export is ignored, and annotations of a component are set on all of its objects.",
    source:
      "Multi-Cluster Inference proposal: 'The export-mode annotation requires the export annotation to be set'",
    code: "conflict",
    *check({ metadata: { annotations } }) {
      if (annotations === null || typeof annotations !== "object") return;
      for (const key of [annotation.export, annotation.exportMode, annotation.exportTo]) {
        if (!Object.hasOwn(annotations, key)) continue;
        yield {
          path: ["metadata", "annotations", key],
          given: "is set by hand",
          allowed: "no such annotation, because `export` sets it on the pool",
          fix: "Remove the annotation and set `export`.",
        };
      }
    },
  },
];
