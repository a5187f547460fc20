import { afterAll, beforeAll, expect, it } from "vitest";
import { type AttachedCluster, freshNamespace } from "../../testing/api/cluster.ts";
import { installOwnCrds } from "../../testing/api/install-crds.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";
import { run } from "../sample.fixture.ts";

/** `explain` on an API server. It reads the same objects as an endpoint picker. */

let cluster: AttachedCluster;
let platform: string;
let team: string;

beforeAll(async () => {
  cluster = await sharedCluster();
  await installOwnCrds(cluster);
  [platform, team] = [await freshNamespace(cluster), await freshNamespace(cluster)];
  await create(`/apis/inference.networking.k8s.io/v1/namespaces/${platform}/inferencepools`, {
    apiVersion: "inference.networking.k8s.io/v1",
    kind: "InferencePool",
    metadata: {
      name: "p",
      annotations: {
        "pulumi-inference/registration": "required",
        "pulumi-inference/allowed-namespaces": team,
      },
    },
    spec: {
      selector: { matchLabels: { app: "m" } },
      targetPorts: [{ number: 8000 }],
      endpointPickerRef: { name: "epp", port: { number: 9002 } },
    },
  });
  await create(`/apis/inference.x-k8s.io/v1alpha1/namespaces/${team}/llmservices`, {
    apiVersion: "inference.x-k8s.io/v1alpha1",
    kind: "LLMService",
    metadata: { name: "bots" },
    spec: {
      models: [
        {
          name: "npc",
          objective: { desiredAveragePerOutputTokenLatencyAtP95OverMultipleRequests: "50ms" },
          targetModels: [
            { name: "v1", weight: 1 },
            { name: "v2", weight: 3 },
          ],
        },
        { name: "alias" },
      ],
      poolRef: [{ name: "p", namespace: platform }],
    },
  });
  await create(
    `/apis/inference.networking.x-k8s.io/v1alpha2/namespaces/${platform}/inferencemodelrewrites`,
    {
      apiVersion: "inference.networking.x-k8s.io/v1alpha2",
      kind: "InferenceModelRewrite",
      metadata: { name: "r" },
      spec: {
        poolRef: { name: "p" },
        rules: [{ matches: [{ model: { value: "alias" } }], targets: [{ modelRewrite: "base" }] }],
      },
    },
  );
}, 120_000);
afterAll(() => cluster?.detach());

const create = (path: string, body: object) => cluster.request("POST", path, body);
const explain = (...args: string[]) =>
  run(["explain", ...args, "--kubeconfig", cluster.kubeconfig, "-n", platform]);

it("explain prints the owner of a model name, the rule that applies, and the model that servers receive", async () => {
  const npc = await explain("npc", "--pool", "p");
  expect(npc.code).toBe(0);
  expect(npc.out).toBe(`\
MODEL          npc
POOL           ${platform}/p, accepts registered models only
REGISTERED BY  LLMService ${team}/bots
PRIORITY       0: Critical, 50 ms per token
RULE           none
GETS           v1 25 %, v2 75 %
`);
  const alias = await explain("alias", "--pool", "p", "--format", "json");
  expect(JSON.parse(alias.out)).toMatchObject({
    outcome: "served",
    priority: -1,
    rule: { rewrite: `${platform}/r`, index: 0 },
    targets: [{ model: "base", share: 1 }],
    notes: [],
  });
});

it("explain ends with 1 if a request would be refused or the pool does not exist", async () => {
  const unregistered = await explain("v1", "--pool", "p");
  expect(unregistered.code).toBe(1);
  expect(unregistered.out).toContain("404: the model is not registered on pool p");
  const absent = await explain("npc", "--pool", "q");
  expect(absent.code).toBe(1);
  expect(absent.err).toContain(`InferencePool ${platform}/q: does not exist`);
  expect((await explain("npc")).code).toBe(2);
});
