import { describe, expect, it } from "vitest";
import { prerequisites } from "../../sdk/platform/prerequisites.ts";
import type { CheckResult } from "./check-result.ts";
import { diagnose } from "./diagnose.ts";
import { observe } from "./observe.ts";
import {
  goodCluster,
  kthenaManager,
  paths,
  type RecordedCluster,
  readerOf,
  refused,
} from "./recorded-cluster.fixture.ts";

const examine = async (cluster: RecordedCluster): Promise<CheckResult[]> =>
  diagnose(await observe(readerOf(cluster), "models"));

const notOk = (findings: readonly CheckResult[]) => findings.filter(({ level }) => level !== "ok");

type Edit = (cluster: RecordedCluster) => void;

type Steps = ReadonlyArray<string | number>;

/** Sets a value in one recorded object; undefined removes the field. */
const put =
  (path: string, steps: Steps, value?: unknown): Edit =>
  (cluster) => {
    const parent = at(cluster[path], steps.slice(0, -1));
    const last = steps.at(-1) as string;
    expect(parent).toHaveProperty([last]);
    if (value === undefined && Array.isArray(parent)) parent.splice(Number(last), 1);
    else if (value === undefined) delete parent[last];
    else parent[last] = value;
  };

/** Replaces a string in one recorded object. */
const rewrite =
  (path: string, steps: Steps, change: (text: string) => string): Edit =>
  (cluster) => {
    const before = String(at(cluster[path], steps));
    expect(change(before)).not.toBe(before);
    put(path, steps, change(before))(cluster);
  };

function at(value: unknown, steps: Steps): Record<string, unknown> {
  return steps.reduce((here, step) => (here as Record<string, unknown>)[step], value) as Record<
    string,
    unknown
  >;
}

const editConf = (from: string | RegExp, to: string): Edit =>
  rewrite(paths.volcanoConfig, ["data", "volcano-scheduler.conf"], (conf) =>
    conf.replace(from, to),
  );

const lwsConfig = ["data", "controller_manager_config.yaml"];

const image = (path: string, to: string): Edit =>
  put(path, ["items", 0, "spec", "template", "spec", "containers", 0, "image"], to);

const remove =
  (path: string): Edit =>
  (cluster) => {
    expect(cluster).toHaveProperty([path]);
    delete cluster[path];
  };

const v1 = ["spec", "versions", 1];
const specFields = [...v1, "schema", "openAPIV3Schema", "properties", "spec", "properties"];
const podGroups = paths.crd("podgroups.scheduling.volcano.sh");
const leaderWorkerSets = paths.crd("leaderworkersets.leaderworkerset.x-k8s.io");

const decoderContainers = [
  "items",
  1,
  "spec",
  "leaderWorkerTemplate",
  "workerTemplate",
  "spec",
  "containers",
];

describe("a cluster one edit away from good has one finding:", () => {
  const faults: Array<[string, Edit, Partial<CheckResult>]> = [
    [
      "LeaderWorkerSet is not installed",
      remove(leaderWorkerSets),
      {
        check: "crd-leaderworkerset",
        level: "error",
        title: "LeaderWorkerSet v1 is not installed",
      },
    ],
    [
      "an older LeaderWorkerSet serves another version",
      put(leaderWorkerSets, [...v1, "name"], "v1alpha2"),
      { check: "crd-leaderworkerset", level: "error", seen: expect.stringContaining("v1alpha2") },
    ],
    [
      "the version is there but not served",
      put(leaderWorkerSets, [...v1, "served"], false),
      { check: "crd-leaderworkerset", level: "error", title: "LeaderWorkerSet v1 is not served" },
    ],
    [
      "a CRD is not established",
      put(leaderWorkerSets, ["status", "conditions", 1, "status"], "False"),
      {
        check: "crd-leaderworkerset",
        level: "error",
        seen: expect.stringContaining("Established"),
      },
    ],
    [
      "LeaderWorkerSet before 0.9 refuses the restart policy of groups",
      put(
        leaderWorkerSets,
        [...specFields, "leaderWorkerTemplate", "properties", "restartPolicy", "enum", 2],
        "Other",
      ),
      {
        check: "crd-leaderworkerset",
        level: "error",
        title: "LeaderWorkerSet v1 does not accept RecreateGroupAfterStart",
      },
    ],
    ["PodGroup is not installed", remove(podGroups), { check: "crd-podgroup", level: "error" }],
    [
      "PodGroup has no subGroupPolicy",
      put(podGroups, [...specFields, "subGroupPolicy"]),
      { check: "crd-podgroup", level: "error", title: expect.stringContaining("subGroupPolicy") },
    ],
    [
      "PodGroup's subGroupPolicy has no minSubGroups",
      put(podGroups, [...specFields, "subGroupPolicy", "items", "properties", "minSubGroups"]),
      {
        check: "crd-podgroup",
        level: "error",
        title: "PodGroup v1beta1 lacks spec.subGroupPolicy.minSubGroups",
      },
    ],
    [
      "Queue is not installed",
      remove(paths.crd("queues.scheduling.volcano.sh")),
      { check: "crd-queue", level: "error" },
    ],
    [
      "InferencePool is not installed",
      remove(paths.crd("inferencepools.inference.networking.k8s.io")),
      { check: "crd-inferencepool", level: "error" },
    ],
    [
      "HTTPRoute is not installed",
      remove(paths.crd("httproutes.gateway.networking.k8s.io")),
      { check: "crd-httproute", level: "error" },
    ],
    [
      "Gateway is not installed",
      remove(paths.crd("gateways.gateway.networking.k8s.io")),
      { check: "crd-gateway", level: "warning" },
    ],
    [
      "KEDA is not installed",
      remove(paths.crd("scaledobjects.keda.sh")),
      {
        check: "crd-scaledobject",
        level: "warning",
        seen: expect.stringContaining("unless its scaler is hpa"),
      },
    ],
    [
      "the Gateway API is older than the tested version",
      put(
        paths.crd("httproutes.gateway.networking.k8s.io"),
        ["metadata", "annotations", "gateway.networking.k8s.io/bundle-version"],
        "v1.3.0",
      ),
      {
        check: "tested-versions",
        level: "warning",
        title: "Gateway API 1.3.0 is older than the tested version",
        seen: expect.stringContaining(`use ${prerequisites.gatewayApi.version}`),
      },
    ],
    [
      "KEDA is older than the tested version",
      image(paths.keda, "ghcr.io/kedacore/keda:2.20.9"),
      { check: "tested-versions", level: "warning", fix: prerequisites.keda.install },
    ],
    [
      "the LeaderWorkerSet manager is gone",
      put(paths.lws, ["items", 0]),
      { check: "lws-manager", level: "error" },
    ],
    [
      "the LeaderWorkerSet manager does not run",
      put(paths.lws, ["items", 0, "status", "availableReplicas"]),
      { check: "lws-manager", level: "error", fix: expect.stringContaining("kubectl describe") },
    ],
    [
      "LeaderWorkerSet's gang provider is on",
      rewrite(
        paths.lwsConfig,
        lwsConfig,
        (config) => `${config}gangSchedulingManagement:\n  schedulerProvider: volcano\n`,
      ),
      {
        check: "lws-gang-provider",
        level: "error",
        seen: expect.stringContaining("schedulerProvider is volcano"),
      },
    ],
    [
      "LeaderWorkerSet's configuration is not YAML",
      put(paths.lwsConfig, lwsConfig, "a: ["),
      { check: "lws-gang-provider", level: "unknown" },
    ],
    [
      "Kthena runs beside the LeaderWorkerSet manager",
      put(paths.kthena, ["items"], [kthenaManager()]),
      {
        check: "lws-second-controller",
        level: "error",
        fix: "kubectl scale -n kthena-system deployment/kthena-controller-manager --replicas 0",
      },
    ],
    [
      "Volcano's scheduler is too old",
      image(paths.scheduler, "docker.io/volcanosh/vc-scheduler:v1.14.0"),
      {
        check: "volcano-scheduler-version",
        level: "error",
        title: "Volcano's scheduler: 1.14.0 is older than 1.14.1",
      },
    ],
    [
      "Volcano's scheduler is a prerelease of the needed one",
      image(paths.scheduler, "volcanosh/vc-scheduler:v1.14.1-rc.0"),
      { check: "volcano-scheduler-version", level: "error" },
    ],
    [
      "Volcano's controllers are too old",
      image(paths.controllers, "docker.io/volcanosh/vc-controller-manager:v1.9.10"),
      { check: "volcano-controllers-version", level: "error" },
    ],
    [
      "Volcano's scheduler has an image without a version",
      image(paths.scheduler, "docker.io/volcanosh/vc-scheduler:latest"),
      {
        check: "volcano-scheduler-version",
        level: "unknown",
        fix: expect.stringContaining("logs"),
      },
    ],
    [
      "Volcano's scheduler has an image with a digest only",
      image(paths.scheduler, `registry:5000/vc-scheduler@sha256:${"a".repeat(64)}`),
      { check: "volcano-scheduler-version", level: "unknown" },
    ],
    [
      "Volcano's scheduler does not run",
      put(paths.scheduler, ["items", 0, "status", "availableReplicas"]),
      { check: "volcano-scheduler", level: "error" },
    ],
    [
      "Volcano's scheduler is scaled to zero",
      (cluster) => {
        put(paths.scheduler, ["items", 0, "status"], {})(cluster);
        put(paths.scheduler, ["items", 0, "spec", "replicas"], 0)(cluster);
      },
      {
        check: "volcano-scheduler",
        level: "error",
        fix: "kubectl scale -n volcano-system deployment/volcano-scheduler --replicas 1",
      },
    ],
    [
      "Volcano's controllers are gone",
      put(paths.controllers, ["items", 0]),
      { check: "volcano-controllers", level: "error" },
    ],
    [
      "the default queue is gone",
      remove(paths.queue),
      { check: "volcano-default-queue", level: "error" },
    ],
    [
      "the default queue is closed",
      put(paths.queue, ["status", "state"], "Closed"),
      {
        check: "volcano-default-queue",
        level: "error",
        seen: expect.stringContaining("Closed"),
        fix: "vcctl queue operate --action open --name default",
      },
    ],
    [
      "the default queue has no state yet",
      put(paths.queue, ["status"]),
      { check: "volcano-default-queue", level: "error", fix: expect.stringContaining("restart") },
    ],
    [
      "binpack does not score GPUs",
      editConf(", nvidia.com/gpu", ""),
      { check: "volcano-binpack", level: "warning" },
    ],
    [
      "binpack has no arguments",
      editConf(/ {4}arguments:\n(.*\n)*/, ""),
      {
        check: "volcano-binpack",
        level: "warning",
        seen: expect.stringContaining("cpu and memory"),
      },
    ],
    [
      "binpack is off by its weight",
      editConf("weight: 10", "weight: 0"),
      { check: "volcano-binpack", level: "warning" },
    ],
    [
      "binpack gives GPUs no weight",
      editConf("binpack.weight: 10", "binpack.resources.nvidia.com/gpu: 0"),
      { check: "volcano-binpack", level: "warning" },
    ],
    [
      "binpack is not listed",
      editConf("name: binpack", "name: tdm"),
      { check: "volcano-binpack", level: "warning", seen: expect.stringContaining("off") },
    ],
    [
      "the gang plugin is not listed",
      editConf("name: gang", "name: tdm"),
      { check: "volcano-gang", level: "error" },
    ],
    [
      "the scheduler's configuration is not YAML",
      editConf("tiers:", "tiers: ]"),
      { check: "volcano-binpack", level: "unknown" },
    ],
    [
      "LeaderWorkerSet's pod webhook is missing",
      put(paths.mutating, ["items", 1, "webhooks", 1]),
      { check: "lws-pod-webhook", level: "error" },
    ],
    [
      "LeaderWorkerSet's validating webhook is missing",
      put(paths.validating, ["items", 0]),
      { check: "lws-validating-webhook", level: "error" },
    ],
    [
      "a webhook has no certificate authority",
      put(paths.mutating, ["items", 1, "webhooks", 0, "clientConfig", "caBundle"]),
      { check: "lws-mutating-webhook", level: "error", seen: expect.stringContaining("caBundle") },
    ],
    [
      "Volcano's webhook does not answer",
      put(paths.volcanoEndpoints, ["items", 0, "endpoints", 0, "conditions", "ready"], false),
      { check: "volcano-podgroup-webhook", level: "error" },
    ],
    [
      "a decoder has no decode sidecar",
      put(paths.leaderWorkerSets, [...decoderContainers, 0]),
      { check: "decode-sidecar", level: "warning", title: expect.stringContaining("chat-decode") },
    ],
    [
      "services may not be created",
      put(paths.review, ["status", "allowed"], false),
      { check: "permissions", level: "warning", title: expect.stringContaining("models") },
    ],
  ];

  it.each(faults)("%s", async (_, edit, finding) => {
    const cluster = goodCluster();
    edit(cluster);
    const found = notOk(await examine(cluster));
    expect(found).toEqual([expect.objectContaining(finding)]);
    expect(found[0]?.fix).toBeTruthy();
  });
});

describe("an edit with several findings:", () => {
  it("all webhooks of LeaderWorkerSet wait for the same endpoints", async () => {
    const cluster = goodCluster();
    put(paths.lwsEndpoints, ["items", 0])(cluster);
    const found = notOk(await examine(cluster)).map(({ check }) => check);
    expect(found).toEqual(["lws-mutating-webhook", "lws-pod-webhook", "lws-validating-webhook"]);
  });

  it("without a mutating webhook configuration pods are not labelled either", async () => {
    const cluster = goodCluster();
    put(paths.mutating, ["items", 1])(cluster);
    const found = notOk(await examine(cluster)).map(({ check }) => check);
    expect(found).toEqual(["lws-mutating-webhook", "lws-pod-webhook"]);
  });
});

describe("no findings", () => {
  it("a good cluster has no findings", async () => {
    const findings = await examine(goodCluster());
    expect(notOk(findings)).toEqual([]);
    expect(findings.length).toBeGreaterThan(15);
  });

  it.each<[string, Edit]>([
    ["a later Volcano", image(paths.scheduler, "volcanosh/vc-scheduler:v1.16.0-alpha.1@sha256:00")],
    ["Volcano without admission", put(paths.validating, ["items", 1])],
    ["no decoder", put(paths.leaderWorkerSets, ["items", 1])],
    [
      "a decode sidecar that is an init container",
      (cluster) => {
        const spec = [...decoderContainers.slice(0, -1)];
        put(paths.leaderWorkerSets, [...decoderContainers, 0])(cluster);
        at(cluster[paths.leaderWorkerSets], spec).initContainers = [
          { name: "routing-proxy", restartPolicy: "Always" },
        ];
      },
    ],
    ["LeaderWorkerSet without a configuration", remove(paths.lwsConfig)],
    [
      "an empty gang provider",
      rewrite(paths.lwsConfig, lwsConfig, (config) => `${config}gangSchedulingManagement: {}\n`),
    ],
    [
      "LeaderWorkerSet in another namespace",
      (cluster) => {
        const text = JSON.stringify(cluster).replaceAll("lws-system", "serving");
        for (const path of Object.keys(cluster)) delete cluster[path];
        Object.assign(cluster, JSON.parse(text));
      },
    ],
  ])("%s has no findings", async (_, edit) => {
    const cluster = goodCluster();
    edit(cluster);
    expect(notOk(await examine(cluster))).toEqual([]);
  });
});

it.each(Object.keys(goodCluster()).filter((path) => path !== "/version"))(
  "a refusal of %s is unknown, never an error",
  async (path) => {
    const findings = notOk(await examine({ ...goodCluster(), [path]: refused }));
    expect(findings.length).toBeGreaterThan(0);
    for (const { level, seen } of findings) {
      expect(level).toBe("unknown");
      expect(seen).toContain("forbidden");
    }
  },
);

it("an empty cluster lacks everything that services need", async () => {
  const errors = (await examine({})).filter(({ level }) => level === "error");
  expect(errors.map(({ check }) => check)).toEqual([
    "crd-leaderworkerset",
    "crd-podgroup",
    "crd-queue",
    "crd-inferencepool",
    "crd-httproute",
    "lws-manager",
    "volcano-scheduler",
    "volcano-controllers",
    "volcano-default-queue",
    "lws-mutating-webhook",
    "lws-pod-webhook",
    "lws-validating-webhook",
  ]);
});
