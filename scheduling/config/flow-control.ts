import { parseDuration } from "../../kubernetes/values/duration.ts";
import { parseQuantity, toUnits } from "../../kubernetes/values/quantity.ts";
import type { PluginKind } from "../profiles/plugin.ts";
import type { ConfiguredBand, ConfiguredFlowControl, ConfiguredPlugin } from "./picker-config.ts";
import type { EndpointPickerConfig } from "./schema.ts";

/** Access to the rest of the document. */
export interface Surroundings {
  /** Returns the plugin of a name and kind, or the default plugin without a name. Reports problems at the path. */
  plugin(
    name: string | undefined,
    wanted: { readonly kind: PluginKind; readonly called: string; readonly byDefault: string },
    path: string,
  ): ConfiguredPlugin;
  problem(path: string, message: string): void;
  warn(warning: string): void;
}

type Section = NonNullable<EndpointPickerConfig["flowControl"]>;
type Band = NonNullable<Section["defaultPriorityBand"]>;

const defaultTtl = 60_000;
const defaultBandRequests = 5_000;
const defaultBandBytes = 1_000_000_000;

const fairness = {
  kind: "fairness",
  called: "fairness policy",
  byDefault: "global-strict-fairness-policy",
} as const;
const ordering = {
  kind: "ordering",
  called: "ordering policy",
  byDefault: "fcfs-ordering-policy",
} as const;
const ceilings = {
  kind: "ceilings",
  called: "usage limit policy",
  byDefault: "static-usage-limit-policy",
} as const;

/** Reads section `flowControl`, with upstream's defaults. */
export function resolveFlowControl(section: Section, around: Surroundings): ConfiguredFlowControl {
  const quantity = (written: string | number | undefined, unset: number, path: string): number => {
    if (written === undefined) return unset;
    const parsed = parseQuantity(written);
    if (parsed === undefined || parsed.nanos < 0n) {
      around.problem(
        path,
        `${JSON.stringify(written)} is not a quantity of 0 or more: write for example 5k or 10Gi`,
      );
      return unset;
    }
    return toUnits(parsed) || unset;
  };
  const ttl = (written: string | undefined, unset: number, path: string): number => {
    if (written === undefined) return unset;
    const milliseconds = parseDuration(written);
    if (milliseconds === undefined)
      around.problem(
        path,
        `${JSON.stringify(written)} is not a duration: write for example 60s, or 0s for no limit`,
      );
    return milliseconds || Number.POSITIVE_INFINITY;
  };
  const { bandPolicy = "strict" } = section;
  const band = (given: Band, path: string): ConfiguredBand => {
    if (given.weight !== undefined && bandPolicy === "strict")
      around.problem(
        `${path}.weight`,
        "bands are served strictly by priority: set flowControl.bandPolicy to weighted, or leave the weight out",
      );
    if (given.defaultRequestTTL !== undefined)
      around.warn(`${path}.defaultRequestTTL is ignored; flowControl.defaultRequestTTL applies`);
    return {
      weight: given.weight ?? 1,
      maxRequests: quantity(given.maxRequests, defaultBandRequests, `${path}.maxRequests`),
      maxBytes: quantity(given.maxBytes, defaultBandBytes, `${path}.maxBytes`),
      fairness: around.plugin(given.fairnessPolicyRef, fairness, `${path}.fairnessPolicyRef`),
      ordering: around.plugin(given.orderingPolicyRef, ordering, `${path}.orderingPolicyRef`),
    };
  };

  const { defaultPriorityBand = {}, priorityBands = [] } = section;
  const defaultBand = band(defaultPriorityBand, "flowControl.defaultPriorityBand");
  const negative = section.defaultNegativePriorityBand;
  const requestTtl = ttl(section.defaultRequestTTL, defaultTtl, "flowControl.defaultRequestTTL");
  const bands = priorityBands.map((given, at) => {
    const path = `flowControl.priorityBands[${at}]`;
    const { priority } = given;
    if (priorityBands.findIndex((each) => each.priority === priority) !== at)
      around.problem(`${path}.priority`, `two bands have priority ${priority}`);
    return { priority, ...band(given, path) };
  });
  return {
    maxRequests: quantity(section.maxRequests, Number.POSITIVE_INFINITY, "flowControl.maxRequests"),
    maxBytes: quantity(section.maxBytes, Number.POSITIVE_INFINITY, "flowControl.maxBytes"),
    requestTtl,
    noEndpointTtl: ttl(
      section.noEndpointRequestTTL,
      requestTtl,
      "flowControl.noEndpointRequestTTL",
    ),
    // Requests without an objective have priority 0, so this band always exists.
    bands: bands.some(({ priority }) => priority === 0)
      ? bands
      : [...bands, { priority: 0, ...defaultBand }],
    defaultBand,
    defaultNegativeBand:
      negative === undefined
        ? defaultBand
        : band(negative, "flowControl.defaultNegativePriorityBand"),
    ceilings: around.plugin(
      section.usageLimitPolicyPluginRef,
      ceilings,
      "flowControl.usageLimitPolicyPluginRef",
    ),
    bandPolicy,
    evicts: section.enableEviction ?? false,
  };
}
