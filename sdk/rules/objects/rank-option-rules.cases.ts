import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { decode, leaderEngine, workerEngine } from "./places.fixture.ts";

const starts = (engine: string, ...args: string[]): Edit[] => [
  [decode, `${engine} command`, ["vllm", "serve"]],
  [decode, `${engine} args`, ["m", "--tensor-parallel-size", "16", ...args]],
];
const leads = (...args: string[]) => starts(leaderEngine, ...args);
const works = (...args: string[]) => starts(workerEngine, "--headless", ...args);

export const rankOptionCases: readonly RuleCases[] = [
  {
    rule: "ranks-share-options",
    allows: {
      "equal options": [...leads("--enable-eplb"), ...works("--enable-eplb")],
      "options of one rank": [
        ...leads("--node-rank", "0", "--port", "8000"),
        ...works("--node-rank", "1"),
      ],
      "a default": [...leads("--pipeline-parallel-size", "1"), ...works("--no-enable-eplb")],
      "JSON with its keys in another order": [
        ...leads("--eplb-config", '{"window_size":1,"step_interval":2}'),
        ...works("--eplb-config", '{"step_interval":2,"window_size":1}'),
      ],
      "a value from the environment": [...leads("--dtype", "bfloat16"), ...works("$(MORE)")],
    },
    refuses: {
      "a switch of the leader": {
        edits: [
          ...leads("--enable-eplb"),
          ...works("--enable-eplb"),
          [decode, `${workerEngine} args`, ["m", "--headless", "-tp=16"]],
        ],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.containers[0].args: do not set --enable-eplb, but the leader sets --enable-eplb true; allowed: the same in all pods of the group. Change one of the two templates.",
        ],
      },
      "another size": {
        edits: [
          ...leads("--data-parallel-size", "2"),
          ...works("-dp=2"),
          [decode, `${workerEngine} args`, ["m", "--headless", "-tp=16", "-dp=4"]],
        ],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.containers[0].args: set --data-parallel-size 4, but the leader sets --data-parallel-size 2; allowed: the same in all pods of the group. Change one of the two templates.",
        ],
      },
      "another model": {
        edits: [
          ...leads(),
          ...works(),
          [decode, `${workerEngine} args`, ["n", "--headless", "-tp=16"]],
        ],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.containers[0].args: set the model n, but the leader sets the model m; allowed: the same in all pods of the group. Change one of the two templates.",
        ],
      },
      "other keys of JSON": {
        edits: [
          ...leads("--eplb-config", '{"window_size":1}'),
          ...works("--eplb-config.window_size", "1"),
          [decode, `${workerEngine} args 5`, "2"],
        ],
        finds: [
          'LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.containers[0].args: set --eplb-config {"window_size":2}, but the leader sets --eplb-config {"window_size":1}; allowed: the same in all pods of the group. Change one of the two templates.',
        ],
      },
    },
  },
];
