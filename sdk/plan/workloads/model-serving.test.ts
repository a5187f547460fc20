import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { SpecError } from "../../errors.ts";
import { planDocument } from "../document.ts";

/** The example of the plugin framework, with roles filled in. */
const example = join(import.meta.dirname, "../../../examples/model-serving/model-serving.yaml");
const document = () => parse(readFileSync(example, "utf8"));

interface Template {
  metadata: { labels: Record<string, string>; annotations: Record<string, string> };
  spec: { containers: Array<Record<string, unknown>>; runtimeClassName?: string };
}

const plan = (change: (serving: ReturnType<typeof document>) => void = () => {}) => {
  const serving = document();
  change(serving);
  return planDocument(serving).manifests;
};

const named = (manifests: readonly Manifest[], kind: string) =>
  manifests.filter((manifest) => manifest.kind === kind).map(({ metadata }) => metadata.name);

const templatesOf = (manifests: readonly Manifest[], name: string) => {
  const found = manifests.find(
    ({ kind, metadata }) => kind === "LeaderWorkerSet" && metadata.name === name,
  );
  const spec = found?.spec as { leaderWorkerTemplate: Record<string, Template> } | undefined;
  return spec?.leaderWorkerTemplate ?? {};
};

function problems(change: (serving: ReturnType<typeof document>) => void): string[] {
  try {
    plan(change);
  } catch (error) {
    if (error instanceof SpecError) return error.message.split("\n").slice(1);
    throw error;
  }
  return [];
}

describe("plan of a ModelServing", () => {
  it("has one PodGroup per serving group, and one LeaderWorkerSet per role of it", () => {
    const manifests = plan();
    expect(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      "PodGroup llama-8b-0",
      "LeaderWorkerSet llama-8b-0-gpu",
      "LeaderWorkerSet llama-8b-0-npu",
      "PodGroup llama-8b-1",
      "LeaderWorkerSet llama-8b-1-gpu",
      "LeaderWorkerSet llama-8b-1-npu",
      "NetworkPolicy llama-8b-engines",
    ]);
  });

  it("is the same for both API groups", () => {
    const other = plan((serving) => {
      serving.apiVersion = "workload.serving.volcano.sh/v1alpha1";
    });
    expect(other).toEqual(plan());
  });

  it("gives each role the accelerators of its plugin, in entry pods and workers", () => {
    const gpu = templatesOf(plan(), "llama-8b-0-gpu");
    expect(gpu.workerTemplate?.spec.runtimeClassName).toBe("nvidia");
    expect(gpu.workerTemplate?.spec.containers[0]?.resources).toEqual({
      limits: { "nvidia.com/gpu": "1" },
    });
    const npu = templatesOf(plan(), "llama-8b-1-npu");
    for (const template of [npu.leaderTemplate, npu.workerTemplate]) {
      expect(template?.spec.containers[0]?.resources).toEqual({
        limits: { "huawei.com/Ascend910": "1" },
      });
      expect(template?.spec.runtimeClassName).toBeUndefined();
      expect(template?.metadata.annotations).toMatchObject({
        "scheduling.k8s.io/group-name": "llama-8b-1",
        "pulumi-inference/plugins": "huawei-ascend-defaults,shm",
      });
    }
  });

  it("sets the gang's minimum per role, including resources that plugins add", () => {
    const [podGroup] = plan((serving) => {
      serving.spec.template.gangPolicy = { minRoleReplicas: { gpu: 1 } };
      serving.metadata.annotations = { "scheduling.volcano.sh/queue-name": "research" };
    });
    expect(podGroup?.spec).toMatchObject({
      minMember: 3,
      minResources: { "nvidia.com/gpu": "1", "huawei.com/Ascend910": "2" },
      queue: "research",
      subGroupPolicy: [
        { name: "gpu", subGroupSize: 1, minSubGroups: 1 },
        {
          name: "npu",
          subGroupSize: 2,
          minSubGroups: 1,
          matchLabelKeys: ["leaderworkerset.sigs.k8s.io/group-index"],
          labelSelector: {
            matchLabels: {
              "modelserving.volcano.sh/name": "llama-8b",
              "modelserving.volcano.sh/group-name": "llama-8b-0",
              "modelserving.volcano.sh/role": "npu",
            },
          },
        },
      ],
    });
  });

  it("has no PodGroup and no gang annotations with the default scheduler", () => {
    const manifests = plan((serving) => {
      serving.spec.schedulerName = "default-scheduler";
    });
    expect(named(manifests, "PodGroup")).toEqual([]);
    expect(JSON.stringify(manifests)).not.toContain("scheduling.k8s.io/group-name");
  });

  it("recoveryPolicy None does not restart the group of a failed pod", () => {
    const manifests = plan((serving) => {
      serving.spec.recoveryPolicy = "None";
    });
    expect(templatesOf(manifests, "llama-8b-0-npu")).toMatchObject({ restartPolicy: "None" });
    expect(templatesOf(plan(), "llama-8b-0-npu")).toMatchObject({
      restartPolicy: "RecreateGroupAfterStart",
    });
  });

  it("adds Kthena's variables unless the template sets them", () => {
    const manifests = plan((serving) => {
      serving.spec.template.roles[0].entryTemplate.spec.containers[0].env = [
        { name: "GROUP_SIZE", value: "1" },
      ];
    });
    const [container] =
      templatesOf(manifests, "llama-8b-0-gpu").workerTemplate?.spec.containers ?? [];
    expect(container?.env).toEqual([
      { name: "GROUP_SIZE", value: "1" },
      { name: "ENTRY_ADDRESS", value: "$(LWS_LEADER_ADDRESS)" },
      { name: "WORKER_INDEX", value: "$(LWS_WORKER_INDEX)" },
    ]);
  });
});

describe("parseModelServing refuses", () => {
  const role = (serving: ReturnType<typeof document>, at = 0) => serving.spec.template.roles[at];
  it.each<[what: string, change: (serving: ReturnType<typeof document>) => void, line: RegExp]>([
    [
      "no roles",
      (s) => Object.assign(s.spec, { plugins: [], template: { roles: [] } }),
      /template\.roles: is an empty list/,
    ],
    [
      "a role name of 13 characters",
      (s) => Object.assign(role(s), { name: "g".repeat(13) }),
      /template\.roles\[0\]\.name: is "g+"; allowed: .*12/,
    ],
    [
      "workers without a template",
      (s) => Object.assign(role(s), { workerReplicas: 2 }),
      /roles\[0\]\.workerTemplate: is missing/,
    ],
    [
      "a template without workers",
      (s) => Object.assign(role(s, 1), { workerReplicas: undefined }),
      /roles\[1\]\.workerTemplate: is set, but workerReplicas is 0/,
    ],
    [
      "a minimum above replicas",
      (s) => Object.assign(s.spec.template, { gangPolicy: { minRoleReplicas: { gpu: 3 } } }),
      /gangPolicy\.minRoleReplicas\.gpu: is 3; allowed: at most 2, the role's replicas/,
    ],
    [
      "a minimum of a role that does not exist",
      (s) => Object.assign(s.spec.template, { gangPolicy: { minRoleReplicas: { x: 1 } } }),
      /minRoleReplicas\.x: is for a role that does not exist; allowed: gpu, npu/,
    ],
    [
      "another scheduler in a template",
      (s) => Object.assign(role(s).entryTemplate.spec, { schedulerName: "default-scheduler" }),
      /entryTemplate\.spec\.schedulerName: is "default-scheduler"; allowed: volcano/,
    ],
    [
      "labels that the plan sets",
      (s) =>
        Object.assign(role(s).entryTemplate, {
          metadata: { labels: { "leaderworkerset.sigs.k8s.io/name": "x" } },
        }),
      /labels\["leaderworkerset\.sigs\.k8s\.io\/name"\]: is set by hand/,
    ],
    [
      "an unknown recoveryPolicy",
      (s) => Object.assign(s.spec, { recoveryPolicy: "Never" }),
      /recoveryPolicy: is "Never"; allowed: ServingGroupRecreate, RoleRecreate, None/,
    ],
    [
      "a name that is too long",
      (s) => Object.assign(s.metadata, { name: "n".repeat(50) }),
      /template\.roles\[0\]\.name: leads to the LeaderWorkerSet name/,
    ],
    [
      "a plugin scope with an unknown role",
      (s) => Object.assign(s.spec.plugins[0].scope, { roles: ["x"] }),
      /plugins\[0\]\.scope\.roles\[0\]: is "x"; allowed: gpu, npu/,
    ],
    [
      "a wrong config",
      (s) => Object.assign(s.spec.plugins[0].config, { gpuCount: 0 }),
      /plugins\[0\]\.config\.gpuCount: is 0; allowed: a whole number of at least 1/,
    ],
    [
      "accelerators of two vendors on one pod",
      (s) => Object.assign(s.spec.plugins[1].scope, { roles: ["gpu", "npu"] }),
      /plugins\[1\]: "huawei-ascend-defaults" on role "gpu", entry pods: spec\.containers\[0\]\.resources requests nvidia/,
    ],
  ])("%s", (_what, change, line) => {
    expect(problems(change)).toContainEqual(expect.stringMatching(line));
  });
});
