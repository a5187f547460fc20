import { describe, expect, it } from "vitest";
import { decoder, prefiller, service } from "../../test/harness/sample-service.ts";
import type { Manifest } from "../kubernetes/manifest.ts";
import { planInferenceService } from "../plan/inference-service.ts";
import { stackRules } from "./index.ts";
import { violations } from "./invariant.ts";

type Json = Record<string, unknown>;
interface Template {
  metadata: { labels: Json };
  spec: { containers: [Json]; schedulerName?: string };
}

const pair = (layout: "subGroup" | "task"): Manifest[] =>
  planInferenceService(
    service([prefiller({ multinode: { nodeCount: 2 } }), decoder({ replicas: 2 })], {
      schedulingStrategy: { gang: { layout } },
    }),
  );
const podGroup = (stack: Manifest[]) => stack[0]?.spec as Json;
const policy = (stack: Manifest[], at: number) =>
  (podGroup(stack).subGroupPolicy as Json[])[at] as Json;
const template = (stack: Manifest[], field: "leaderTemplate" | "workerTemplate"): Template => {
  const spec = stack[1]?.spec as { leaderWorkerTemplate: Record<string, Template> };
  return spec.leaderWorkerTemplate[field] as Template;
};

/** One edit of a good stack, and the rule that it breaks. */
const broken: Array<
  [rule: string, layout: "subGroup" | "task", edit: (stack: Manifest[]) => void]
> = [
  ["gang-pods-name-their-pod-group", "subGroup", (stack) => stack.shift()],
  [
    "gang-pods-name-their-pod-group",
    "subGroup",
    (stack) => Object.assign(stack[0]?.metadata ?? {}, { namespace: "other" }),
  ],
  [
    "gang-has-one-scheduler",
    "subGroup",
    (stack) => delete template(stack, "leaderTemplate").spec.schedulerName,
  ],
  [
    "gang-has-one-scheduler",
    "task",
    (stack) => Object.assign(template(stack, "workerTemplate").spec, { schedulerName: "kube" }),
  ],
  [
    "min-member-is-the-minimum",
    "subGroup",
    (stack) => Object.assign(podGroup(stack), { minMember: 4 }),
  ],
  [
    "min-member-is-the-minimum",
    "task",
    (stack) => Object.assign(podGroup(stack), { minMember: 3 }),
  ],
  [
    "gang-has-one-kind-of-minimum",
    "task",
    (stack) => Object.assign(podGroup(stack), { subGroupPolicy: [] }),
  ],
  ["gang-minimum-has-its-pods", "task", (stack) => stack.pop()],
  [
    "sub-group-is-a-replica",
    "subGroup",
    (stack) =>
      Object.assign(policy(stack, 0), {
        subGroupSize: 1,
        minSubGroups: 2,
      }),
  ],
  [
    "sub-group-is-a-replica",
    "subGroup",
    (stack) => Object.assign(policy(stack, 1), { matchLabelKeys: [] }),
  ],
  [
    "sub-group-is-a-replica",
    "subGroup",
    (stack) =>
      Object.assign(policy(stack, 1), {
        matchLabelKeys: ["mine"],
      }),
  ],
  [
    "workers-have-no-network-probe",
    "task",
    (stack) =>
      Object.assign(template(stack, "workerTemplate").spec.containers[0], {
        livenessProbe: { httpGet: {} },
      }),
  ],
  [
    "workers-have-no-network-probe",
    "task",
    (stack) =>
      Object.assign(template(stack, "workerTemplate").spec.containers[0], {
        ports: [{ name: "http" }],
      }),
  ],
  [
    "leaders-are-ready-when-serving",
    "task",
    (stack) => delete template(stack, "leaderTemplate").spec.containers[0].readinessProbe,
  ],
  [
    "templates-have-no-revision",
    "task",
    (stack) =>
      Object.assign(template(stack, "workerTemplate").metadata.labels, {
        "fusioninfer.io/revision": "1",
      }),
  ],
];

const brokenRules = (stack: Manifest[]) =>
  stackRules.filter((rule) => violations([rule], stack).length > 0).map(({ id }) => id);

describe("stack rules", () => {
  it.each(["subGroup", "task"] as const)("hold for a planned pair under layout %s", (layout) => {
    expect(brokenRules(pair(layout))).toEqual([]);
  });

  it.each(broken)("%s is broken by one edit (%s)", (rule, layout, edit) => {
    const stack = structuredClone(pair(layout));
    edit(stack);
    expect(brokenRules(stack)).toContain(rule);
  });

  it("are each broken by something above", () => {
    const names = new Set(broken.map(([rule]) => rule));
    expect(stackRules.filter(({ id }) => !names.has(id))).toEqual([]);
  });
});
