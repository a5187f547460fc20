import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { AppsV1Api, CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { annotation } from "../../sdk/names.ts";
import { planSharedEndpointPicker } from "../../sdk/plan/picker/shared-picker.ts";
import { parseKind } from "../../sdk/validate/spec-kind.ts";
import { sharedEndpointPickerSpecKind } from "../../sdk/validate/spec-kinds.ts";
import { type AttachedCluster, freshNamespace } from "../../testing/api/cluster.ts";
import { installOwnCrds } from "../../testing/api/install-crds.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";
import {
  type Envoy,
  type HttpRoute,
  type InferencePool,
  startEnvoy,
} from "../../testing/envoy/start.ts";
import { collectionPath, objectPath } from "../../testing/object-path.ts";
import { startDeployedPicker } from "../../testing/pods/deployed-picker.ts";
import type { PickerProcess } from "../../testing/pods/picker-process.ts";
import { freePorts } from "../../testing/processes/free-ports.ts";
import { type Echo, type EchoPod, type EchoPorts, startEchoPod } from "./echo-pods.ts";

/**
 * The conformance suite of InferencePool (gateway-api-inference-extension, conformance/tests), limited to the parts
 * about requests to a picker: its pools, its pods, its configuration of the picker and its requests. The suite starts a
 * picker per pool; here one process serves all pools, each on its own port. Conditions that gateways write are not
 * tested here.
 */

const selection = "test-epp-endpoint-selection";
const servedEndpoint = "x-conformance-test-served-endpoint";

/** The pools of the suite's base.yaml, and its pool of cleartext HTTP/2. Each has three pods. */
const suite = {
  primary: { targetPorts: [3000], network: 1 },
  secondary: { targetPorts: [3000], network: 2, failureMode: "FailOpen", appProtocol: "http" },
  dp: { targetPorts: [3000, 3002, 3004], network: 3 },
  h2c: { targetPorts: [3001], network: 1, appProtocol: "kubernetes.io/h2c" },
} as const;
type Name = keyof typeof suite;
const names = Object.keys(suite) as Name[];

/** Ports of the pods of a network, the same as in the suite's echo server. */
const portsOf: Readonly<Record<number, EchoPorts>> = {
  1: { 3000: "http/1.1", 3001: "h2c" },
  2: { 3000: "http/1.1" },
  3: { 3000: "http/1.1", 3002: "http/1.1", 3004: "http/1.1" },
};

const appOf = (name: Name) => `${name === "h2c" ? "primary" : name}-inference-model-server`;

/** The suite's configuration of its pickers. */
const pickerConfig = JSON.stringify({
  apiVersion: "inference.networking.x-k8s.io/v1alpha1",
  kind: "EndpointPickerConfig",
  plugins: [
    { type: "header-based-testing-filter" },
    { type: "destination-endpoint-served-verifier" },
  ],
  schedulingProfiles: [
    { name: "conformance-profile", plugins: [{ pluginRef: "header-based-testing-filter" }] },
  ],
});

const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-conformance-"));
const soon = { timeout: 60_000, interval: 100 };
const pods = new Map<number, EchoPod[]>();
const gateways = new Map<"primary" | "secondary", Envoy>();
let cluster: AttachedCluster;
let namespace: string;
let ports: ReadonlyMap<Name, number>;
let picker: PickerProcess;

beforeAll(async () => {
  cluster = await sharedCluster();
  await installOwnCrds(cluster);
  namespace = await freshNamespace(cluster, "conformance");
  const free = await freePorts(names.length);
  ports = new Map(names.map((name, at) => [name, free[at] as number]));
  const shared = { metadata: { name: "shared", namespace }, spec: {} };
  const objects = planSharedEndpointPicker(parseKind(sharedEndpointPickerSpecKind, shared));
  for (const manifest of [...objects, ...names.map(poolOf)]) await create(manifest);
  for (const [network, name] of [
    [1, "primary"],
    [2, "secondary"],
    [3, "dp"],
  ] as const)
    pods.set(network, await Promise.all([1, 2, 3].map((pod) => startPod(network, name, pod))));
  const config = new KubeConfig();
  config.loadFromFile(cluster.kubeconfig);
  const [core, apps] = [config.makeApiClient(CoreV1Api), config.makeApiClient(AppsV1Api)];
  const place = { kubeconfig: cluster.kubeconfig, namespace, folder };
  const more = ["--conformance-headers"];
  picker = await startDeployedPicker({ place, core, apps, name: "shared-epp", more });
  gateways.set("primary", await startGateway("primary"));
  gateways.set("secondary", await startGateway("secondary"));
}, 300_000);
afterAll(async () => {
  for (const gateway of gateways.values()) await gateway.stop();
  await picker?.stop();
  for (const pod of [...pods.values()].flat()) await pod.stop();
  cluster?.detach();
  rmSync(folder, { recursive: true, force: true });
});

const podsOf = (name: Name) => pods.get(suite[name].network) as EchoPod[];
const ipsOf = (name: Name) => podsOf(name).map(({ ip }) => ip);
const podNames = (name: Name) => podsOf(name).map((pod) => pod.name);

const create = (manifest: Manifest) =>
  cluster.request("POST", collectionPath(manifest), {
    ...manifest,
    metadata: { ...manifest.metadata, namespace },
  });

function poolOf(name: Name): Manifest & InferencePool {
  const { targetPorts, ...settings } = suite[name];
  const { failureMode = "FailClose", appProtocol } = { appProtocol: undefined, ...settings } as {
    failureMode?: string;
    appProtocol?: string;
  };
  return {
    apiVersion: "inference.networking.k8s.io/v1",
    kind: "InferencePool",
    metadata: { name, namespace, annotations: { [annotation.pickerConfig]: pickerConfig } },
    spec: {
      selector: { matchLabels: { app: appOf(name) } },
      targetPorts: targetPorts.map((number) => ({ number })),
      ...(appProtocol !== undefined && { appProtocol }),
      endpointPickerRef: {
        name: "shared-epp",
        port: { number: ports.get(name) as number },
        failureMode,
      },
    },
  };
}

/** A pod of the cluster, and the servers that would run in it. */
async function startPod(network: number, pool: Name, at: number): Promise<EchoPod> {
  const ip = `127.${100 + (process.pid % 50)}.${16 + network}.${at}`;
  const name = `${appOf(pool)}-${at}`;
  const pod = await startEchoPod(name, ip, portsOf[network] as EchoPorts);
  const path = `/api/v1/namespaces/${namespace}/pods`;
  await cluster.request("POST", path, {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: { name, labels: { app: appOf(pool) } },
    spec: { nodeName: "node", containers: [{ name: "echoserver", image: "echo-basic" }] },
  });
  const conditions = [{ type: "Ready", status: "True" }];
  const status = { phase: "Running", podIP: ip, podIPs: [{ ip }], conditions };
  await cluster.request("PATCH", `${path}/${name}/status`, { status }, mergePatchType);
  return pod;
}

/**
 * A gateway of the suite: one for each of its Gateways, with the routes that name it. The picker of the second one gets
 * a copy of each piece of a body: Envoy continues without a picker only while it still has the body.
 */
const startGateway = (gateway: "primary" | "secondary") =>
  startEnvoy({
    bodyMode: gateway === "primary" ? "FULL_DUPLEX_STREAMED" : "STREAMED",
    httpRoutes: [routeOf(gateway)],
    pools: names.map((name) => ({
      pool: poolOf(name),
      picker: `127.0.0.1:${ports.get(name)}`,
      endpoints: suite[name].targetPorts.flatMap((port) =>
        ipsOf(name).map((ip) => `${ip}:${port}`),
      ),
    })),
  });

/** Two gateways have the same path for different pools. */
function routeOf(gateway: "primary" | "secondary"): HttpRoute {
  const backends: Readonly<Record<string, Readonly<Partial<Record<Name, number>>>>> = {
    ...Object.fromEntries(names.map((name) => [`/${name}`, { [name]: 1 }])),
    "/weighted-two-pools-test": { primary: 70, secondary: 30 },
    "/gateway": { [gateway]: 1 },
  };
  return {
    metadata: { name: gateway, namespace },
    spec: {
      parentRefs: [{ name: gateway }],
      hostnames: [`${gateway}.example.com`],
      rules: Object.entries(backends).map(([value, weights]) => ({
        matches: [{ path: { type: "PathPrefix", value } }],
        backendRefs: Object.entries(weights).map(([name, weight]) => ({
          ...{ group: "inference.networking.k8s.io", kind: "InferencePool" },
          ...{ name, weight },
        })),
      })),
    },
  };
}

const served = async () => {
  const page = await fetch(`http://127.0.0.1:${picker.ports.metrics}/debug/pools`);
  return ((await page.json()) as { served: string[] }).served.sort();
};

const completion = JSON.stringify({
  model: "conformance-fake-model",
  prompt: "Write as if you were a critic: San Francisco",
});

interface Asked {
  readonly gateway?: "primary" | "secondary";
  readonly path: string;
  /** The endpoints that the picker must choose. Default: the picker chooses. */
  readonly select?: readonly string[];
  readonly method?: "GET" | "POST";
}

interface Answered extends Partial<Echo> {
  readonly status: number | undefined;
  readonly endpoint: string | undefined;
}

/** One request, by the host that its gateway's route has. */
function ask({ gateway = "primary", path, select, method = "POST" }: Asked): Promise<Answered> {
  const headers = {
    host: `${gateway}.example.com`,
    ...(method === "POST" && { "content-type": "application/json" }),
    ...(select && { [selection]: select.join(",") }),
  };
  const { port } = gateways.get(gateway) as Envoy;
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers, agent: false });
    sent.once("error", reject).once("response", (response) => {
      const { statusCode: status, headers } = response;
      text(response).then((body) => {
        const echo = status === 200 ? (JSON.parse(body) as Echo) : {};
        resolve({ ...echo, status, endpoint: headers[servedEndpoint] as string | undefined });
      }, reject);
    });
    sent.end(method === "POST" ? completion : undefined);
  });
}

/** Sends `count` requests, ten at a time, as the suite does. */
async function askMany(count: number, asked: Asked): Promise<Answered[]> {
  const answers: Answered[] = [];
  const worker = async () => {
    for (let sent = 0; sent < count / 10; sent += 1) answers.push(await ask(asked));
  };
  await Promise.all(Array.from({ length: 10 }, worker));
  return answers;
}

/** Every request was served, and by one of these pods. */
function expectOnly(answers: readonly Answered[], allowed: readonly string[]): void {
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(allowed).toEqual(expect.arrayContaining([...new Set(answers.map(({ pod }) => pod))]));
}

it("every pod is reached through its pool's port", async () => {
  await expect.poll(served, soon).toEqual([...names].sort());
  for (const name of names)
    for (const { ip, name: pod } of podsOf(name))
      await expect
        .poll(() => ask({ path: `/${name}`, select: [ip] }), soon)
        .toMatchObject({ status: 200, pod });
});

describe("GatewayFollowingEPPRouting", () => {
  it.each([
    ["a single designated pod", [2]],
    ["two designated pods", [0, 1]],
    ["all available pods", [0, 1, 2]],
  ] as const)("traffic is sent only to %s", async (_, designated) => {
    for (const name of ["primary", "secondary", "dp"] as const) {
      const select = designated.map((at) => ipsOf(name)[at] as string);
      const answers = await askMany(100, { path: `/${name}`, select });
      expectOnly(
        answers,
        designated.map((at) => podNames(name)[at] as string),
      );
    }
  });
});

describe("GatewayFollowingEPPRoutingWithDataParallelism", () => {
  // Ranks by pod; an empty list for any.
  it.each([
    ["one designated pod, any rank", { 1: [] }],
    ["two designated pods, one with a fixed rank", { 0: [], 2: [3002] }],
    ["all pods, one restricted to two ranks", { 0: [], 1: [3000, 3004], 2: [] }],
  ] as ReadonlyArray<[string, Record<number, number[]>]>)("%s", async (_, ranks) => {
    const select = Object.entries(ranks).flatMap(([at, ports]) => {
      const ip = ipsOf("dp")[Number(at)] as string;
      return ports.length === 0 ? [ip] : ports.map((port) => `${ip}:${port}`);
    });
    const answers = await askMany(100, { path: "/dp", select });
    expectOnly(
      answers,
      Object.keys(ranks).map((at) => podNames("dp")[Number(at)] as string),
    );
    for (const { pod, httpPort } of answers) {
      const [, allowed] = Object.entries(ranks).find(
        ([at]) => podNames("dp")[Number(at)] === pod,
      ) as [string, number[]];
      const either = allowed.length === 0 ? suite.dp.targetPorts : allowed;
      expect(either.map(String)).toContain(httpPort);
    }
  });
});

it("GatewayDestinationEndpointServed: the response reports the endpoint that served it", async () => {
  for (const name of ["primary", "secondary"] as const)
    for (const { ip, name: pod } of podsOf(name))
      expect(await ask({ path: `/${name}`, select: [ip] })).toMatchObject({
        ...{ status: 200, pod },
        endpoint: `${ip}:3000`,
      });
});

it("GatewayWeightedAcrossTwoInferencePools: pods of the primary pool serve 70 % of the requests, pods of the secondary the rest", async () => {
  const select = [...ipsOf("primary"), ...ipsOf("secondary")];
  const answers = await askMany(200, { path: "/weighted-two-pools-test", select });
  expectOnly(answers, [...podNames("primary"), ...podNames("secondary")]);
  const ofPrimary = answers.filter(({ pod }) => podNames("primary").includes(pod ?? "")).length;
  // The suite's tolerance: the larger of a tenth and 4.5 standard deviations.
  const tolerance = Math.max(0.1, 4.5 * Math.sqrt((0.7 * 0.3) / 200));
  expect(Math.abs(ofPrimary / 200 - 0.7)).toBeLessThanOrEqual(tolerance);
});

it("InferencePoolAppProtocol: pods are reached by cleartext HTTP/2, by HTTP/1.1, and by HTTP/1.1 by default", async () => {
  for (const [name, port] of [
    ["h2c", 3001],
    ["secondary", 3000],
    ["primary", 3000],
  ] as const)
    for (const { ip, name: pod } of podsOf(name))
      expect(await ask({ path: `/${name}`, select: [`${ip}:${port}`] })).toMatchObject({
        ...{ status: 200, pod, httpPort: String(port) },
        endpoint: `${ip}:${port}`,
      });
});

it("HTTPRouteMultipleRulesDifferentPools: a request without a body is sent to the pool of its rule", async () => {
  for (const name of ["primary", "secondary"] as const)
    expectOnly([await ask({ path: `/${name}`, method: "GET" })], podNames(name));
});

it("HTTPRouteMultipleGatewaysDifferentPools: the same path leads to the pool of each gateway", async () => {
  for (const gateway of ["primary", "secondary"] as const)
    expectOnly([await ask({ gateway, path: "/gateway", method: "GET" })], podNames(gateway));
});

it("EppUnAvailableFailOpen: a pool with FailOpen serves requests without its picker", async () => {
  const [first] = podsOf("secondary");
  const asked = { gateway: "secondary", path: "/secondary", select: [first?.ip ?? ""] } as const;
  expect(await ask(asked)).toMatchObject({ status: 200, pod: first?.name });
  await cluster.request("DELETE", objectPath(poolOf("secondary")));
  await expect.poll(served, soon).toEqual(["dp", "h2c", "primary"]);
  // Without its own picker a request reaches any pod of the pool, and the pickers of the other pools still choose.
  const answers = () => askMany(20, asked);
  await expect
    .poll(async () => new Set((await answers()).map(({ pod }) => pod)).size, soon)
    .toBe(podNames("secondary").length);
  expectOnly(await answers(), podNames("secondary"));
  const [last] = podsOf("primary").slice(-1);
  expectOnly(await askMany(20, { path: "/primary", select: [last?.ip ?? ""] }), [last?.name ?? ""]);
});
