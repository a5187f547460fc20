import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { planInferenceService, podPluginRegistry } from "../../sdk/index.ts";
import { startCluster } from "../../testing/api/api-server.ts";
import { writeClientCertificate } from "../../testing/api/client-certificate.ts";
import { type Cluster, freshNamespace } from "../../testing/api/cluster.ts";
import { installCrds } from "../../testing/api/install-crds.ts";
import type { LeaderWorkerSet } from "../../testing/stand-ins/objects.ts";
import ownPlugins from "./own-plugins.fixture.ts";
import { WebhookScene } from "./webhook-scene.ts";

/** A webhook that answers only API servers: a real one, whose AdmissionConfiguration sets the client certificate. */

const folder = mkdtempSync(join(tmpdir(), "webhook-clients-"));
const { cert, key } = writeClientCertificate(folder);
let cluster: Cluster;
let namespace: string;
let scene: WebhookScene;

beforeAll(async () => {
  cluster = await startCluster({ admissionConfig: admissionConfig() });
  await installCrds(cluster, { groups: ["leaderworkerset.x-k8s.io"] });
  namespace = await freshNamespace(cluster);
  scene = new WebhookScene(cluster, namespace, ["https://plugins.example/"]);
  await scene.install();
}, 120_000);
afterAll(async () => {
  await scene?.end();
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** As Kubernetes documents it, "Authenticate API servers" of dynamic admission control. */
function admissionConfig(): string {
  const kubeconfig = join(folder, "webhooks.kubeconfig");
  const data = (file: string) => readFileSync(file).toString("base64");
  const user = { "client-certificate-data": data(cert), "client-key-data": data(key) };
  const users = [{ name: "*", user }];
  writeFileSync(kubeconfig, JSON.stringify({ apiVersion: "v1", kind: "Config", users }));
  const apiVersion = "apiserver.config.k8s.io/v1";
  const file = join(folder, "admission.json");
  const configuration = {
    ...{ apiVersion, kind: "WebhookAdmissionConfiguration" },
    kubeConfigFile: kubeconfig,
  };
  const plugins = [{ name: "MutatingAdmissionWebhook", configuration }];
  writeFileSync(file, JSON.stringify({ apiVersion, kind: "AdmissionConfiguration", plugins }));
  return file;
}

/** Returns the webhook's answer to a client of its port with these credentials. */
const asked = (credentials: object) =>
  new Promise<string>((resolve) => {
    const options = { method: "POST", rejectUnauthorized: false, agent: false, ...credentials };
    httpsRequest(scene.url, options, (response) => {
      void text(response).then((body) => resolve(`${response.statusCode} ${body.trim()}`));
    })
      .on("error", ({ message }) => resolve(message))
      .end("{}");
  });

async function workload(name: string): Promise<LeaderWorkerSet> {
  const plan = planInferenceService(
    {
      metadata: { name, namespace },
      spec: {
        plugins: [{ name: "rank", config: { prefix: "r" } }],
        roles: [
          {
            name: "w",
            componentType: "worker",
            template: { spec: { containers: [{ name: "vllm", image: "v:1" }] } },
          },
        ],
      },
    },
    { podPlugins: { registry: podPluginRegistry(ownPlugins) } },
  );
  const [lws] = await scene.apply(plan.filter(({ kind }) => kind === "LeaderWorkerSet"));
  return lws as LeaderWorkerSet;
}

it("B3: only API servers with a certificate of the CA get a response", async () => {
  await scene.start(`--client-ca-file=${cert}`);
  const pod = await scene.createLeader(await workload("a"));
  expect(pod.metadata.labels).toHaveProperty("rank");
  expect(await asked({})).toMatch(/certificate required|socket hang up|ECONNRESET/);
  const credentials = { cert: readFileSync(cert), key: readFileSync(key) };
  expect(await asked(credentials)).toBe("400 not a review of a pod");
  const strangers = mkdtempSync(join(tmpdir(), "strangers-"));
  const stranger = writeClientCertificate(strangers);
  expect(
    await asked({ cert: readFileSync(stranger.cert), key: readFileSync(stranger.key) }),
  ).toMatch(/unknown ca|socket hang up|ECONNRESET/i);
  rmSync(strangers, { recursive: true, force: true });
});

it("B3: refuses an API server whose certificate is of another CA", async () => {
  await scene.stop();
  const others = mkdtempSync(join(tmpdir(), "others-"));
  const other = writeClientCertificate(others);
  await scene.startProcess(`--client-ca-file=${other.cert}`);
  await expect(scene.createLeader(await workload("b"))).rejects.toThrow(/failed calling webhook/);
  rmSync(others, { recursive: true, force: true });
});
