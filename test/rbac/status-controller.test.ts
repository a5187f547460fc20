import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LeaderElection } from "../../kubernetes/control/leader-election.ts";
import { newLog } from "../../runtime/manager/log.ts";
import { StatusController } from "../../runtime/programs/status-controller/controller.ts";
import { PodRecycler } from "../../runtime/programs/status-controller/pod-recycler.ts";
import {
  recyclingRules,
  statusControllerLeaseRules,
  statusControllerRules,
} from "../../sdk/plan/controllers/status-controller-rbac.ts";
import { observePod } from "../../sdk/status/observed.ts";
import { startCluster } from "../../testing/api/api-server.ts";
import { type Cluster, freshNamespace } from "../../testing/api/cluster.ts";
import { installCrds, installOwnCrds } from "../../testing/api/install-crds.ts";
import { clientWith, type Permitted, type Rule, withoutOneVerb } from "./permissions.ts";

/** The permissions that the plan grants to the status controller are sufficient, and none is superfluous. */

let cluster: Cluster;
let namespace: string;
let attempt = 0;

beforeAll(async () => {
  cluster = await startCluster();
  await installCrds(cluster);
  await installOwnCrds(cluster);
  namespace = await freshNamespace(cluster);
}, 180_000);
afterAll(() => cluster?.stop());

const create = (path: string, body: object) => cluster.request("POST", path, body);

const container = { name: "c", image: "i" };
const labels = { app: "m" };
const poolRef = { name: "p" };
/** The namespace is known later than the objects. */
const about = (kind: string) => ({
  kind,
  get namespace() {
    return namespace;
  },
});
const rules = [{ targets: [{ modelRewrite: "m" }] }];

/** One object of each kind that the controller reads. */
const made: ReadonlyArray<[apiVersion: string, plural: string, fields: object]> = [
  ["v1", "pods", { spec: { containers: [container] } }],
  ["v1", "events", { involvedObject: about("LeaderWorkerSet"), reason: "X" }],
  ["v1", "events", { involvedObject: about("StatefulSet"), reason: "FailedCreate" }],
  ["v1", "events", { involvedObject: about("PodGroup"), reason: "Unschedulable" }],
  [
    "apps/v1",
    "deployments",
    {
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    },
  ],
  [
    "apps/v1",
    "replicasets",
    {
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    },
  ],
  [
    "leaderworkerset.x-k8s.io/v1",
    "leaderworkersets",
    { spec: { leaderWorkerTemplate: { workerTemplate: { spec: { containers: [container] } } } } },
  ],
  ["scheduling.volcano.sh/v1beta1", "podgroups", { spec: { minMember: 1 } }],
  [
    "inference.networking.k8s.io/v1",
    "inferencepools",
    {
      spec: {
        selector: { matchLabels: labels },
        targetPorts: [{ number: 8000 }],
        endpointPickerRef: { name: "epp", port: { number: 9002 } },
      },
    },
  ],
  ["gateway.networking.k8s.io/v1", "httproutes", { spec: {} }],
  [
    "fusioninfer.io/v1alpha1",
    "inferenceservices",
    {
      spec: {
        roles: [
          {
            name: "w",
            componentType: "worker",
            template: { spec: { containers: [container] } },
          },
        ],
      },
    },
  ],
  ["inference.x-k8s.io/v1alpha1", "llmserverpools", { spec: { modelServerSelector: labels } }],
  [
    "inference.x-k8s.io/v1alpha1",
    "llmservices",
    { spec: { models: [poolRef], poolRef: [poolRef] } },
  ],
  [
    "inference.networking.x-k8s.io/v1alpha2",
    "inferencemodelrewrites",
    { spec: { poolRef, rules } },
  ],
  ["llm-d.ai/v1alpha2", "inferencemodelrewrites", { spec: { poolRef, rules } }],
];

const withStatus = made.filter(([apiVersion]) =>
  /fusioninfer|x-k8s\.io\/v1alpha|llm-d/.test(apiVersion),
);

const pathOf = (apiVersion: string, plural: string) =>
  `${apiVersion.includes("/") ? "/apis" : "/api"}/${apiVersion}/namespaces/${namespace}/${plural}`;

/** Everything that a controller asks an API server. Returns the first refusal, or "works". */
async function exercise({ client }: Permitted): Promise<string> {
  const refused = Promise.withResolvers<string>();
  const tell = (message: string) => {
    if (/forbidden/i.test(message)) refused.resolve(message);
  };
  /** Names of created objects that a watch reported, by path and selector: each watch is one. */
  const told = new Map<string, Set<string>>();
  const controller = new StatusController({
    client: {
      request: client.request,
      async *watch(path, options) {
        const key = `${path} ${options.query?.fieldSelector ?? ""}`;
        const names = told.get(key) ?? new Set<string>();
        told.set(key, names);
        for await (const event of client.watch(path, options)) {
          names.add((event.object as { metadata: { name?: string } }).metadata.name ?? "");
          yield event as never;
        }
      },
    },
    namespaces: undefined,
    readPage: () => Promise.reject(new Error("no picker")),
    pickerIntervalMs: 3_600_000,
    log: newLog({ verbosity: 9, write: tell, now: Date.now }),
  });
  const election = new LeaderElection({
    client,
    namespace,
    name: `lease-${attempt}`,
    identity: "me",
    timing: { retryMs: 20 },
    onChange: (leading) => controller.lead(leading),
    onProblem: tell,
  });
  const useAll = async () => {
    controller.start();
    election.start();
    await until(() => controller.settled && election.isLeader());
    // Only watches see objects that are created after the lists.
    const name = `made-${attempt}`;
    for (const [at, [apiVersion, plural, fields]] of made.entries())
      await create(pathOf(apiVersion, plural), {
        ...fields,
        apiVersion,
        kind: kindOf[plural],
        metadata: { name: plural === "events" ? `${name}-${at}` : name },
      });
    await until(() =>
      [...told.values()].every((names) => [...names].some((each) => each.startsWith(name))),
    );
    for (const [apiVersion, plural] of withStatus)
      await untilAsync(async () => {
        const { status } = await cluster.request<{ status?: { conditions?: object[] } }>(
          "GET",
          `${pathOf(apiVersion, plural)}/${name}`,
        );
        return (status?.conditions?.length ?? 0) > 1;
      });
    // The holder of a lease writes it once more when it releases it.
    await election.release();
    return "works";
  };
  try {
    return await Promise.race([refused.promise, useAll()]);
  } finally {
    await Promise.all([controller.stop(), election.release()]);
    client.close();
  }
}

const kindOf: Readonly<Record<string, string>> = {
  pods: "Pod",
  events: "Event",
  deployments: "Deployment",
  replicasets: "ReplicaSet",
  leaderworkersets: "LeaderWorkerSet",
  podgroups: "PodGroup",
  inferencepools: "InferencePool",
  httproutes: "HTTPRoute",
  inferenceservices: "InferenceService",
  llmserverpools: "LLMServerPool",
  llmservices: "LLMService",
  inferencemodelrewrites: "InferenceModelRewrite",
};

const pause = () => new Promise((resolve) => setTimeout(resolve, 20));
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause();
}
async function untilAsync(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause();
}

async function attemptWith(clusterWide: readonly Rule[], namespaced: readonly Rule[]) {
  attempt += 1;
  const name = `controller-${attempt}`;
  // Each attempt has a Lease of its own.
  const own = namespaced.map((rule) =>
    "resourceNames" in rule ? { ...rule, resourceNames: [`lease-${attempt}`] } : rule,
  );
  return exercise(await clientWith(cluster, namespace, name, { namespaced: own, clusterWide }));
}

describe("recycling a pod", () => {
  /** Deletes a pod as the controller does. Returns the refusal, or "works". */
  async function recycle(rules: readonly Rule[]): Promise<string> {
    attempt += 1;
    const name = `recycled-${attempt}`;
    const { client } = await clientWith(cluster, namespace, `recycler-${attempt}`, {
      ...{ namespaced: [], clusterWide: rules },
    });
    const { metadata } = await cluster.request<{ metadata: { uid: string } }>(
      "POST",
      pathOf("v1", "pods"),
      { metadata: { name }, spec: { containers: [container] } },
    );
    const recycler = new PodRecycler({
      ...{ client, now: Date.now, onEnd: () => {} },
      log: newLog({ verbosity: 0, write: () => {}, now: Date.now }),
    });
    const pod = observePod({ metadata: { name, namespace, uid: metadata.uid } });
    try {
      await recycler.recycle({ name: "svc" }, pod);
      return "works";
    } catch (error) {
      return (error as Error).message;
    } finally {
      client.close();
    }
  }

  it("works with the planned roles", async () => {
    expect(await recycle(recyclingRules)).toBe("works");
  });

  it.each([...withoutOneVerb(recyclingRules)])("does not work without %s", async (_, left) => {
    expect(await recycle(left)).toMatch(/forbidden/i);
  });
});

it("works with the planned roles", async () => {
  expect(await attemptWith(statusControllerRules, statusControllerLeaseRules)).toBe("works");
});

describe("does not work without", () => {
  it.each([...withoutOneVerb(statusControllerRules)])("%s", async (_, left) => {
    expect(await attemptWith(left, statusControllerLeaseRules)).toMatch(/forbidden/i);
  });

  it.each([...withoutOneVerb(statusControllerLeaseRules)])("%s", async (_, left) => {
    expect(await attemptWith(statusControllerRules, left)).toMatch(/forbidden/i);
  });
});
