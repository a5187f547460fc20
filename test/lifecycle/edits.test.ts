import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { InferenceService, type InferenceServiceArgs } from "../../components/index.ts";
import {
  type AttachedCluster,
  freshNamespace,
  type WriteRequest,
} from "../../testing/api/cluster.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";
import { openStack, stateFolder } from "../../testing/programs/pulumi-stack.ts";
import {
  decoder,
  prefiller,
  router,
  vllmTemplate,
  worker,
} from "../../testing/samples/sample-service.ts";
import { objectsOf } from "./objects-of.ts";

/** Writes of edits to a running service, as recorded by the API server: no orphan and no needless write. */

let cluster: AttachedCluster;
let namespace: string;
beforeAll(async () => {
  cluster = await sharedCluster();
}, 120_000);
beforeEach(async () => {
  namespace = await freshNamespace(cluster, "edits");
});
afterAll(() => cluster?.detach());

type Roles = ReturnType<typeof worker>[];

const args = (roles: Roles, fields: object = {}) =>
  ({ metadata: { name: "svc", namespace }, roles, ...fields }) as InferenceServiceArgs;

/** A stack whose program is edited between operations. */
function edited() {
  const state = stateFolder();
  let current: InferenceServiceArgs | undefined;
  const stack = openStack({
    project: "p",
    stack: "s",
    program: { run: async () => current && void new InferenceService("svc", current) },
    state,
    kubernetes: { kubeconfig: cluster.kubeconfig },
  });
  return {
    stack,
    /** Brings the cluster to new arguments; answers the writes that this took. */
    async up(next: InferenceServiceArgs) {
      current = next;
      const before = cluster.writes().length;
      const result = await stack.up();
      expect(result.diagnostics).toEqual([]);
      return written(cluster.writes().slice(before));
    },
  };
}

/** `create podgroups/svc`, each once, in the order in which the API server received them first. */
function written(requests: readonly WriteRequest[]): string[] {
  const prefix = `/namespaces/${namespace}/`;
  return requests
    .filter(
      ({ uri, dryRun, userAgent }) => !dryRun && isProvider(userAgent) && uri.includes(prefix),
    )
    .map(({ verb, uri, created }) => {
      const object = uri.split("?")[0]?.split(prefix)[1];
      return `${created ? "create" : verb} ${object}`;
    })
    .filter((write, at, all) => all.indexOf(write) === at);
}

const isProvider = (userAgent: string) => userAgent.startsWith("pulumi-kubernetes/");

const story4 = (prefills: number, decodes: number, fields: object = {}) =>
  args(
    [
      prefiller({ replicas: prefills, multinode: { nodeCount: 2 } }),
      decoder({ replicas: decodes, multinode: { nodeCount: 4 } }),
    ],
    fields,
  );
const task = { schedulingStrategy: { gang: { layout: "task" } } };

const left = () => objectsOf(cluster, namespace);

describe("scaling", () => {
  it("creates the PodGroup first, then LeaderWorkerSets", async () => {
    const writes = await edited().up(story4(1, 2));
    const supporting = /^create (networkpolicies|poddisruptionbudgets)\//;
    const [first, ...others] = writes.filter((write) => !supporting.test(write));
    expect([first, ...others.sort()]).toEqual([
      "create podgroups/svc",
      "create leaderworkersets/svc-decode-0",
      "create leaderworkersets/svc-decode-1",
      "create leaderworkersets/svc-prefill-0",
    ]);
    expect((await left()).length).toBe(6);
  });

  it("scaling under subGroup writes only the replicas that it adds or removes", async () => {
    const service = edited();
    await service.up(story4(1, 2));
    expect(await service.up(story4(1, 3))).toEqual(["create leaderworkersets/svc-decode-2"]);
    expect((await service.up(story4(1, 1))).sort()).toEqual([
      "delete leaderworkersets/svc-decode-1",
      "delete leaderworkersets/svc-decode-2",
    ]);
    expect(await left()).toEqual([
      "leaderworkersets/svc-decode-0",
      "leaderworkersets/svc-prefill-0",
      "poddisruptionbudgets/svc-decode",
      "poddisruptionbudgets/svc-prefill",
      "podgroups/svc",
    ]);
  });

  it("scaling with layout 'task' patches the PodGroup before it creates or deletes replicas", async () => {
    const service = edited();
    await service.up(story4(1, 2, task));
    expect(await service.up(story4(1, 3, task))).toEqual([
      "patch podgroups/svc",
      "create leaderworkersets/svc-decode-2",
    ]);
    expect(await service.up(story4(1, 2, task))).toEqual([
      "patch podgroups/svc",
      "delete leaderworkersets/svc-decode-2",
    ]);
  });

  it("scaling to zero and back keeps the PodGroup and the budgets", async () => {
    const service = edited();
    await service.up(story4(1, 1));
    await service.up(story4(0, 0));
    expect(await left()).toEqual([
      "poddisruptionbudgets/svc-decode",
      "poddisruptionbudgets/svc-prefill",
      "podgroups/svc",
    ]);
    const [first, ...others] = await service.up(story4(1, 1));
    expect([first, ...others.sort()]).toEqual([
      "patch podgroups/svc",
      "create leaderworkersets/svc-decode-0",
      "create leaderworkersets/svc-prefill-0",
    ]);
  });

  it("scaling of a single-node role is one write", async () => {
    const service = edited();
    await service.up(args([worker({ replicas: 2 }), router()]));
    for (const replicas of [5, 1, 2])
      expect(await service.up(args([worker({ replicas }), router()]))).toEqual([
        "patch leaderworkersets/svc-inference",
      ]);
  });
});

describe("other edits", () => {
  it("a second up and a refresh write nothing", async () => {
    const service = edited();
    const same = args([worker(), router()]);
    await service.up(same);
    expect(await service.up(same)).toEqual([]);
    const before = cluster.writes().length;
    expect((await service.stack.refresh()).succeeded).toBe(true);
    expect(written(cluster.writes().slice(before))).toEqual([]);
  });

  it("a new image updates the workload in place", async () => {
    const service = edited();
    const image = (tag: string) => args([worker({ template: vllmTemplate(8, { image: tag }) })]);
    await service.up(image("a"));
    expect(await service.up(image("b"))).toEqual(["patch leaderworkersets/svc-inference"]);
  });

  it("a changed strategy replaces no workload", async () => {
    const service = edited();
    await service.up(args([worker(), router({ strategy: "queue-size" })]));
    const writes = await service.up(args([worker(), router({ strategy: "lora-affinity" })]));
    expect(
      writes.filter(
        (write) => /create|delete/.test(write) && /leaderworkersets|inferencepools/.test(write),
      ),
    ).toEqual([]);
    expect(writes).toContain("patch deployments/svc-epp");
  });

  it("the router scales in place, and has a PodDisruptionBudget only with two or more pickers", async () => {
    const service = edited();
    const replicas = (count: number) => args([worker(), router({ replicas: count })]);
    await service.up(replicas(1));
    expect(await service.up(replicas(3))).toEqual([
      "create poddisruptionbudgets/svc-epp",
      "patch deployments/svc-epp",
    ]);
    expect(await service.up(replicas(1))).toEqual([
      "patch deployments/svc-epp",
      "delete poddisruptionbudgets/svc-epp",
    ]);
  });

  it("new pickers start before old ones stop, for any number and configuration", async () => {
    const service = edited();
    const of = (replicas: number, strategy: string) =>
      args([worker(), router({ replicas, strategy })]);
    const live = () =>
      cluster.request<{ spec: { replicas: number; strategy: object } }>(
        "GET",
        `/apis/apps/v1/namespaces/${namespace}/deployments/svc-epp`,
      );
    await service.up(of(1, "queue-size"));
    for (const [replicas, strategy] of [
      [3, "queue-size"],
      [3, "prefix-cache"],
      [1, "prefix-cache"],
      [1, "queue-size"],
      [0, "queue-size"],
    ] as const) {
      const writes = await service.up(of(replicas, strategy));
      expect(writes.filter((write) => write.includes("deployments"))).toEqual([
        "patch deployments/svc-epp",
      ]);
      expect((await live()).spec).toMatchObject({
        replicas,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      });
    }
  });

  it("removing a role deletes all of its objects", async () => {
    const service = edited();
    await service.up(args([worker(), worker({ name: "second", multinode: { nodeCount: 2 } })]));
    await service.up(args([worker()]));
    expect(await left()).toEqual([
      "leaderworkersets/svc-inference",
      "poddisruptionbudgets/svc-inference",
    ]);
  });

  it("removing the router deletes all of its objects", async () => {
    const service = edited();
    await service.up(
      args([
        worker(),
        router({
          gateway: {
            gatewayClassName: "g",
            listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
          },
        }),
      ]),
    );
    expect((await left()).length).toBe(10);
    await service.up(args([worker()]));
    expect(await left()).toEqual([
      "leaderworkersets/svc-inference",
      "poddisruptionbudgets/svc-inference",
    ]);
  });

  it("renaming a role replaces its objects", async () => {
    const service = edited();
    await service.up(args([worker({ replicas: 2, multinode: { nodeCount: 2 } })]));
    await service.up(args([worker({ name: "chat", replicas: 2, multinode: { nodeCount: 2 } })]));
    expect(await left()).toEqual([
      "leaderworkersets/svc-chat-0",
      "leaderworkersets/svc-chat-1",
      "poddisruptionbudgets/svc-chat",
      "podgroups/svc",
    ]);
  });

  it("removing the gang patches the workloads first and then deletes the PodGroup", async () => {
    const service = edited();
    await service.up(story4(1, 1));
    const writes = await service.up(
      story4(1, 1, { schedulingStrategy: { gang: { layout: "none" } } }),
    );
    expect(writes.at(-1)).toBe("delete podgroups/svc");
    expect(writes.filter((write) => write.startsWith("patch leaderworkersets")).length).toBe(2);
  });

  it("destroy leaves nothing, and deletes workloads before their PodGroup", async () => {
    const service = edited();
    await service.up(story4(1, 2));
    const before = cluster.writes().length;
    expect((await service.stack.destroy()).diagnostics).toEqual([]);
    const deleted = written(cluster.writes().slice(before));
    const lastWorkload = deleted.findLastIndex((write) => write.includes("leaderworkersets/"));
    expect(lastWorkload).toBeGreaterThan(-1);
    expect(deleted.indexOf("delete podgroups/svc")).toBeGreaterThan(lastWorkload);
    expect(await left()).toEqual([]);
  });
});
