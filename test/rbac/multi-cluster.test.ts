import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newKubernetesClient } from "../../kubernetes/api/client.ts";
import { loadKubeConfig } from "../../kubernetes/api/load-kubeconfig.ts";
import { LeaderElection } from "../../kubernetes/control/leader-election.ts";
import { annotation } from "../../sdk/names.ts";
import {
  multiClusterHubRules,
  multiClusterMemberRules,
} from "../../sdk/plan/multi-cluster/rbac.ts";
import {
  annotate,
  applyImport,
  createImport,
  createNamespace,
  createPicker,
  createPool,
  exported,
  exporters,
  readDetail,
  readImport,
  setReady,
  startController,
  startSet,
  type TestController,
  type TestMember,
  type TestSet,
} from "../multi-cluster/cluster-set.fixture.ts";

/** The permissions that the plan grants to the controller are sufficient, and none is superfluous. */

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

let set: TestSet;
let attempt = 0;

beforeAll(async () => {
  set = await startSet({ names: ["a", "b"], sharedEtcd: true, shipped: [] });
}, 180_000);
afterAll(() => set?.stop());

/** Kubeconfig of a ServiceAccount of a member, with these rules and no others. */
async function permitted({ cluster, kubeconfig }: TestMember, rules: readonly Rule[]) {
  const name = `controller-${attempt}`;
  const group = "rbac.authorization.k8s.io";
  const apiVersion = `${group}/v1`;
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  await cluster.request("POST", accounts, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name },
  });
  await cluster.request("POST", `/apis/${apiVersion}/clusterroles`, {
    apiVersion,
    kind: "ClusterRole",
    metadata: { name },
    rules,
  });
  await cluster.request("POST", `/apis/${apiVersion}/clusterrolebindings`, {
    apiVersion,
    kind: "ClusterRoleBinding",
    metadata: { name },
    subjects: [{ kind: "ServiceAccount", name, namespace: "default" }],
    roleRef: { apiGroup: group, kind: "ClusterRole", name },
  });
  const { status } = await cluster.request<{ status: { token: string } }>(
    "POST",
    `${accounts}/${name}/token`,
    { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
  );
  const config = loadKubeConfig({ file: kubeconfig });
  const file = `${kubeconfig}-${attempt}`;
  const user = config.getCurrentUser();
  if (user !== null) Object.assign(user, { token: status.token });
  writeFileSync(file, config.exportConfig(), { mode: 0o600 });
  return file;
}

/** Everything that a controller asks of a member. Returns the first refusal, or "works". */
async function exercise(rules: readonly Rule[]): Promise<string> {
  attempt += 1;
  const [a, b] = [set.member("a"), set.member("b")];
  const namespace = `ns-${attempt}`;
  await Promise.all([a, b].map((member) => createNamespace(member, namespace)));
  const running = startController([a, { ...b, kubeconfig: await permitted(b, rules) }]);
  let isDone = false;
  const refusal = () => running.log.find((line) => /forbidden/i.test(line));
  try {
    return await Promise.race([
      useAll(running, a, b, namespace, () => isDone),
      (async () => {
        while (!isDone && refusal() === undefined) await sleep(20);
        return refusal() ?? "";
      })(),
    ]);
  } finally {
    isDone = true;
    await running.stop();
  }
}

async function useAll(
  { controller, log }: TestController,
  a: TestMember,
  b: TestMember,
  namespace: string,
  isDone: () => boolean,
): Promise<string> {
  const until = async (what: string, holds: () => boolean | Promise<boolean>) => {
    const deadline = Date.now() + 20_000;
    while (!isDone() && !(await holds())) {
      if (Date.now() > deadline) throw new Error(`no ${what}:\n${log.slice(-20).join("\n")}`);
      await sleep(20);
    }
  };
  const exported_ = { export: "ClusterSet" };
  const withdraw = (name: string) => annotate(a, namespace, name, { [annotation.export]: null });
  const lists = async (name: string) => (await exporters(b, namespace, name))?.[0];
  await createPicker(a, namespace, true);
  await createImport(b, namespace, "foreign", { controllers: [] });
  for (const name of ["plain", "foreign", "shared"])
    await createPool(a, namespace, name, exported_);
  await createPool(b, namespace, "back", exported_);
  await until("view of all members", () => controller.settled);
  for (const name of ["plain", "foreign", "shared"])
    await until(`import ${name}`, async () => (await lists(name)) === "a");
  await until(
    "condition of the pool",
    async () => (await exported(b, namespace, "back"))?.status === "True",
  );
  const detail = () => readDetail(b, namespace, "foreign");
  await until("detail", async () => (await detail()) !== undefined);
  await setReady(a, namespace, false);
  await until("change of the detail", async () =>
    JSON.stringify(await detail()).includes("PickerNotReady"),
  );
  const theirs = { name: "example.com/other", exportingClusters: [{ name: "elsewhere" }] };
  await applyImport(b, namespace, "shared", { controllers: [theirs] });
  for (const name of ["plain", "foreign", "shared"]) await withdraw(name);
  await until(
    "withdrawal of the import",
    async () => (await readImport(b, namespace, "plain")) === undefined,
  );
  await until("withdrawal of the detail", async () => (await detail()) === undefined);
  await until("import that is left to another controller", async () => {
    const { labels = {} } = (await readImport(b, namespace, "shared"))?.metadata ?? {};
    return Object.keys(labels).length === 0;
  });
  // The controller checks that a returning member is still the same cluster.
  const followed = () => controller.members.get("b")?.followed.contact;
  await b.proxy.cut();
  await until("loss of the member", () => followed() !== "current");
  await b.proxy.restore();
  await until("return of the member", () => followed() === "current");
  await sleep(200);
  return "works";
}

/** Yields copies of the rules, each without one verb of one resource. */
function* withoutOneVerb(rules: readonly Rule[]): Generator<[removed: string, rules: Rule[]]> {
  const single = rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb }))),
    ),
  );
  for (const removed of single)
    yield [
      `${removed.verb} ${removed.resource}`,
      single
        .filter((each) => each !== removed)
        .map(({ group, resource, verb }) => ({
          apiGroups: [group],
          resources: [resource],
          verbs: [verb],
        })),
    ];
}

it("works with the planned rules", async () => {
  expect(await exercise(multiClusterMemberRules)).toBe("works");
});

describe("does not work without", () => {
  it.each([...withoutOneVerb(multiClusterMemberRules)])("%s", async (_, rules) => {
    expect(await exercise(rules)).toMatch(/forbidden/i);
  });
});

describe("the Lease in the hub", () => {
  const elect = async (rules: readonly Rule[]) => {
    attempt += 1;
    const own = rules.map((rule) =>
      "resourceNames" in rule ? { ...rule, resourceNames: [`lease-${attempt}`] } : rule,
    );
    const file = await permitted(set.member("a"), own);
    const client = newKubernetesClient(loadKubeConfig({ file }));
    const end = Promise.withResolvers<string>();
    const onProblem = (message: string) => /forbidden/i.test(message) && end.resolve(message);
    const election = new LeaderElection({
      client,
      namespace: "kube-system",
      name: `lease-${attempt}`,
      identity: "me",
      timing: { retryMs: 20 },
      onProblem,
      onChange: (leading) => leading && setTimeout(() => end.resolve("works"), 200),
    });
    election.start();
    try {
      return await end.promise;
    } finally {
      await election.release();
      client.close();
    }
  };

  it("is held with the planned rules", async () => {
    expect(await elect(multiClusterHubRules())).toBe("works");
  });

  it.each([...withoutOneVerb(multiClusterHubRules())])(
    "is not held without %s",
    async (_, rules) => {
      expect(await elect(rules)).toMatch(/forbidden/i);
    },
  );
});
