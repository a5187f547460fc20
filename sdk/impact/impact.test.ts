import { expect, it } from "vitest";
import { impactOf } from "./impact.ts";
import { readPreview } from "./preview.ts";

const set = (role: string, image: string) => ({
  type: "kubernetes:leaderworkerset.x-k8s.io/v1:LeaderWorkerSet",
  inputs: {
    apiVersion: "leaderworkerset.x-k8s.io/v1",
    kind: "LeaderWorkerSet",
    metadata: {
      name: `svc-${role}`,
      namespace: "ns",
      labels: { "fusioninfer.io/service": "svc", "fusioninfer.io/role-name": role },
    },
    spec: {
      replicas: 2,
      leaderWorkerTemplate: {
        size: 1,
        workerTemplate: { spec: { containers: [{ name: "vllm", image }] } },
      },
    },
  },
});

const step = (role: string, op: string, replaceReasons: readonly string[] = []) => ({
  op,
  urn: `urn:pulumi:s::p::kubernetes:LeaderWorkerSet::svc-${role}`,
  ...{ oldState: set(role, "a"), newState: set(role, "b"), replaceReasons },
});

const impact = (steps: readonly object[]) => impactOf(readPreview(JSON.stringify({ steps })));

it("the impact does not depend on the order in which the preview lists objects", () => {
  const steps = [step("prefill", "update"), step("decode", "update")];
  expect(impact(steps)).toEqual(impact(steps.toReversed()));
  expect(impact(steps).services[0]?.roles.map(({ role }) => role)).toEqual(["decode", "prefill"]);
});

it("the impact does not depend on the order in which the preview lists replaced fields", () => {
  const reasons = ["spec.selector", "metadata.name"];
  const of = (fields: readonly string[]) => impact([step("decode", "replace", fields)]);
  expect(of(reasons)).toEqual(of(reasons.toReversed()));
});
