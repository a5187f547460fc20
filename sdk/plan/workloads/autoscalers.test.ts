import { describe, expect, it } from "vitest";
import {
  decoder,
  prefiller,
  router,
  service,
  worker,
} from "../../../testing/samples/sample-service.ts";
import { planInferenceService } from "../inference-service.ts";
import { autoscaledSets } from "./autoscalers.ts";

const planned = (roles: Parameters<typeof service>[0], autoscaling: object, workload = "perRole") =>
  planInferenceService(service([...roles, router()], { workload, autoscaling } as never));

const scalersIn = (plan: ReturnType<typeof planned>) =>
  plan.filter(({ kind }) => kind === "ScaledObject" || kind === "HorizontalPodAutoscaler");

interface Scaled {
  readonly minReplicaCount: number;
  readonly maxReplicaCount: number;
  readonly minReplicas: number;
  readonly maxReplicas: number;
}

const rangesIn = (plan: ReturnType<typeof planned>) =>
  Object.fromEntries(
    scalersIn(plan).map(({ metadata, spec }) => {
      const { minReplicaCount, maxReplicaCount, minReplicas, maxReplicas } = spec as Scaled;
      const range = [minReplicaCount ?? minReplicas, maxReplicaCount ?? maxReplicas];
      return [metadata.name, range.join(" to ")];
    }),
  );

const pair = [prefiller({ replicas: 2 }), decoder({ replicas: 4 })];

describe("autoscalers", () => {
  it.each([
    [
      "one replica of a worker",
      [worker({ replicas: 3 })],
      { maxUnits: 8 },
      { "svc-inference": "1 to 8" },
    ],
    [
      "pairs in the ratio of their replicas",
      pair,
      { minUnits: 0, maxUnits: 6 },
      { "svc-prefill": "0 to 6", "svc-decode": "0 to 12" },
    ],
    [
      "pairs within a budget of accelerators",
      pair,
      { maxAccelerators: 100 },
      { "svc-prefill": "1 to 4", "svc-decode": "2 to 8" },
    ],
    [
      "groups of several nodes within a budget",
      [worker({ multinode: { nodeCount: 2 } })],
      { maxAccelerators: 64, scaler: "hpa" },
      { "svc-inference": "1 to 4" },
    ],
  ] as const)("scale %s", (_, roles, autoscaling, ranges) => {
    expect(rangesIn(planned(roles as never, autoscaling))).toEqual(ranges);
  });

  it.each([
    [[worker({ replicas: 3 })], { maxUnits: 8 }, [3]],
    [[worker()], { minUnits: 2, maxUnits: 8 }, [2]],
    [[worker({ replicas: 0 })], { minUnits: 0, maxUnits: 8 }, [0]],
    [[worker({ replicas: 9 })], { maxUnits: 8 }, [8]],
    [pair, { minUnits: 3, maxUnits: 8 }, [3, 6]],
  ] as const)(
    "begin with the replicas of the spec within the limits",
    (roles, limits, replicas) => {
      const plan = planned(roles as never, limits);
      const sets = plan.filter(({ kind }) => kind === "LeaderWorkerSet");
      expect(sets.map(({ spec }) => (spec as { replicas: number }).replicas)).toEqual(replicas);
      expect(autoscaledSets(plan)).toEqual(new Set(sets.map(({ metadata }) => metadata.name)));
    },
  );

  it("autoscalers of pairs read the replicas per role from the picker's /scaling", () => {
    const plan = planned(pair, { maxUnits: 6, targetUtilization: 70 });
    const specOf = (kind: string) => plan.find((each) => each.kind === kind)?.spec as unknown;
    const [{ args }] = (specOf("Deployment") as Deployed).template.spec.containers;
    expect(args).toContain("--scale-unit=prefill=1,decode=2");
    expect(args).toContain("--scale-target-utilization=70");
    expect((specOf("ScaledObject") as { triggers: unknown[] }).triggers).toEqual([
      {
        type: "metrics-api",
        metricType: "AverageValue",
        metadata: {
          url: "http://svc-epp.default:9090/scaling",
          valueLocation: "roles.prefill",
          targetValue: "1",
          aggregateFromKubeServiceEndpoints: "true",
          aggregationType: "max",
        },
      },
    ]);
  });

  it("a plan without autoscaling has no autoscalers", () => {
    const plan = planInferenceService(service([worker(), router()]));
    expect(scalersIn(plan)).toEqual([]);
  });
});

interface Deployed {
  readonly template: { readonly spec: { readonly containers: [{ readonly args: string[] }] } };
}
