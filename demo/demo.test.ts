import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { type AttachedCluster, freshNamespace } from "../testing/api/cluster.ts";
import { sharedCluster } from "../testing/clusters/shared-cluster.ts";
import { controllerPrograms } from "../testing/controllers/start.ts";
import { findEnvoy } from "../testing/envoy/install.ts";
import { findPrograms } from "../testing/processes/binaries.ts";
import { repositoryRoot } from "../testing/repository.ts";
import { type DemoProcess, startDemo } from "./demo-process.fixture.ts";
import { readOptions } from "./options.ts";
import { inOtherCluster } from "./other-cluster.ts";
import { readStory } from "./story.ts";

/** `npm run demo` as a newcomer runs it. */

const longMs = 180_000;
let demos: DemoProcess[] = [];
const demo = (...args: string[]) => {
  const started = startDemo(args);
  demos.push(started);
  return started;
};

beforeAll(async () => {
  // Builds programs that are not cached, without a time limit.
  await Promise.all([findPrograms(controllerPrograms), findEnvoy()]);
}, 1_800_000);
afterEach(async () => {
  await Promise.all(demos.map((each) => each.dispose()));
  demos = [];
}, longMs);

it(
  "deploys the program on the real controllers, while Ctrl-C ends a demo on stand-ins during its traffic",
  async () => {
    const real = demo("--namespace", "ml");
    const quick = demo("--story", "1", "--stand-ins", "--namespace", "ml");
    await quick.started("--admin-address-path");
    quick.interrupt();
    expect(await quick.ended).toBe("SIGINT");
    await quick.gone();
    expect(quick.out()).toMatch(
      /^\n {2}Real: {7}kube-apiserver, etcd, Envoy, the endpoint picker\n/,
    );
    expect(quick.out()).not.toContain("that Volcano started");

    expect(await real.ended, real.err()).toBe(0);
    expect(real.err(), "no warning").toBe("Starting the cluster ...\n");
    const shown = real.out();
    expect(shown).not.toContain("\u001b");
    for (const line of shown.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
    expect(shown).toMatch(/^ {2}Real: {7}kube-apiserver, etcd, kube-controller-manager, /m);
    expect(shown).toContain(`
Pods that Volcano started, and the planned ones
  REPLICA   PODS  STARTED  PLANNED
  worker-0  2     2        2
  worker-1  2     0        0
`);
    expect(shown).toMatch(/^ {2}30 requests answered, mean \d+ ms, p95 \d+ ms/m);
    expect(shown).toContain("\n  0 pods left\n");
    const next = /examples\/\w+/.exec(shown.slice(shown.indexOf("\nNext: ")))?.[0];
    expect(existsSync(join(repositoryRoot, String(next), "README.md"))).toBe(true);
    await real.gone();
  },
  longMs,
);

it(
  "leaves no process and no file when Ctrl-C ends it while its API server starts",
  async () => {
    const interrupted = demo();
    await interrupted.started("kube-apiserver");
    interrupted.interrupt();
    expect(await interrupted.ended).toBe("SIGINT");
    await interrupted.gone();
  },
  longMs,
);

describe("in another cluster", () => {
  let cluster: AttachedCluster;
  let namespace: string;
  beforeAll(async () => {
    cluster = await sharedCluster();
    namespace = await freshNamespace(cluster, "demo");
  }, longMs);
  const inCluster = (...args: string[]) =>
    demo("--context", "harness", "--kubeconfig", cluster.kubeconfig, "-n", namespace, ...args);
  const workloads = async () => {
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    return (await cluster.request<{ items: unknown[] }>("GET", path)).items.length;
  };

  it("prints the objects that it would create, and creates none without --yes or a terminal", async () => {
    const asking = inCluster("--story", "2");
    expect(await asking.ended).toBe(2);
    expect(asking.out()).toBe(`Story 2, disaggregated prefill and decode, in another cluster:
  context    harness
  server     ${cluster.url}
  namespace  ${namespace}
  creates    1 PodGroup, 2 ServiceAccount, 2 Role, 2 RoleBinding, 6
             LeaderWorkerSet, 2 PodDisruptionBudget, 2 NetworkPolicy, 1
             ClusterRole, 1 ClusterRoleBinding, 1 Deployment, 1 Service, 1
             InferencePool, 1 Gateway, 1 HTTPRoute
  GPUs       6
The demo shows the pods and then deletes these objects.
`);
    expect(asking.err()).toBe("The demo cannot ask without a terminal. Add --yes to go on.\n");
    expect(asking.files()).toEqual([]);
    expect(await workloads()).toBe(0);
  });

  it(
    "keeps its state when it is interrupted, and deletes its objects with the command that it prints",
    async () => {
      const interrupted = inCluster("--yes", "--story", "1");
      await interrupted.printed("\nPods (");
      expect(await workloads()).toBe(1);
      interrupted.interrupt();
      expect(await interrupted.ended).toBe(130);
      const command = /npm run demo -- (--destroy \S+)\n/.exec(interrupted.err())?.[1] ?? "";
      expect(command).toContain("pulumi-inference-demo-");

      const [option = "", folder = ""] = command.split(" ");
      const destroying = demo(option, folder);
      expect(await destroying.ended, destroying.err()).toBe(0);
      expect(destroying.out()).toMatch(/\n {2}\d+ objects deleted\n/);
      expect(await workloads()).toBe(0);
      expect(existsSync(folder)).toBe(false);
    },
    longMs,
  );

  it("lists the contexts of the kubeconfig if --context names none of them", async () => {
    const options = readOptions(["--context", "prod", "--kubeconfig", cluster.kubeconfig]);
    const lost = inOtherCluster(options, readStory(1, "default"), async () => {});
    await expect(lost).rejects.toThrow(`${cluster.kubeconfig} has no context prod; it has harness`);
  });
});
