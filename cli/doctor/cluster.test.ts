import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { type Cluster, startCluster } from "../../testing/api/api-server.ts";
import { installCrds } from "../../testing/api/install-crds.ts";
import { folderOf, run } from "../sample.fixture.ts";
import type { CheckResult } from "./check-result.ts";
import { goodCluster, paths } from "./recorded-cluster.fixture.ts";

// An API server without controllers: the test writes what they would write.

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster();
}, 120_000);

afterAll(() => cluster?.stop());

async function doctor(kubeconfig = cluster.kubeconfig) {
  const { code, out } = await run(["doctor", "--kubeconfig", kubeconfig, "--format", "json"]);
  const findings = JSON.parse(out) as CheckResult[];
  const of = (level: CheckResult["level"]) =>
    findings.filter((finding) => finding.level === level).map(({ check }) => check);
  return { code, of };
}

interface Meta {
  metadata: { name: string; namespace?: string };
}

interface Recorded extends Meta {
  items: Array<Meta & Record<string, never>>;
  data: object;
}

it("doctor reports missing parts of a cluster until they are installed", async () => {
  const before = await doctor();
  expect(before.code).toBe(1);
  expect(before.of("error")).toContain("crd-podgroup");

  await installCrds(cluster);
  // A kind is served shortly before its CRD has the condition Established.
  const readyCrds = async () =>
    (await doctor()).of("ok").filter((check) => check.startsWith("crd-"));
  await expect.poll(readyCrds, { timeout: 20_000 }).toHaveLength(6);
  expect((await doctor()).of("error")).toContain("lws-manager");

  await install();
  const after = await doctor();
  expect({ code: after.code, error: after.of("error") }).toEqual({ code: 0, error: [] });
  expect([...after.of("warning"), ...after.of("unknown")]).toEqual([
    "crd-scaledobject",
    "own-crds",
    "gateway-class",
    "accelerators",
  ]);

  await cluster.request("DELETE", `${paths.lwsConfig}`);
  expect((await doctor()).code).toBe(0);
  await cluster.request("DELETE", paths.queue);
  expect((await doctor()).of("error")).toEqual(["volcano-default-queue"]);
});

it("doctor treats objects that it may not read as unknown", async () => {
  const { url, ca } = cluster;
  using folder = folderOf({
    config: JSON.stringify({
      clusters: [{ name: "c", cluster: { server: url, "certificate-authority-data": btoa(ca) } }],
      users: [{ name: "nobody", user: {} }],
      contexts: [{ name: "c", context: { cluster: "c", user: "nobody" } }],
      "current-context": "c",
    }),
  });
  const { code, of } = await doctor(join(folder.path, "config"));
  expect({ code, error: of("error") }).toEqual({ code: 0, error: [] });
  expect(of("unknown")).toContain("crd-podgroup");
  expect(of("ok")).toContain("api-server");
});

/** Creates the recorded objects in the API server, in the state that their controllers would produce. */
async function install() {
  const recorded = goodCluster() as Record<string, Recorded>;
  for (const name of ["lws-system", "volcano-system"]) {
    await create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
  for (const [list, label] of [
    [paths.lws, { "control-plane": "controller-manager" }],
    [paths.scheduler, { app: "volcano-scheduler" }],
    [paths.controllers, { app: "volcano-controller" }],
  ] as const) {
    for (const deployment of recorded[list]?.items ?? [])
      await installDeployment(deployment, label);
  }
  for (const path of [paths.lwsConfig, paths.volcanoConfig]) {
    const [folder, name] = [path.slice(0, path.lastIndexOf("/")), path.split("/").at(-1)];
    const { data } = recorded[path] as Recorded;
    await create(folder, { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
  }
  await installQueue();
  for (const [namespace, service] of [
    ["lws-system", "lws-webhook-service"],
    ["volcano-system", "volcano-admission-service"],
  ] as const) {
    await installEndpoint(namespace, service);
  }
  await installWebhooks("MutatingWebhookConfiguration", recorded[paths.mutating] as Recorded);
  await installWebhooks("ValidatingWebhookConfiguration", recorded[paths.validating] as Recorded);
}

const create = (path: string, object: object) => cluster.request("POST", path, object);

async function installDeployment(deployment: Meta & Record<string, never>, labels: object) {
  const { metadata, spec, status } = deployment as unknown as {
    metadata: Meta["metadata"];
    spec: { template: { spec: object } };
    status: object;
  };
  const folder = `/apis/apps/v1/namespaces/${metadata.namespace}/deployments`;
  const object = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { ...metadata, labels },
    spec: { ...spec, selector: { matchLabels: labels } },
  };
  const template = { ...spec.template, metadata: { labels } };
  await create(folder, { ...object, spec: { ...object.spec, template } });
  await patchStatus(`${folder}/${metadata.name}`, { ...status, readyReplicas: 1 });
}

const patchStatus = (path: string, status: object) =>
  cluster.request("PATCH", `${path}/status`, { status }, mergePatchType);

async function installQueue() {
  const folder = paths.queue.slice(0, paths.queue.lastIndexOf("/"));
  await create(folder, {
    apiVersion: "scheduling.volcano.sh/v1beta1",
    kind: "Queue",
    metadata: { name: "default" },
    spec: { weight: 1 },
  });
  await patchStatus(paths.queue, { state: "Open" });
}

const installEndpoint = (namespace: string, service: string) =>
  create(`/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`, {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: service, labels: { "kubernetes.io/service-name": service } },
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready: true } }],
  });

async function installWebhooks(kind: string, { items }: Recorded) {
  const path = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}s`;
  for (const { metadata, webhooks } of items as unknown as Array<
    Meta & { webhooks: Array<{ clientConfig: object }> }
  >) {
    await create(path, {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind,
      metadata,
      webhooks: webhooks.map((webhook) => ({
        ...webhook,
        clientConfig: { ...webhook.clientConfig, caBundle: btoa(cluster.ca) },
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
      })),
    });
  }
}
