import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import {
  huggingFace,
  router as routerRole,
  worker as workerRole,
} from "../../components/typed-values.ts";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { planInferenceService } from "../../sdk/plan/inference-service.ts";
import { planSharedEndpointPicker } from "../../sdk/plan/picker/shared-picker.ts";
import type { InferenceServiceInput } from "../../sdk/spec/inference-service.ts";
import { fromManifest } from "../../sdk/spec/inference-service-manifest.ts";
import { type PodState, parsed, podsOf } from "../../sdk/status/service-objects.fixture.ts";
import { defaultRuntimeImage } from "../../sdk/topology/runtime-image.ts";
import { parseKind } from "../../sdk/validate/spec-kind.ts";
import { sharedEndpointPickerSpecKind } from "../../sdk/validate/spec-kinds.ts";
import { type AttachedCluster, freshNamespace } from "../../testing/api/cluster.ts";
import { installOwnCrds } from "../../testing/api/install-crds.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";
import { objectPath } from "../../testing/object-path.ts";
import { router, service, worker } from "../../testing/samples/sample-service.ts";
import { printPolls } from "../output/print-polls.ts";
import { run, sampleManifest } from "../sample.fixture.ts";
import { type Poll, statusView } from "./status.ts";
import { statusTable } from "./status-table.ts";

const manifest = sampleManifest("svc");
const ofManifest = parsed(fromManifest(parse(manifest)));

let cluster: AttachedCluster;
let namespace: string;

beforeAll(async () => {
  cluster = await sharedCluster();
  await installOwnCrds(cluster);
}, 120_000);
beforeEach(async () => {
  namespace = await freshNamespace(cluster, "cli");
});
afterAll(() => cluster?.detach());

const status = (args: readonly string[] = [], stdin = "") =>
  run(["status", "svc", "--kubeconfig", cluster.kubeconfig, "-n", namespace, ...args], stdin);

/** Creates the objects of the service, and pods in some state, as controllers would. */
async function deploy(
  mode: "full" | undefined,
  state: (pod: string) => PodState,
  service = ofManifest,
): Promise<void> {
  const planned = planInferenceService(service, mode === undefined ? {} : { statusObject: mode });
  for (const object of planned) {
    const own = { ...object, metadata: { ...object.metadata, namespace } };
    await cluster.apply(objectPath(own), own);
    if (object.kind !== "LeaderWorkerSet") continue;
    const seen = { status: { replicas: 1, updatedReplicas: 1 } };
    await cluster.request("PATCH", `${objectPath(own)}/status`, seen, mergePatchType);
  }
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  for (const pod of podsOf(service, state) as Array<Record<string, object>>) {
    const { name, labels } = pod.metadata as { name: string; labels: object };
    const spec = { ...pod.spec, containers: [{ name: "vllm", image: "i" }] };
    await cluster.request("POST", pods, { metadata: { name, labels }, spec });
    await cluster.request(
      "PATCH",
      `${pods}/${name}/status`,
      { status: pod.status },
      mergePatchType,
    );
  }
}

const someReady = (pod: string): PodState =>
  pod === "decode-1-3" ? { scheduled: true, waiting: "ImagePullBackOff" } : { ready: true };

it("status shows roles and conditions, without a controller", async () => {
  await deploy("full", someReady);
  const { code, out } = await status();
  expect(out.replaceAll(namespace, "ns")).toBe(`InferenceService ns/svc

ROLE     PHASE      REPLICAS  PODS  SINCE
prefill  Running    1/1       2/2   -
decode   Deploying  1/2       7/8   -

CONDITION    STATUS  REASON        MESSAGE
Available    True    MinimumReady  prefill: 1 of 1 replicas ready (2 of 2 pods); decode: 1 of 2 replicas ready (7 of 8 pods), pod decode-1-3: ImagePullBackOff
Progressing  False   Stalled       decode: 1 of 2 replicas ready (7 of 8 pods), pod decode-1-3: ImagePullBackOff
Degraded     True    PodsFailing   decode: 1 of 2 replicas ready (7 of 8 pods), pod decode-1-3: ImagePullBackOff

OBJECT        STATE
PodGroup svc  Pending
`);
  expect(code).toBe(0);
});

it("status ends with 1 if the service is not available, and prints the status as JSON", async () => {
  await deploy("full", () => ({}));
  const { code, out } = await status(["--format", "json"]);
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({
    observedGeneration: 1,
    components: { decode: { phase: "Pending", totalPods: 8 } },
    conditions: [{ type: "Available", status: "False" }, {}, {}],
  });
});

it.each(["full", undefined] as const)(
  "status shows the picker that a service shares, with its object or without (%s)",
  async (mode) => {
    const shared = { name: "shared", port: 10_000 };
    const roles = [worker(), router({ shared, httproute: undefined })];
    await deploy(mode, () => ({ ready: true }), parsed(service(roles)));
    expect((await status()).out).toMatch(/Deployment shared-epp +does not exist/);
    const metadata = { name: "shared", namespace };
    for (const object of planSharedEndpointPicker(
      parseKind(sharedEndpointPickerSpecKind, { metadata, spec: {} }),
    ))
      if (object.kind === "Deployment") await cluster.apply(objectPath(object), object);
    const { code, out } = await status();
    expect(out).toMatch(/router +Deploying +1\/2/);
    expect(out).toMatch(/Deployment shared-epp +1 of 2 pods ready/);
    expect(code).toBe(0);
    // Pool a is first, by its age or by its name.
    const pools = ["a", "svc"].flatMap((name) =>
      planInferenceService({ ...parsed(service(roles)), metadata: { name, namespace } }).filter(
        ({ kind }) => kind === "InferencePool",
      ),
    );
    await cluster.request("DELETE", objectPath(pools[1] as (typeof pools)[number]));
    for (const pool of pools) await cluster.apply(objectPath(pool), pool);
    expect((await status()).out).toMatch(
      /InferencePool svc-pool +port 10000 belongs to pool a-pool; use another port/,
    );
  },
);

it("status reads the spec from a manifest if the cluster has no object", async () => {
  await deploy(undefined, () => ({ ready: true }));
  const { code, out } = await status(["-f", "-"], manifest);
  expect(code).toBe(0);
  expect(out).not.toContain("Not known");
  expect(
    await run(["status", "other", "-f", "-", "--kubeconfig", cluster.kubeconfig], manifest),
  ).toMatchObject({ code: 2, err: "--file: no InferenceService named other; found: svc\n" });
});

describe("without an InferenceService object", () => {
  it("shows the status that the objects of the service imply", async () => {
    await deploy(undefined, someReady);
    const { code, out } = await status();
    expect(code).toBe(0);
    expect(out.replaceAll(namespace, "ns")).toMatch(
      /^InferenceService ns\/svc, from its objects\n\nROLE {5}PHASE/,
    );
    expect(out).toMatch(/prefill +Running +1\/1 +2\/2/);
    expect(out).toMatch(/decode +Deploying +1\/2 +7\/8/);
    expect(out).toContain(
      "There is no router, and it is unknown whether the service should have one.",
    );
  });

  it("reports the missing part of README's service", async () => {
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
    const args = /new InferenceService\("deepseek", (\{.*?\n\})\);/s.exec(readme)?.[1] ?? "";
    const program = new Function("huggingFace", "router", "worker", `return ${args}`);
    const spec = program(huggingFace, routerRole, workerRole) as InferenceServiceInput["spec"];
    const planned = planInferenceService({ metadata: { name: "deepseek", namespace }, spec });
    for (const object of planned) await cluster.apply(objectPath(object), object);
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    const labels = { app: "deepseek-epp", "fusioninfer.io/service": "deepseek" };
    const image = defaultRuntimeImage;
    await cluster.request("POST", pods, {
      metadata: { name: "deepseek-epp-1", labels },
      spec: { containers: [{ name: "epp", image }] },
    });
    const waiting = { waiting: { reason: "ImagePullBackOff" } };
    const container = { name: "epp", image, imageID: "", ready: false, restartCount: 0 };
    await cluster.request(
      "PATCH",
      `${pods}/deepseek-epp-1/status`,
      { status: { containerStatuses: [{ ...container, state: waiting }] } },
      mergePatchType,
    );
    const { code, out, err } = await run([
      "status",
      "deepseek",
      "--kubeconfig",
      cluster.kubeconfig,
      "-n",
      namespace,
    ]);
    expect({ code, err }).toEqual({ code: 1, err: "" });
    expect(out).toMatch(/worker +Pending +0\/2 +0\/4/);
    expect(out).toMatch(/router +Failed +0\/1 +0\/1/);
    expect(out).toMatch(/^PodGroup deepseek +Pending, waiting for 2 of 2 nodes$/m);
    expect(out).toMatch(
      /^Deployment deepseek-epp +0 of 1 pods ready, pod deepseek-epp-1: ImagePullBackOff: image \S+pulumi-inference:0\.1\.0$/m,
    );
    expect(out).toMatch(/^HTTPRoute deepseek-httproute +no gateway has accepted it$/m);
    expect(out).toMatch(/^Gateway cli-\S+\/gateway +does not exist$/m);
  });

  it("names the existing services if no service has that name", async () => {
    await deploy(undefined, someReady);
    const args = ["status", "other", "--kubeconfig", cluster.kubeconfig, "-n", namespace];
    expect(await run(args)).toEqual({
      code: 2,
      out: "",
      err: `namespace ${namespace} has no InferenceService other, and no objects of one; services in this namespace: svc. Name another namespace with -n.\n`,
    });
  });
});

describe("a poll", () => {
  const look = (phase: "Running" | "Failed", seconds = 0): Poll => ({
    name: "ns/svc",
    now: new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString(),
    dated: new Set(["w"]),
    path: [],
    placement: [],
    unreported: [],
    status: {
      components: {
        w: {
          desiredReplicas: 1,
          readyReplicas: 1,
          nodesPerReplica: 1,
          totalPods: 1,
          readyPods: 1,
          phase,
          lastUpdateTime: "2026-01-01T00:00:00Z",
        },
      },
    },
  });

  it.each([
    [0, "0s"],
    [59, "59s"],
    [60, "1m"],
    [7_199, "1h"],
    [172_800, "2d"],
  ])("shows an age of %i s as %s", (seconds, shown) => {
    expect(statusTable(look("Running", seconds), { colour: false })).toMatch(
      new RegExp(`w +Running +1/1 +1/1 +${shown}\n`),
    );
  });

  it("is coloured on a terminal", () => {
    expect(statusTable(look("Failed"), { colour: true })).toContain("\u001b[31mFailed\u001b[39m");
  });

  it("is printed again after a change", async () => {
    async function* looks() {
      for (const phase of ["Failed", "Failed", "Running"] as const) yield look(phase);
    }
    const written: string[] = [];
    const output = { write: (text: string) => void written.push(text), colour: false };
    const terminal = { out: output, err: output, readStdin: async () => "" };
    expect(
      await printPolls(looks(), statusView, { format: "table", watch: true }, terminal, 0),
    ).toBe(0);
    expect(written.join("").match(/Failed|Running/g)).toEqual(["Failed", "Running"]);
  });
});
