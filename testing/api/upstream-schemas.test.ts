import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { GatewaySpec } from "../../kubernetes/kinds/gateway.ts";
import { HTTPRouteSpec } from "../../kubernetes/kinds/http-route.ts";
import { InferencePoolSpec, InferencePoolStatus } from "../../kubernetes/kinds/inference-pool.ts";
import {
  LeaderWorkerSetSpec,
  LeaderWorkerSetStatus,
} from "../../kubernetes/kinds/leader-worker-set.ts";
import { PodGroupSpec, PodGroupStatus } from "../../kubernetes/kinds/pod-group.ts";
import { QueueSpec, QueueStatus } from "../../kubernetes/kinds/queue.ts";
import { type StructuralSchema, structuralSchema } from "../../sdk/crds/structural-schema.ts";
import { upstreamCrd } from "./upstream-crds.ts";

/** The keywords of a schema that decide which objects are accepted, and how they are changed. */
type Shape = { [keyword: string]: unknown };

/** Templates of built-in kinds are passed on as they are. */
const isPassedOn = (field: string) =>
  /^(leaderTemplate|workerTemplate|volumeClaimTemplates)$/.test(field);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Drops words and rules in CEL, and what two spellings of the same schema differ in. */
function shapeOf(schema: unknown): Shape | unknown {
  if (Array.isArray(schema)) return schema.map(shapeOf);
  if (!isRecord(schema)) return schema;
  const kept = Object.entries(schema)
    .filter(([key, value]) => !(key === "description" && typeof value === "string"))
    .filter(([key, value]) => !(key === "minLength" && value === 0))
    .filter(([key]) => !["format", "x-kubernetes-validations", "oneOf"].includes(key))
    .map(([key, value]): [string, unknown] => {
      if (key === "properties" && isRecord(value)) {
        const fields = Object.entries(value).map(([field, inner]) => [
          field,
          isPassedOn(field) ? "passed on" : shapeOf(inner),
        ]);
        return [key, Object.fromEntries(fields)];
      }
      if ((key === "required" || key === "enum") && Array.isArray(value))
        return [key, [...value].sort()];
      if (key === "pattern") return [key, String(value).replaceAll("\\/", "/")];
      return [key, key === "default" ? value : shapeOf(value)];
    });
  return Object.fromEntries(kept);
}

const rulesIn = (schema: unknown): number =>
  isRecord(schema)
    ? Object.entries(schema).reduce(
        (count, [key, value]) =>
          count +
          (key === "x-kubernetes-validations" ? (value as unknown[]).length : rulesIn(value)),
        0,
      )
    : 0;

const stored = async (name: string) => {
  const { spec } = await upstreamCrd(name);
  return spec.versions.find(({ storage }) => storage)?.schema.openAPIV3Schema ?? {};
};

describe("zod schemas have the fields, bounds, defaults and as many rules as the published CRDs", () => {
  it.each<[string, "spec" | "status", z.ZodType, ((published: StructuralSchema) => void)?]>([
    [
      "leaderworkersets.leaderworkerset.x-k8s.io",
      "spec",
      LeaderWorkerSetSpec,
      // Bounds that LeaderWorkerSet 0.10 added.
      ({ properties }) => Object.assign(properties?.replicas ?? {}, { minimum: 0, maximum: 1e6 }),
    ],
    ["leaderworkersets.leaderworkerset.x-k8s.io", "status", LeaderWorkerSetStatus],
    ["podgroups.scheduling.volcano.sh", "spec", PodGroupSpec],
    ["podgroups.scheduling.volcano.sh", "status", PodGroupStatus],
    ["queues.scheduling.volcano.sh", "spec", QueueSpec],
    ["queues.scheduling.volcano.sh", "status", QueueStatus],
    [
      "inferencepools.inference.networking.k8s.io",
      "spec",
      InferencePoolSpec,
      // Optional since the extension's release after 1.5: a gateway can work without a picker.
      (published) => {
        published.required = published.required?.filter((field) => field !== "endpointPickerRef");
      },
    ],
    ["inferencepools.inference.networking.k8s.io", "status", InferencePoolStatus],
    ["gateways.gateway.networking.k8s.io", "spec", GatewaySpec],
    ["httproutes.gateway.networking.k8s.io", "spec", HTTPRouteSpec],
  ])("%s, %s", async (name, field, schema, since) => {
    const published = structuredClone((await stored(name)).properties?.[field] ?? {});
    const { description: _, ...own } = structuralSchema(schema);
    since?.(published);
    expect(shapeOf(own)).toEqual(shapeOf(published));
    // The rules of the Gateway API are checked only by the API server.
    if (!name.endsWith("gateway.networking.k8s.io")) {
      expect(rulesIn(own)).toBe(rulesIn(published));
    }
  });
});
