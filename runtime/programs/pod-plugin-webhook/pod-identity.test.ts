import { expect, it } from "vitest";
import { podIdentity } from "./pod-identity.ts";

const lws = (labels: object) =>
  Object.fromEntries(
    Object.entries(labels).map(([key, value]) => [`leaderworkerset.sigs.k8s.io/${key}`, value]),
  );
const service = { "fusioninfer.io/service": "qwen", "fusioninfer.io/role-name": "decode" };
const serving = {
  "modelserving.volcano.sh/name": "llama",
  "modelserving.volcano.sh/group-name": "llama-1",
  "modelserving.volcano.sh/role": "gpu",
};
const told = { name: "qwen-decode", "group-index": "2", "worker-index": "1" };

it.each([
  [
    "a worker of a role with one LeaderWorkerSet",
    { name: "qwen-decode-2-1", labels: { ...service, ...lws(told) } },
    ["qwen", "qwen-2", "decode", "decode-2", false],
  ],
  [
    "a leader of a replica with a LeaderWorkerSet of its own",
    {
      name: "qwen-decode-3-0",
      labels: {
        ...service,
        "fusioninfer.io/replica-index": "3",
        ...lws({ ...told, "group-index": "0", "worker-index": "0" }),
      },
    },
    ["qwen", "qwen-3", "decode", "decode-3", true],
  ],
  [
    "a leader that LeaderWorkerSet has not labelled yet",
    { name: "qwen-decode-4", labels: { ...service, ...lws({ name: "qwen-decode" }) } },
    ["qwen", "qwen-4", "decode", "decode-4", true],
  ],
  [
    "a worker of a ModelServing",
    { name: "llama-1-gpu-2-1", labels: { ...serving, ...lws(told) } },
    ["llama", "llama-1", "gpu", "gpu-2", false],
  ],
])(
  "the labels and the name identify %s",
  (_what, metadata, [workload, servingGroup, roleName, roleID, isEntry]) => {
    expect(podIdentity({ metadata: metadata as never })).toMatchObject({
      ...{ workload, servingGroup, roleName, roleID, isEntry },
    });
  },
);

it.each([
  ["no workload", { name: "p-0", labels: lws(told) }],
  ["no role", { name: "p-0", labels: { "fusioninfer.io/service": "qwen", ...lws(told) } }],
  ["no index, and neither does its name", { name: "p", labels: service }],
])("a pod has no identity if its labels have %s", (_what, metadata) => {
  expect(podIdentity({ metadata: metadata as never })).toBeUndefined();
});
