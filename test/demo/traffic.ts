import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  AppsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  type V1Deployment,
  type V1Pod,
} from "@kubernetes/client-node";
import OpenAI from "openai";
import { endpointPickerConfigName, endpointPickerName, label } from "../../sdk/topology/names.ts";
import { findEnvoy } from "../harness/envoy/install.ts";
import {
  type Envoy,
  type HttpRoute,
  type InferencePool,
  startEnvoy,
} from "../harness/envoy/start.ts";
import { type ModelServer, startModelServer } from "../harness/model-server/model-server.ts";
import { type PickerProcess, startPicker } from "../harness/picker-process.ts";
import { table } from "./report.ts";

/** Where a stack runs whose pods are only written down: what they would execute runs here. */
export interface TrafficPlace {
  readonly kubeconfig: string;
  readonly namespace: string;
  /** Name of the InferenceService. */
  readonly service: string;
  /** For files of processes. */
  readonly folder: string;
}

/** Conversations and their turns: each turn's prompt is all that was said before. */
const conversations = 6;
const turns = 5;
/** What the conversations of one course have in common. */
const courses = ["astronomy", "baking", "chess"];
const instructions = (course: string) =>
  `You are a patient teacher of ${course}. Answer in plain words. `.repeat(12);

/**
 * Sends requests through a gateway to the stack: Envoy made from its HTTPRoute and InferencePool, its picker with the
 * arguments and permissions of its Deployment, a simulated model server at the address of each of its pods. Decoders
 * act as the decode sidecar would.
 */
export async function showTraffic(place: TrafficPlace): Promise<void> {
  await findEnvoy();
  const objects = await readObjects(place);
  const running: Array<{ stop(): Promise<unknown> }> = [];
  try {
    const servers = await startServers(objects);
    running.push(...servers.map(({ server }) => server));
    const picker = await startStackPicker(place, objects);
    running.push(picker);
    const envoy = await startGateway(objects, picker);
    running.push(envoy);
    await untilReady(envoy, picker);
    await converse(envoy, servers);
  } finally {
    for (const process of running.reverse()) await process.stop();
  }
}

interface StackObjects {
  readonly pods: readonly V1Pod[];
  readonly picker: V1Deployment;
  readonly pickerConfig: string;
  readonly token: string;
  readonly pool: InferencePool & { spec: { targetPorts: Array<{ number: number }> } };
  readonly routes: readonly HttpRoute[];
}

async function readObjects({
  kubeconfig,
  namespace,
  service,
}: TrafficPlace): Promise<StackObjects> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const core = config.makeApiClient(CoreV1Api);
  const custom = config.makeApiClient(CustomObjectsApi);
  const list = async (group: string, plural: string) => {
    const found = await custom.listNamespacedCustomObject({
      group,
      version: "v1",
      namespace,
      plural,
    });
    return (found as { items: object[] }).items;
  };
  const name = endpointPickerName(service);
  const { items: pods } = await core.listNamespacedPod({ namespace });
  const { data = {} } = await core.readNamespacedConfigMap({
    namespace,
    name: endpointPickerConfigName(service),
  });
  const { status } = await core.createNamespacedServiceAccountToken({
    namespace,
    name,
    body: { spec: { audiences: [] } },
  });
  const [pool] = await list("inference.networking.k8s.io", "inferencepools");
  return {
    pods,
    picker: await config.makeApiClient(AppsV1Api).readNamespacedDeployment({ namespace, name }),
    pickerConfig: data["config.yaml"] ?? "",
    token: status?.token ?? "",
    pool: pool as StackObjects["pool"],
    routes: (await list("gateway.networking.k8s.io", "httproutes")) as unknown as HttpRoute[],
  };
}

interface PodServer {
  readonly role: string;
  readonly server: ModelServer;
}

/** A model server for each pod that has an address and is of a role that serves. */
async function startServers({ pods, pool }: StackObjects): Promise<PodServer[]> {
  const port = pool.spec.targetPorts[0]?.number ?? 8000;
  const serving = pods.flatMap(({ metadata, status }) => {
    const role = metadata?.labels?.[label.componentType];
    const { name } = metadata ?? {};
    if (role === undefined || role === "router" || !status?.podIP || name === undefined) return [];
    return [{ role, name, ip: status.podIP }];
  });
  return await Promise.all(
    serving.map(async ({ role, name, ip }) => ({
      role,
      server: await startModelServer({ ip, port, name, anyModel: true, stepMs: 2 }),
    })),
  );
}

/** The picker as its Deployment starts it: its arguments, its configuration, its ServiceAccount's permissions. */
async function startStackPicker(
  place: TrafficPlace,
  objects: StackObjects,
): Promise<PickerProcess> {
  mkdirSync(place.folder, { recursive: true });
  const configFile = join(place.folder, "picker-config.yaml");
  const kubeconfig = join(place.folder, "picker.kubeconfig");
  writeFileSync(configFile, objects.pickerConfig);
  writeFileSync(kubeconfig, kubeconfigOf(place.kubeconfig, objects.token), { mode: 0o600 });
  const [container] = objects.picker.spec?.template.spec?.containers ?? [];
  const args = (container?.args ?? []).map((argument) =>
    argument.startsWith("--config-file=") ? `--config-file=${configFile}` : argument,
  );
  return await startPicker({
    args: [...args, "--drain-timeout=0s"],
    env: { KUBECONFIG: kubeconfig, NAMESPACE: place.namespace },
  });
}

function kubeconfigOf(file: string, token: string): string {
  const config = new KubeConfig();
  config.loadFromFile(file);
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Error(`${file} names no cluster`);
  const picker = new KubeConfig();
  picker.loadFromClusterAndUser({ ...cluster }, { name: "picker", token });
  return picker.exportConfig();
}

const startGateway = ({ pool, routes }: StackObjects, { ports }: PickerProcess): Promise<Envoy> =>
  startEnvoy({ httpRoutes: routes, pools: [{ pool, picker: `127.0.0.1:${ports.grpc}` }] });

/** The picker has read the pool and its pods. */
async function untilReady({ url }: Envoy, picker: PickerProcess): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const response = await fetch(`${url}/v1/models`);
    await response.arrayBuffer();
    if (response.ok) return;
    if (Date.now() > deadline)
      throw new Error(`the gateway answers ${response.status}\n${picker.log()}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function converse({ url }: Envoy, servers: readonly PodServer[]): Promise<void> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "-", maxRetries: 0 });
  const said = Array.from(
    { length: conversations },
    (_, at): OpenAI.ChatCompletionMessageParam[] => [
      { role: "system", content: instructions(courses[at % courses.length] as string) },
      {
        role: "user",
        content: `Student ${at}: where do I begin, and what comes next? `.repeat(4),
      },
    ],
  );
  const show = liveTable();
  for (let turn = 0; turn < turns; turn += 1) {
    await Promise.all(
      said.map(async (messages) => {
        const { choices } = await client.chat.completions.create({
          model: "demo",
          messages,
          max_tokens: 12,
        });
        messages.push({ role: "assistant", content: choices[0]?.message.content ?? "" });
        messages.push({
          role: "user",
          content: `And then? ${"Tell me more about it. ".repeat(6)}`,
        });
      }),
    );
    show(servedTable(servers));
  }
}

/** Who served what, and how much of it was cached. */
function servedTable(servers: readonly PodServer[]): string {
  const rows = servers
    .map(({ role, server: { name, served } }) => {
      const sum = (of: (request: (typeof served)[number]) => number) =>
        served.reduce((total, request) => total + of(request), 0);
      const prompt = sum(({ promptTokens }) => promptTokens);
      const cached = sum(({ cachedTokens }) => cachedTokens);
      const rate = prompt === 0 ? "" : `${Math.round((100 * cached) / prompt)} %`;
      const elsewhere = served.filter(({ prefiller }) => prefiller !== undefined).length;
      return [name, role, ...[served.length, elsewhere, prompt, cached].map(String), rate];
    })
    .sort(([a = ""], [b = ""]) => a.localeCompare(b, "en", { numeric: true }));
  return table([
    ["POD", "ROLE", "REQUESTS", "PREFILLED ELSEWHERE", "PROMPT TOKENS", "CACHED", "HITS"],
    ...rows,
  ]);
}

/** On a terminal each table takes the place of the one before; elsewhere the last one counts. */
function liveTable(): (text: string) => void {
  let lines = 0;
  let shown = 0;
  return (text) => {
    shown += 1;
    if (!process.stdout.isTTY && shown < turns) return;
    if (lines > 0) process.stdout.write(`\u001b[${lines}A\u001b[J`);
    process.stdout.write(`${text}\n`);
    lines = text.split("\n").length;
  };
}
