import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type ChainLink, PodPluginError, runChain } from "./chain.ts";
import { runCheckedChain } from "./checked-chain.ts";
import type { HookPod, HookRequest } from "./hook-request.ts";
import { changesBetween, formatPodChange, jsonPatchOf } from "./pod-changes.ts";
import { definePodPlugin, type PodPlugin } from "./pod-plugin.ts";

const pod = (): HookPod => ({
  metadata: { labels: {}, annotations: { "scheduling.k8s.io/group-name": "qwen" } },
  spec: {
    schedulerName: "volcano",
    containers: [{ name: "vllm", securityContext: { runAsNonRoot: true } }],
  },
});

const request = (of = pod()): HookRequest => ({
  modelServing: {
    apiVersion: "fusioninfer.io/v1alpha1",
    kind: "InferenceService",
    metadata: { name: "qwen", namespace: "models" },
  },
  roleName: "inference",
  isEntry: true,
  pod: of,
});

/** A plugin with one hook, at the path `plugins[at]`. */
const link = (name: string, onPodCreate: PodPlugin["onPodCreate"], at = 0): ChainLink => ({
  plugin: definePodPlugin({ name, config: z.strictObject({}), onPodCreate }),
  config: {},
  entry: { name, type: "BuiltIn", scope: { target: "All" } },
  path: ["plugins", at],
});

const label = (name: string, value: string, at = 0) =>
  link(
    name,
    ({ pod: { metadata } }) => {
      metadata.labels.last = value;
      metadata.labels[value] = String(metadata.labels.before ?? "");
      metadata.labels.before = value;
    },
    at,
  );

function problemOf(run: () => unknown) {
  try {
    run();
  } catch (error) {
    if (error instanceof PodPluginError) return error.problem;
    throw error;
  }
  throw new Error("nothing was refused");
}

it("a hook may change only the pod of its request", () => {
  const renaming = link("a", ({ modelServing }) => {
    (modelServing.metadata as { name: string }).name = "other";
  });
  const given = request();
  expect(problemOf(() => runChain([renaming], given)).given).toMatch(/read.only/);
  expect(given.modelServing.metadata.name).toBe("qwen");
});

describe("ordering", () => {
  it("follows the list, and each plugin receives the result of the previous one", () => {
    const { pod: made } = runChain([label("a", "first"), label("b", "second", 1)], request());
    expect(made.metadata.labels).toEqual({
      last: "second",
      first: "",
      second: "first",
      before: "second",
    });
  });

  it("is visible in the changes of each step", () => {
    const { steps } = runChain([label("a", "first"), label("b", "second", 1)], request());
    expect(steps.map(({ changes }) => changes.map(formatPodChange))).toEqual([
      [
        '+ metadata.labels.last: "first"',
        '+ metadata.labels.first: ""',
        '+ metadata.labels.before: "first"',
      ],
      [
        '~ metadata.labels.last: "first" => "second"',
        '~ metadata.labels.before: "first" => "second"',
        '+ metadata.labels.second: "first"',
      ],
    ]);
  });

  it("does not change the given pod", () => {
    const given = pod();
    runChain([label("a", "first")], request(given));
    expect(given).toEqual(pod());
  });
});

describe("error propagation", () => {
  const failing = link(
    "b",
    () => {
      throw new Error("no such node");
    },
    1,
  );

  it("reports the name and path of the first plugin that fails, and does not run the plugins after it", () => {
    const ran: string[] = [];
    const noted = (name: string, at: number) => link(name, () => void ran.push(name), at);
    const problem = problemOf(() => runChain([noted("a", 0), failing, noted("c", 2)], request()));
    expect(problem).toMatchObject({ code: "conflict", path: ["plugins", 1] });
    expect(problem.given).toBe('"b" fails on role "inference", entry pods: no such node');
    expect(ran).toEqual(["a"]);
  });

  it("refuses an asynchronous hook", () => {
    const slow = link("slow", (async () => {}) as PodPlugin["onPodCreate"]);
    expect(problemOf(() => runChain([slow], request())).given).toBe(
      '"slow" returns a value from onPodCreate',
    );
  });
});

describe("idempotence", () => {
  it("a hook that sets a missing field is accepted", () => {
    const idempotent = link("a", ({ pod: { spec } }) => {
      spec.runtimeClassName ??= "nvidia";
    });
    const once = runCheckedChain([idempotent], request()).pod;
    expect(runChain([idempotent], request(once)).pod).toEqual(once);
  });

  it("a chain that appends on each run is refused with its plugin", () => {
    const appending = link(
      "b",
      ({ pod: { spec } }) => {
        spec.volumes = [...((spec.volumes ?? []) as unknown[]), { name: "x" }];
      },
      1,
    );
    const first = link("a", ({ pod: { spec } }) => {
      spec.runtimeClassName = "h";
    });
    const problem = problemOf(() => runCheckedChain([first, appending], request()));
    expect(problem.path).toEqual(["plugins", 1]);
    expect(problem.given).toBe(
      '"b" is not idempotent: applied to its own result it changed + spec.volumes[1]: {"name":"x"}',
    );
  });

  it("a hook whose result differs on each run is refused", () => {
    let count = 0;
    const counting = link("c", ({ pod: { spec } }) => {
      count += 1;
      spec.runtimeClassName = `h${count}`;
    });
    expect(problemOf(() => runCheckedChain([counting], request())).given).toMatch(
      /^"c" is not deterministic: /,
    );
  });
});

describe("a plugin may not change", () => {
  const cases: Array<[what: string, place: string, hook: (pod: HookPod) => void]> = [
    [
      "the scheduler",
      "spec.schedulerName",
      ({ spec }) => Object.assign(spec, { schedulerName: "x" }),
    ],
    ["no scheduler", "spec.schedulerName", ({ spec }) => delete spec.schedulerName],
    [
      "the priority class",
      "spec.priorityClassName",
      ({ spec }) => Object.assign(spec, { priorityClassName: "high" }),
    ],
    [
      "gang annotations",
      'metadata.annotations["scheduling.k8s.io/group-name"]',
      ({ metadata }) => delete metadata.annotations["scheduling.k8s.io/group-name"],
    ],
    [
      "a task",
      'metadata.annotations["volcano.sh/task-spec"]',
      ({ metadata }) => Object.assign(metadata.annotations, { "volcano.sh/task-spec": "x" }),
    ],
    [
      "labels of LeaderWorkerSet",
      'metadata.labels["leaderworkerset.sigs.k8s.io/group-index"]',
      ({ metadata }) =>
        Object.assign(metadata.labels, { "leaderworkerset.sigs.k8s.io/group-index": "0" }),
    ],
    [
      "labels of the plan",
      'metadata.labels["fusioninfer.io/service"]',
      ({ metadata }) => Object.assign(metadata.labels, { "fusioninfer.io/service": "x" }),
    ],
    [
      "annotations of the plan",
      'metadata.annotations["pulumi-inference/plugins"]',
      ({ metadata }) => Object.assign(metadata.annotations, { "pulumi-inference/plugins": "x" }),
    ],
    ["the name", "metadata.name", ({ metadata }) => Object.assign(metadata, { name: "x" })],
    [
      "the host's network",
      "spec.hostNetwork",
      ({ spec }) => Object.assign(spec, { hostNetwork: true }),
    ],
    [
      "root",
      "spec.containers[0].securityContext.runAsNonRoot",
      ({ spec }) => Object.assign(spec.containers[0] ?? {}, { securityContext: {} }),
    ],
    [
      "user 0 of the pod",
      "spec.securityContext.runAsUser",
      ({ spec }) => Object.assign(spec, { securityContext: { runAsUser: 0 } }),
    ],
    [
      "a capability",
      "spec.containers[0].securityContext.capabilities",
      ({ spec }) =>
        Object.assign(spec.containers[0]?.securityContext as object, {
          capabilities: { add: ["SYS_ADMIN"] },
        }),
    ],
    [
      "a privileged container of its own",
      "spec.containers[1].securityContext.privileged",
      ({ spec }) => spec.containers.push({ name: "x", securityContext: { privileged: true } }),
    ],
    [
      "no seccomp",
      "spec.initContainers[0].securityContext.seccompProfile",
      ({ spec }) =>
        Object.assign(spec, {
          initContainers: [
            { name: "x", securityContext: { seccompProfile: { type: "Unconfined" } } },
          ],
        }),
    ],
  ];

  it.each(cases)("%s", (_what, place, hook) => {
    const problem = problemOf(() =>
      runChain([link("bad", ({ pod: changed }) => void hook(changed))], request()),
    );
    expect(problem.path).toEqual(["plugins", 0]);
    expect(problem.given).toContain(
      `"bad" on role "inference", entry pods: ${place} changes from `,
    );
  });

  it("a plugin may make security stricter", () => {
    const stricter = link("strict", ({ pod: { spec } }) => {
      Object.assign(spec.containers[0] ?? {}, {
        securityContext: {
          runAsNonRoot: true,
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
          seccompProfile: { type: "RuntimeDefault" },
          runAsUser: 1000,
        },
      });
    });
    expect(runChain([stricter], request()).steps[0]?.changes).toHaveLength(5);
  });
});

describe("definePodPlugin", () => {
  const config = z.strictObject({});
  const hook = { onPodCreate: () => {} };
  it.each([
    ["a name with capitals", { name: "Bad", config, ...hook }, /name is "Bad"; allowed: /],
    [
      "a reserved hook",
      { name: "a", config, onPodDelete: () => {} },
      /onPodDelete is reserved; allowed: /,
    ],
    [
      "another reserved hook",
      { name: "a", config, ...hook, onServingGroupCreate: () => {} },
      /reserved/,
    ],
    [
      "an unknown hook",
      { name: "a", config, ...hook, onPodCreated: () => {} },
      /unknown field onPodCreated/,
    ],
    [
      "another version",
      { name: "a", config, ...hook, version: "v2" },
      /version is "v2"; allowed: v1alpha1/,
    ],
    ["no hook", { name: "a", config }, /has no hook/],
  ])("refuses %s", (_what, definition, message) => {
    expect(() => definePodPlugin(definition as never)).toThrow(message);
  });
});

describe("changes", () => {
  it("changesBetween returns a JSON Patch with escaped steps that removes list entries from the end", () => {
    const before = { a: [1, 2, 3], "b/c~d": 1, gone: 1 };
    const after = { a: [1], "b/c~d": 2, e: { f: [] } };
    expect(jsonPatchOf(changesBetween(before, after))).toEqual([
      { op: "remove", path: "/gone" },
      { op: "remove", path: "/a/2" },
      { op: "remove", path: "/a/1" },
      { op: "replace", path: "/b~1c~0d", value: 2 },
      { op: "add", path: "/e", value: { f: [] } },
    ]);
  });
});
