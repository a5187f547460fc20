import { describe, expect, it } from "vitest";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { SpecError } from "../../errors.ts";
import { planDocument } from "../document.ts";

/**
 * Fields of Kthena's ModelServing that LeaderWorkerSet does not have. The specs are condensed from the example files of
 * volcano-sh/kthena at 3cc05728.
 */

const pod = (fields: object = {}) => ({
  spec: { containers: [{ name: "server", image: "server:1" }] },
  ...fields,
});
const role = (name: string, workers = 0, fields: object = {}) => ({
  name,
  replicas: 1,
  entryTemplate: pod(),
  workerReplicas: workers,
  ...(workers > 0 && { workerTemplate: pod() }),
  ...fields,
});
const pair = [role("prefill"), role("decode")];
const largePair = [role("prefill", 1), role("decode", 1)];
const grace = { restartGracePeriodSeconds: 60 };

interface Written {
  spec?: object;
  template?: object;
  roles?: object[];
}

function planned({ spec = {}, template = {}, roles = pair }: Written) {
  const advice: string[] = [];
  const document = {
    apiVersion: "workload.serving.volcano.sh/v1alpha1",
    kind: "ModelServing",
    metadata: { name: "ms", namespace: "default" },
    spec: { schedulerName: "volcano", replicas: 1, ...spec, template: { roles, ...template } },
  };
  try {
    const { manifests } = planDocument(document, {
      onAdvice: ({ path }) => advice.push(path.join(".")),
    });
    return { manifests, advice, problems: [] };
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    const problems = error.problems.map(({ path }) => path.join("."));
    return { manifests: [] as Manifest[], advice, problems };
  }
}

const recreate = { recoveryPolicy: "ServingGroupRecreate" };
const byGroup = (limits: object) => ({
  rolloutStrategy: { type: "ServingGroupRollingUpdate", rollingUpdateConfiguration: limits },
});
const byRole = { rolloutStrategy: { type: "RoleRollingUpdate" } };
const topology = {
  networkTopology: {
    rolePolicy: { mode: "hard", highestTierAllowed: 1 },
    groupPolicy: { mode: "soft", highestTierAllowed: 2 },
  },
};
const ownLabels = {
  entryTemplate: pod({
    metadata: {
      labels: {
        "modelserving.volcano.sh/group-name": "group-0",
        "modelserving.volcano.sh/rolename": "P-instance",
      },
    },
  }),
};
const atGrace = "template.restartGracePeriodSeconds";
const atLimit = "rolloutStrategy.rollingUpdateConfiguration.maxUnavailable";

type Row = readonly [what: string, written: Written, advice: string[], problems: string[]];

const verdicts: readonly Row[] = [
  ["roles of one pod", { template: grace }, [], []],
  [
    "gpu-kvcache-aware: one role, recreated whole",
    { spec: recreate, template: grace, roles: [role("server")] },
    [],
    [],
  ],
  [
    "multi-node, sample, data-parallel: entry and workers",
    { template: grace, roles: largePair },
    [atGrace],
    [],
  ],
  ["no recovery", { spec: { recoveryPolicy: "None" }, template: grace, roles: largePair }, [], []],
  [
    "gangPolicy",
    { template: { ...grace, gangPolicy: { minRoleReplicas: { prefill: 1 } } } },
    [],
    [],
  ],
  [
    "gpu-pd-disaggregation: a pair that is recreated whole",
    { spec: recreate, template: grace },
    ["recoveryPolicy"],
    [],
  ],
  [
    "vllm-pd-multinode: a large pair that is recreated whole",
    { spec: recreate, template: grace, roles: largePair },
    [atGrace, "recoveryPolicy"],
    [],
  ],
  ["network-topology", { template: topology }, [], []],
  [
    "role-rollingupdate",
    { spec: byRole, roles: [role("server", 0, { maxUnavailable: "50%", partition: 1 })] },
    [],
    [],
  ],
  [
    "rollingupdate: two of four groups",
    { spec: { replicas: 4, ...byGroup({ maxUnavailable: 2 }) } },
    [atLimit],
    [],
  ],
  ["all groups", { spec: { replicas: 2, ...byGroup({ maxUnavailable: "100%" }) } }, [], []],
  ["one group", { spec: byGroup({ maxUnavailable: 1 }) }, [], []],
  ["some groups kept", { spec: { replicas: 4, ...byGroup({ partition: 3 }) } }, [], []],
  [
    "prefill-decode-disaggregation: a template of no workers",
    { roles: [role("server", 0, { workerTemplate: { spec: { containers: [] } } })] },
    [],
    [],
  ],
  [
    "kthena-router: labels of Kthena",
    { roles: [role("server", 0, ownLabels)] },
    ["template.roles.0.entryTemplate.metadata.labels.modelserving.volcano.sh/group-name"],
    [],
  ],
  [
    "pods near by Kubernetes' scheduler",
    { spec: { schedulerName: "default-scheduler" }, template: grace },
    [],
    [],
  ],
  [
    "topology without Volcano",
    { spec: { schedulerName: "default-scheduler" }, template: topology },
    [],
    ["template.networkTopology"],
  ],
  [
    "limits of groups in a rollout by role",
    { spec: { rolloutStrategy: { ...byRole.rolloutStrategy, rollingUpdateConfiguration: {} } } },
    [],
    ["rolloutStrategy.rollingUpdateConfiguration"],
  ],
  [
    "limits of a role in a rollout by group",
    { roles: [role("server", 0, { partition: 1 })] },
    [],
    ["template.roles.0.partition"],
  ],
  ["a limit that is not a number", { spec: byGroup({ maxUnavailable: "two" }) }, [], [atLimit]],
];

it.each(verdicts)(
  "%s: %j causes warnings at %j and is refused at %j",
  (_, written, advice, problems) => {
    const plan = planned(written);
    expect({ advice: plan.advice, problems: plan.problems }).toEqual({ advice, problems });
    expect(plan.manifests.length > 0).toBe(problems.length === 0);
  },
);

const specsOf = (written: Written, kind: string) =>
  planned(written)
    .manifests.filter((manifest) => manifest.kind === kind)
    .map(({ metadata, spec }) => ({ name: metadata.name, spec: spec as Record<string, unknown> }));

describe("plan of a ModelServing", () => {
  it("sets the network topology on the PodGroup and its sub-groups", () => {
    const [group] = specsOf({ template: topology }, "PodGroup");
    expect(group?.spec).toMatchObject({
      networkTopology: { mode: "soft", highestTierAllowed: 2 },
      subGroupPolicy: [
        { name: "prefill", networkTopology: { mode: "hard", highestTierAllowed: 1 } },
        { name: "decode", networkTopology: { mode: "hard", highestTierAllowed: 1 } },
      ],
    });
  });

  const updates = (written: Written) =>
    specsOf(written, "LeaderWorkerSet").map(({ name, spec }) => {
      const { rollingUpdateConfiguration: limits } = spec.rolloutStrategy as {
        rollingUpdateConfiguration: { maxUnavailable: unknown; partition: unknown };
      };
      return [name, limits.maxUnavailable, limits.partition];
    });

  it.each([
    [{ maxUnavailable: 2 }, 2, 0],
    [{ maxUnavailable: "50%", partition: "30%" }, 2, 2],
    [{ maxUnavailable: "10%" }, 1, 0],
    [{ partition: 3 }, 1, 3],
  ])("limits a rollout by role with %j", (limits, maxUnavailable, partition) => {
    const roles = [role("server", 0, { replicas: 5, ...limits })];
    expect(updates({ spec: byRole, roles })).toEqual([["ms-0-server", maxUnavailable, partition]]);
  });

  it.each([
    [2, ["ms-0-server 3", "ms-1-server 3", "ms-2-server 0"]],
    ["40%", ["ms-0-server 3", "ms-1-server 3", "ms-2-server 0"]],
    [0, ["ms-0-server 0", "ms-1-server 0", "ms-2-server 0"]],
  ])("keeps the pods of the first serving groups with partition %s", (partition, kept) => {
    const roles = [role("server", 0, { replicas: 3 })];
    const spec = { replicas: 3, ...byGroup({ partition }) };
    expect(updates({ spec, roles }).map(([name, , at]) => `${name} ${at}`)).toEqual(kept);
  });

  it.each([
    ["ServingGroupRecreate", "RecreateGroupAfterStart"],
    ["RoleRecreate", "RecreateGroupAfterStart"],
    ["None", "None"],
  ])("sets restartPolicy for recoveryPolicy %s: %s", (recoveryPolicy, restartPolicy) => {
    const [set] = specsOf({ spec: { recoveryPolicy }, roles: largePair }, "LeaderWorkerSet");
    expect(set?.spec.leaderWorkerTemplate).toMatchObject({ restartPolicy });
  });

  it("overwrites its own labels and keeps other labels with Kthena's prefix", () => {
    const [set] = specsOf({ roles: [role("server", 0, ownLabels)] }, "LeaderWorkerSet");
    expect(set?.spec.leaderWorkerTemplate).toMatchObject({
      workerTemplate: {
        metadata: {
          labels: {
            "modelserving.volcano.sh/group-name": "ms-0",
            "modelserving.volcano.sh/rolename": "P-instance",
          },
        },
      },
    });
  });
});
