import { expect, it } from "vitest";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { impactOf } from "./impact.ts";

const workload = (kind: string, image: string, gpus: number, spec: object): Manifest => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name: "qwen", namespace: "ml" },
  spec: {
    replicas: 4,
    ...spec,
    template: {
      spec: {
        containers: [{ name: "vllm", image, resources: { limits: { "nvidia.com/gpu": gpus } } }],
      },
    },
  },
});

const rolling = (rollingUpdate: object) => ({ strategy: { type: "RollingUpdate", rollingUpdate } });
const ordered = (rollingUpdate: object) => ({ updateStrategy: { rollingUpdate } });

it.each<readonly [string, string, object, readonly number[]]>([
  // Restarted, stopped together, accelerators, away at once, lowest.
  ["the default strategy", "Deployment", {}, [4, 0, 8, 1, 3]],
  ["one replica", "Deployment", { replicas: 1 }, [1, 0, 2, 0, 1]],
  ["two replicas", "Deployment", { replicas: 2 }, [2, 0, 4, 0, 2]],
  ["Recreate", "Deployment", { strategy: { type: "Recreate" } }, [0, 4, 8, 4, 0]],
  ["maxUnavailable 0", "Deployment", rolling({ maxUnavailable: 0 }), [4, 0, 8, 0, 4]],
  ["maxUnavailable 50%", "Deployment", rolling({ maxUnavailable: "50%" }), [4, 0, 8, 2, 2]],
  ["maxUnavailable 100%", "Deployment", rolling({ maxUnavailable: "100%" }), [0, 4, 8, 4, 0]],
  [
    "maxUnavailable and maxSurge 0",
    "Deployment",
    rolling({ maxUnavailable: "10%", maxSurge: 0 }),
    [4, 0, 8, 1, 3],
  ],
  ["the default strategy", "StatefulSet", {}, [4, 0, 8, 1, 3]],
  ["maxUnavailable 2", "StatefulSet", ordered({ maxUnavailable: 2 }), [4, 0, 8, 2, 2]],
  ["a partition", "StatefulSet", ordered({ partition: 3 }), [1, 0, 2, 1, 3]],
])("a new image with %s of a %s has its restart", (_, kind, spec, expected) => {
  const [service] = impactOf([
    {
      ...{ operation: "update", resource: "qwen", replaceReasons: [] },
      before: workload(kind, "vllm:1", 2, spec),
      after: workload(kind, "vllm:2", 2, spec),
    },
  ]).services;
  const [role] = service?.roles ?? [];
  expect(service?.restarted).toEqual([`${kind} ml/qwen`]);
  expect(role?.role).toBe("ml/qwen");
  const { restarted, stopped, gpus, awayAtOnce, lowest } = role ?? {};
  expect([restarted, stopped, gpus, awayAtOnce, lowest]).toEqual(expected);
});

it.each([
  ["a Deployment without accelerators", "Deployment", 0, {}],
  ["a StatefulSet with OnDelete", "StatefulSet", 2, { updateStrategy: { type: "OnDelete" } }],
])("a new image of %s restarts no accelerators", (_, kind, gpus, spec) => {
  const impact = impactOf([
    {
      ...{ operation: "update", resource: "qwen", replaceReasons: [] },
      before: workload(kind, "vllm:1", gpus, spec),
      after: workload(kind, "vllm:2", gpus, spec),
    },
  ]);
  expect([impact.restartedGpus, impact.services[0]?.roles]).toEqual([0, []]);
});

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

it.each([
  ["a secret spec", "[secret]"],
  ["an unknown template", { template: unknown }],
  ["secret containers", { template: { spec: { containers: "[secret]" } } }],
  ["secret resources", { template: { spec: { containers: [{ resources: "[secret]" }] } } }],
])("a new image of a Deployment with %s counts no accelerators", (_, spec) => {
  const of = (image: string): Manifest => ({ ...workload("Deployment", image, 2, {}), spec });
  const impact = impactOf([
    {
      ...{ operation: "update", resource: "qwen", replaceReasons: [] },
      ...{ before: of("vllm:1"), after: of("vllm:2") },
    },
  ]);
  expect([impact.restartedGpus, impact.services[0]?.roles]).toEqual([0, []]);
});

it("deleting a Deployment with accelerators is reported as stopped replicas, with advice", () => {
  const before = workload("Deployment", "vllm:1", 2, {});
  const impact = impactOf([
    { operation: "delete", resource: "qwen", replaceReasons: [], before, after: undefined },
  ]);
  expect(impact.services).toMatchObject([
    {
      roles: [{ role: "ml/qwen", replicas: 4, after: 0, stopped: 4, gpus: 8, lowest: 0 }],
      lost: [{ object: "Deployment ml/qwen", advice: expect.stringContaining("protect: true") }],
    },
  ]);
});
