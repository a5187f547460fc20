import OpenAI from "openai";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  ImportedInferencePool,
  InferenceModelRewrite,
  InferenceRoute,
  InferenceService,
  LLMServerPool,
} from "../../components/index.ts";
import { memoryState, openStack, type Stack } from "../../engine/index.ts";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { nodesOf } from "../../sdk/index.ts";
import { freePorts } from "../../testing/free-ports.ts";
import type { GpuPart } from "../../testing/gpu-cluster.ts";
import { type IstioCluster, startIstioCluster } from "../../testing/istio/istio-cluster.ts";
import { worker } from "../../testing/sample-service.ts";
import { errorsOf } from "../orchestration/rolling-service.ts";
import { startExportingCluster } from "../traffic/exporting-cluster.ts";

/**
 * Istio's control plane configures Envoy from the planned objects. The pods of the Gateway run Envoy as its project
 * publishes it, not Istio's build. Engines are SIMULATED; kubelets, EndpointSlices and load balancers are STAND-INS.
 */

let cluster: IstioCluster;
let part: GpuPart;
let port: number;
const stacks: Stack[] = [];

beforeAll(async () => {
  cluster = await startIstioCluster({ model: "m", anyModel: true, stepMs: 5 });
  part = await cluster.gpus.part(nodesOf(16, 8));
  port = (await freePorts(1))[0] as number;
}, 3_600_000);
afterAll(async () => {
  for (const stack of stacks.reverse()) await stack.destroy();
  await cluster?.stop();
}, 300_000);

/** Deploys what a program creates. */
async function up(project: string, program: () => void): Promise<void> {
  const stack = openStack({
    ...{ project, stack: part.namespace, state: memoryState(), passphrase: () => "test" },
    program: { transport: "grpc", run: async () => program() },
    kubernetes: { kubeconfig: cluster.gpus.cluster.kubeconfig },
  });
  stacks.push(stack);
  expect(errorsOf(await stack.up())).toEqual([]);
}

const metadata = (name: string) => ({ metadata: { name, namespace: part.namespace } });
const client = (path = "/v1") =>
  new OpenAI({ baseURL: `http://127.0.0.1:${port}${path}`, apiKey: "-", maxRetries: 0 });

const soon = { timeout: 60_000, interval: 200 };
const gatewayApi = "gateway.networking.k8s.io/v1";
const inferenceApi = "inference.networking.k8s.io/v1";
const statusOf = async (group: string, plural: string, name: string) => {
  const path = `/apis/${group}/namespaces/${part.namespace}/${plural}/${name}`;
  return (await cluster.gpus.client.request<{ status?: object }>("GET", path)).status;
};
const all = (...types: string[]) => ({
  conditions: expect.arrayContaining(
    types.map((type) => expect.objectContaining({ type, status: "True" })),
  ),
});

/** STAND-IN for a cloud's load balancer. */
async function assignAddress(service: string): Promise<void> {
  const path = `/api/v1/namespaces/${part.namespace}/services/${service}/status`;
  const status = { loadBalancer: { ingress: [{ ip: "127.0.0.1" }] } };
  const patch = () => cluster.gpus.client.request("PATCH", path, { status }, mergePatchType);
  await expect.poll(() => patch().then(() => "assigned", String), soon).toBe("assigned");
}

it("accepts the planned Gateway, HTTPRoute and InferencePool, and serves a streamed chat", async () => {
  await up("chat", () => {
    new InferenceService("chat", {
      ...metadata("chat"),
      roles: [
        worker({ replicas: 2 }) as never,
        {
          name: "router",
          componentType: "router",
          gateway: {
            gatewayClassName: "istio",
            listeners: [{ name: "http", port, protocol: "HTTP" }],
          },
        },
      ],
    });
  });
  await assignAddress("chat-gateway-istio");
  await expect
    .poll(() => statusOf(gatewayApi, "gateways", "chat-gateway"), soon)
    .toMatchObject(all("Accepted", "Programmed"));
  await expect
    .poll(() => statusOf(gatewayApi, "httproutes", "chat-httproute"), soon)
    .toMatchObject({ parents: [all("Accepted", "ResolvedRefs")] });
  await expect
    .poll(() => statusOf(inferenceApi, "inferencepools", "chat-pool"), soon)
    .toMatchObject({ parents: [all("Accepted", "ResolvedRefs")] });

  const answer = async () => {
    let text = "";
    for await (const chunk of await client().chat.completions.create({
      ...{ model: "m", stream: true, max_tokens: 20 },
      messages: [{ role: "user", content: "Hello" }],
    }))
      text += chunk.choices[0]?.delta.content ?? "";
    return text;
  };
  await expect.poll(() => answer().catch(String), soon).toMatch(/^\S+( \S+){5,}$/);
}, 300_000);
