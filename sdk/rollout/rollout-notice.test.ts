import { expect, it } from "vitest";
import {
  decoder,
  prefiller,
  router,
  service,
  worker,
} from "../../testing/samples/sample-service.ts";
import { planInferenceService } from "../plan/inference-service.ts";
import { rolloutNotice } from "./rollout-notice.ts";

const noticeFor = (
  roles: Parameters<typeof service>[0],
  set: string,
  isOrdered = true,
  spec: Parameters<typeof service>[1] = {},
  before?: { spec: unknown },
) => {
  const plan = planInferenceService(service(roles, spec));
  const sets = plan.filter(({ kind }) => kind === "LeaderWorkerSet");
  const name = sets.map(({ metadata }) => metadata.name).find((each) => each.endsWith(set));
  return rolloutNotice('InferenceService "svc"', plan, String(name), isOrdered, before);
};

const multinode = { nodeCount: 2 };

it.each([
  [
    "one replica",
    [worker()],
    "-inference",
    true,
    'InferenceService "svc": the pods of role inference restart, and nothing serves this role until they are ready, because it has one replica. With replicas: 2 or more, the other replicas serve meanwhile.',
  ],
  [
    "one LeaderWorkerSet of three replicas",
    [worker({ replicas: 3 })],
    "-inference",
    true,
    'InferenceService "svc": the pods of role inference restart, one replica after the other; 2 of 3 serve meanwhile.',
  ],
  [
    "a LeaderWorkerSet per replica",
    [prefiller({ replicas: 2, multinode }), decoder({ replicas: 4, multinode })],
    "-decode-1",
    true,
    'InferenceService "svc": the pods of role decode restart, one replica after the other; 3 of 4 serve meanwhile.',
  ],
  [
    "several replicas at a time",
    [worker({ replicas: 6, rollout: { maxUnavailable: 2 } })],
    "-inference",
    true,
    'InferenceService "svc": the pods of role inference restart, 2 replicas at a time; 4 of 6 serve meanwhile.',
  ],
  [
    "additional replicas",
    [worker({ replicas: 3, rollout: { maxUnavailable: 0, maxSurge: 2 } })],
    "-inference",
    true,
    'InferenceService "svc": the pods of role inference restart, with up to 2 additional replicas, which need 16 free accelerators; at least 3 of 3 serve meanwhile.',
  ],
  [
    "a LeaderWorkerSet per replica that do not wait",
    [prefiller({ replicas: 2, multinode }), decoder({ replicas: 4, multinode })],
    "-decode-1",
    false,
    'InferenceService "svc": the pods of role decode restart, all 4 replicas together, because pulumi-inference:rollout is parallel.',
  ],
] as const)(
  "a preview of %s reports what serves meanwhile",
  (_, roles, set, isOrdered, message) => {
    expect(noticeFor(roles as never, set, isOrdered).message).toBe(message);
  },
);

const whole = 'InferenceService "svc": the pods of role inference restart, ';

it.each([
  [
    1,
    20,
    "and nothing serves this role until a replica is ready, because only one replica runs now. First raise replicas to 20 in a separate update; then the other replicas serve meanwhile.",
    true,
  ],
  [3, 20, "one replica after the other; 2 of 3 serve meanwhile.", false],
  [20, 3, "one replica after the other; 2 of 3 serve meanwhile.", false],
  [20, 20, "one replica after the other; 19 of 20 serve meanwhile.", false],
  [
    20,
    1,
    "and nothing serves this role until they are ready, because it has one replica. With replicas: 2 or more, the other replicas serve meanwhile.",
    true,
  ],
])("a preview of %i replicas that become %i counts those that run now", (...row) => {
  const [before, replicas, message, interrupts] = row;
  const roles = [worker({ replicas })];
  expect(noticeFor(roles, "-inference", true, {}, { spec: { replicas: before } })).toEqual({
    message: whole + message,
    interrupts,
  });
});

it.each([
  [
    1,
    20,
    "and nothing serves this role until a replica is ready, because only one replica runs now. First raise replicas to 20 in a separate update; then the other replicas serve meanwhile.",
    true,
  ],
  [3, 20, "one replica after the other; 2 of 3 serve meanwhile.", false],
  [20, 20, "one replica after the other; 19 of 20 serve meanwhile.", false],
])(
  "a preview of %i multi-node replicas that become %i does not count the sets it creates",
  (...row) => {
    const [before, replicas, message, interrupts] = row;
    const plan = planInferenceService(service([worker({ replicas, multinode })]));
    const sets = plan
      .filter(({ kind }) => kind === "LeaderWorkerSet")
      .map(({ metadata }) => metadata.name);
    const created = new Set(sets.slice(before));
    const title = 'InferenceService "svc"';
    expect(
      rolloutNotice(title, plan, String(sets[0]), true, { spec: { replicas: 1 } }, created),
    ).toEqual({ message: whole + message, interrupts });
  },
);

it("a preview does not count the replicas of an autoscaler", () => {
  const autoscaling = { maxUnits: 8 };
  expect(noticeFor([worker(), router()], "-inference", true, { autoscaling })).toEqual({
    message:
      'InferenceService "svc": the pods of role inference restart, one replica after the other. An autoscaler sets their number: if it is 1, nothing serves this role until the replica is ready.',
    interrupts: false,
  });
});
