import fc from "fast-check";
import { expect, it } from "vitest";
import { planInferenceService } from "../plan/inference-service.ts";
import { stackRules } from "../rules/objects/index.ts";
import { readStack } from "../stack/stack.ts";
import { capacity } from "./capacity.ts";
import { type SampleRole, sampleService } from "./sample-service.fixture.ts";

interface Demand {
  gpus: number;
  /** The pods of a group must be on distinct nodes. */
  group?: string;
}

/** Tries every placement, independently of the code under test. */
function canBePacked(demands: readonly Demand[], free: readonly number[]): boolean {
  const seen = new Set<string>();
  const search = (at: number, left: readonly number[], groups: readonly string[][]): boolean => {
    const demand = demands[at];
    if (demand === undefined) return true;
    const state = JSON.stringify([at, left.map((gpus, i) => [gpus, groups[i]]).sort()]);
    if (seen.has(state)) return false;
    seen.add(state);
    return left.some((gpus, node) => {
      const { group } = demand;
      if (gpus < demand.gpus || (group !== undefined && groups[node]?.includes(group)))
        return false;
      return search(
        at + 1,
        left.with(node, gpus - demand.gpus),
        group === undefined ? groups : groups.with(node, [...(groups[node] ?? []), group]),
      );
    });
  };
  return search(
    0,
    free,
    free.map(() => []),
  );
}

const podsOf = (role: SampleRole, replicas: number): Demand[] =>
  Array.from({ length: replicas }, (_, index) =>
    Array.from({ length: role.nodeCount ?? 1 }, () => ({
      gpus: role.gpus,
      ...(role.distinctNodes && { group: `${role.name}-${index}` }),
    })),
  ).flat();

const gangRole = (
  name: string,
  componentType: "prefiller" | "decoder",
  gpus: fc.Arbitrary<number>,
) =>
  fc
    .record({
      name: fc.constant(name),
      componentType: fc.constant(componentType),
      replicas: fc.integer({ min: 1, max: 3 }),
      minReplicas: fc.integer({ min: 1, max: 2 }),
      nodeCount: fc.integer({ min: 1, max: 3 }),
      gpus,
    })
    .map(
      (role): SampleRole => ({ ...role, minReplicas: Math.min(role.minReplicas, role.replicas) }),
    );

const pair = (gpus: fc.Arbitrary<number>) =>
  fc.tuple(gangRole("prefill", "prefiller", gpus), gangRole("decode", "decoder", gpus));

const distinct = (roles: readonly SampleRole[], choice: readonly boolean[]): SampleRole[] =>
  roles.map((role, at) => ({ ...role, distinctNodes: choice[at] ?? false }));

const minimumOf = (roles: readonly SampleRole[]) =>
  roles.flatMap((role) => podsOf(role, role.minReplicas ?? 1));

const packings = fc.constantFrom("stock" as const, "gpu" as const);
const clusters = fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 5 });
const layouts = fc.constantFrom("subGroup" as const, "task" as const, "none" as const);

/** Removes `minReplicas`: layout task always starts all replicas. */
const withoutMinimum = ({ minReplicas, ...role }: SampleRole): SampleRole => role;

const placement = (
  roles: readonly SampleRole[],
  cluster: readonly number[],
  binpack: "stock" | "gpu",
  layout: "subGroup" | "task" | "none" = "subGroup",
) =>
  capacity(
    sampleService(layout === "task" ? roles.map(withoutMinimum) : roles, {
      schedulingStrategy: { gang: { layout } },
    }),
    cluster.map((gpus) => ({ gpus })),
    { scheduler: { binpack } },
  );

it("the pods that are placed fit on the nodes", () => {
  const cases = fc.tuple(
    pair(fc.integer({ min: 1, max: 8 })),
    fc.tuple(fc.boolean(), fc.boolean()),
    clusters,
    packings,
    layouts,
  );
  fc.assert(
    fc.property(cases, ([pairRoles, choice, cluster, binpack, layout]) => {
      const roles = distinct(pairRoles, choice);
      const row = placement(roles, cluster, binpack, layout);
      const started = row.replicas.flatMap(({ role: name, index, scheduledPods }) => {
        const role = roles.find((each) => each.name === name) as SampleRole;
        const group = role.distinctNodes ? { group: `${name}-${index}` } : {};
        return Array.from({ length: scheduledPods }, () => ({ gpus: role.gpus, ...group }));
      });
      expect(canBePacked(started, cluster)).toBe(true);
      const used = started.reduce((sum, { gpus }) => sum + gpus, 0);
      expect(row.idleGpus).toBe(cluster.reduce((sum, gpus) => sum + gpus, 0) - used);
      expect(row.gpus).toBe((row.idleGpus ?? 0) + used);
    }),
  );
});

it("a gang starts with at least its minimum or not at all, and only whole replicas", () => {
  const cases = fc.tuple(pair(fc.integer({ min: 1, max: 8 })), clusters, packings);
  fc.assert(
    fc.property(cases, ([roles, cluster, binpack]) => {
      const { replicas, status } = placement(roles, cluster, binpack);
      const whole = (name: string) =>
        replicas.filter(({ role, scheduledPods, size }) => role === name && scheduledPods === size);
      for (const { scheduledPods, size } of replicas) expect([0, size]).toContain(scheduledPods);
      for (const { name, minReplicas = 1 } of roles) {
        if (status === "Blocked") expect(whole(name)).toHaveLength(0);
        else expect(whole(name).length).toBeGreaterThanOrEqual(minReplicas);
      }
    }),
  );
});

it("the placement is exact and independent of the configuration if all pods request the same number of GPUs", () => {
  const cases = fc
    .integer({ min: 1, max: 8 })
    .chain((gpus) => fc.tuple(pair(fc.constant(gpus)), clusters, packings));
  fc.assert(
    fc.property(cases, ([roles, cluster, binpack]) => {
      const row = placement(roles, cluster, binpack);
      expect(row.status === "Blocked").toBe(!canBePacked(minimumOf(roles), cluster));
      expect(row.note).not.toContain("Volcano");
      const waiting = row.replicas.filter(({ scheduledPods }) => scheduledPods === 0);
      const started = row.replicas.filter(({ scheduledPods }) => scheduledPods > 0);
      const demandOf = (replicas: typeof waiting) =>
        replicas.flatMap(({ role, size }) => {
          const { gpus } = roles.find(({ name }) => name === role) as SampleRole;
          return Array.from({ length: size }, () => ({ gpus }));
        });
      if (row.status === "Blocked") return;
      for (const replica of waiting) {
        expect(canBePacked(demandOf([...started, replica]), cluster)).toBe(false);
      }
    }),
  );
});

it("GPU binpack starts every minimum that fits on equal nodes if pods request 1, 2, 4 or 8 GPUs", () => {
  const cases = fc.tuple(
    pair(fc.constantFrom(1, 2, 4, 8)),
    fc.integer({ min: 1, max: 5 }),
    fc.constantFrom("subGroup" as const, "task" as const),
  );
  fc.assert(
    fc.property(cases, ([roles, count, layout]) => {
      const cluster = Array.from({ length: count }, () => 8);
      const minimum =
        layout === "task" ? roles.flatMap((role) => podsOf(role, role.replicas)) : minimumOf(roles);
      const row = placement(roles, cluster, "gpu", layout);
      expect(row.status === "Blocked").toBe(!canBePacked(minimum, cluster));
    }),
  );
});

it("a minimum that no placement can satisfy is never placed, also with distinct nodes", () => {
  const cases = fc.tuple(
    pair(fc.integer({ min: 1, max: 8 })),
    fc.tuple(fc.boolean(), fc.boolean()),
    clusters,
    packings,
  );
  fc.assert(
    fc.property(cases, ([pairRoles, choice, cluster, binpack]) => {
      const roles = distinct(pairRoles, choice);
      fc.pre(!canBePacked(minimumOf(roles), cluster));
      expect(placement(roles, cluster, binpack).status).toBe("Blocked");
    }),
  );
});

it("canBePacked is correct for small cases", () => {
  expect(canBePacked([{ gpus: 8 }, { gpus: 4 }, { gpus: 4 }], [8, 8])).toBe(true);
  expect(canBePacked([{ gpus: 4 }, { gpus: 4 }, { gpus: 8 }], [4, 4, 8])).toBe(true);
  expect(canBePacked([{ gpus: 8 }, { gpus: 8 }], [8, 6, 6])).toBe(false);
  expect(
    canBePacked(
      [
        { gpus: 1, group: "a" },
        { gpus: 1, group: "a" },
      ],
      [8],
    ),
  ).toBe(false);
  expect(
    canBePacked(
      [
        { gpus: 1, group: "a" },
        { gpus: 1, group: "b" },
      ],
      [8],
    ),
  ).toBe(true);
});

/** Decoders that are placed first take the two of five nodes that prefillers need. */
const mixedNodes: [[SampleRole, SampleRole], number[], "stock", "none"] = [
  [
    {
      name: "prefill",
      componentType: "prefiller",
      replicas: 1,
      minReplicas: 1,
      nodeCount: 2,
      gpus: 5,
    },
    {
      name: "decode",
      componentType: "decoder",
      replicas: 2,
      minReplicas: 1,
      nodeCount: 2,
      gpus: 4,
    },
  ],
  [4, 5, 8, 5, 8],
  "stock",
  "none",
];

it("the policy's rules find nothing exactly if every replica starts", () => {
  const cases = fc.tuple(pair(fc.integer({ min: 1, max: 8 })), clusters, packings, layouts);
  fc.assert(
    fc.property(cases, ([roles, cluster, binpack, layout]) => {
      const row = placement(roles, cluster, binpack, layout);
      const service = sampleService(layout === "task" ? roles.map(withoutMinimum) : roles, {
        schedulingStrategy: { gang: { layout } },
      });
      const stack = readStack(planInferenceService(service));
      const found = stackRules
        .filter(({ id }) => id.endsWith("-the-cluster"))
        .flatMap((rule) => rule.judge(stack, { nodes: cluster, binpack }).findings);
      expect(found.length === 0).toBe(row.status === "Full");
    }),
    { examples: [[mixedNodes]] },
  );
});
