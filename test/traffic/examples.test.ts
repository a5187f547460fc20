import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { InferenceControllers } from "../../components/index.ts";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { accountKubeconfig } from "../../testing/api/account-kubeconfig.ts";
import type { AttachedCluster } from "../../testing/api/cluster.ts";
import { freshNamespace } from "../../testing/api/cluster.ts";
import { installOwnCrds } from "../../testing/api/install-crds.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";
import type { ModelServerOptions } from "../../testing/model-server/model-server.ts";
import { startRuntime } from "../../testing/pods/picker-process.ts";
import { openStack, stateFolder } from "../../testing/programs/pulumi-stack.ts";
import { repositoryRoot } from "../../testing/repository.ts";
import { type StandIns, startStandIns } from "../../testing/stand-ins/start.ts";
import {
  type LiveTraffic,
  startLiveTraffic,
  type TrafficLocation,
} from "../../testing/traffic/live-traffic.ts";

/** Examples with requests: their stacks on an API server, OpenAI's client through Envoy and the stack's picker. */

let cluster: AttachedCluster;
const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-examples-"));
const cleanUps: Array<() => Promise<unknown>> = [];

beforeAll(async () => {
  cluster = await sharedCluster();
  await installOwnCrds(cluster);
}, 120_000);
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});
afterAll(() => {
  cluster?.detach();
  rmSync(folder, { recursive: true, force: true });
});

/** A namespace in which pods get addresses. */
async function place(): Promise<string> {
  const namespace = await freshNamespace(cluster, "traffic");
  const standIns: StandIns = await startStandIns(cluster, { namespace, tickMs: 20 });
  cleanUps.push(() => standIns.stop());
  return namespace;
}

/** Brings an example up; answers how to do so again with other configuration. */
async function deploy(
  example: string,
  namespace: string,
  state: string,
  config: Record<string, string> = {},
) {
  const dir = join(repositoryRoot, "examples", example);
  const up = async (settings: Record<string, string>) => {
    const stack = openStack({
      ...{ stack: "test", program: { dir }, state },
      kubernetes: { kubeconfig: cluster.kubeconfig },
      config: { namespace, ...config, ...settings },
    });
    const result = await stack.up();
    expect(result.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    return result;
  };
  await up({});
  return { up };
}

async function traffic(
  namespace: string,
  server: ModelServerOptions = {},
  place: Pick<TrafficLocation, "serverOf" | "gateway"> = {},
): Promise<LiveTraffic> {
  const running = await startLiveTraffic({
    kubeconfig: cluster.kubeconfig,
    namespace,
    folder: join(folder, namespace),
    serverOf: () => ({ stepMs: 1, prefillTokensPerSecond: 200_000, adapterLoadMs: 1, ...server }),
    ...place,
  });
  cleanUps.push(() => running.stop());
  return running;
}

const ask = (client: OpenAI, model: string, maxTokens = 1, signal?: AbortSignal) =>
  client.completions.create({ model, prompt: "Hello there.", max_tokens: maxTokens }, { signal });

/** Sends requests for a model, some at a time; answers how many each target got. */
async function split({ client, servers }: LiveTraffic, model: string, count: number) {
  const before = new Map(servers.map(({ server }) => [server, server.served.length]));
  for (let sent = 0; sent < count; sent += 20) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(client, model)));
    for (const answer of answers) expect(answer.model).toBe(model);
  }
  const targets = new Map<string, number>();
  for (const { server } of servers)
    for (const served of server.served.slice(before.get(server)))
      targets.set(served.model, (targets.get(served.model) ?? 0) + 1);
  return targets;
}

/** Expects a share within four standard deviations of `share` in `count` draws. */
function expectShare(got: number | undefined, count: number, share: number): void {
  const sigma = Math.sqrt(count * share * (1 - share));
  expect(got).toBeGreaterThan(count * share - 4 * sigma);
  expect(got).toBeLessThan(count * share + 4 * sigma);
}

/** Resolves once the condition holds; otherwise the error has what was seen last. */
async function eventually(check: () => Promise<void> | void): Promise<void> {
  const deadline = Date.now() + 15_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

const refusal = async (client: OpenAI, model: string, signal?: AbortSignal) =>
  ask(client, model, 1, signal).then(
    () => {
      throw new Error(`a request for ${model} was served`);
    },
    (error: unknown) => error as InstanceType<typeof OpenAI.APIError>,
  );

/** The status controller as InferenceControllers deploys it, for some namespaces. */
async function controllers(system: string, namespaces: readonly string[]): Promise<void> {
  const { kubeconfig } = cluster;
  const stack = openStack({
    project: "system",
    stack: "test",
    program: {
      run: async () =>
        void new InferenceControllers("controllers", { metadata: { namespace: system } }),
    },
    state: stateFolder(),
    kubernetes: { kubeconfig },
  });
  const up = await stack.up();
  expect(up.diagnostics).toEqual([]);
  cleanUps.push(() => stack.destroy());
  await runDeployed(system, "inference-status-controller", [
    `--namespaces=${namespaces.join(",")}`,
  ]);
}

/** A program as its Deployment starts it: its arguments, its ServiceAccount's permissions, ports that are free. */
async function runDeployed(namespace: string, name: string, more: readonly string[]) {
  const deployment = await cluster.request<{ spec: { template: { spec: PodSpec } } }>(
    "GET",
    `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`,
  );
  const { containers, serviceAccountName } = deployment.spec.template.spec;
  const account = { kubeconfig: cluster.kubeconfig, namespace, folder: join(folder, namespace) };
  const [program = "", ...args] = containers[0]?.args ?? [];
  const process = await startRuntime(program, {
    args: [...args, ...more, "--metrics-port=0", "--health-port=0"],
    env: { KUBECONFIG: await accountKubeconfig(account, serviceAccountName) },
  });
  cleanUps.push(() => process.stop());
  return process;
}

interface PodSpec {
  readonly serviceAccountName: string;
  readonly containers: ReadonlyArray<{ readonly args: readonly string[] }>;
}

/** Resolves in a later second than the one in which an object was made: API servers write ages in whole seconds. */
async function secondAfter(path: string): Promise<void> {
  const { metadata } = await cluster.request<{ metadata: { creationTimestamp: string } }>(
    "GET",
    path,
  );
  const laterMs = Date.parse(metadata.creationTimestamp) + 1_000 - Date.now();
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, laterMs) + 10));
}

interface WithConditions {
  readonly status?: {
    readonly conditions?: ReadonlyArray<{ type: string; status: string; message: string }>;
  };
}

async function conditionOf(path: string, type: string) {
  const { status } = await cluster.request<WithConditions>("GET", path);
  const found = status?.conditions?.find((condition) => condition.type === type);
  return found && { status: found.status, message: found.message };
}

describe("examples/llm-services", () => {
  const adapters = [
    "sql-code-assist",
    "npc-bot-v1",
    "npc-bot-v2",
    "dungeon-master-v1",
    "dungeon-master-v2",
  ];

  it("serves the models that the teams register, with their objectives, and refuses other models", async () => {
    const [namespace, chat, games] = [await place(), await place(), await place()];
    const state = stateFolder();
    await deploy("llm-services/platform", namespace, state, {
      teams: JSON.stringify([chat, games]),
    });
    await deploy("llm-services/chat-team", chat, state);
    await deploy("llm-services/games-team", games, state);
    const running = await traffic(namespace, { adapters, maxSequences: 1 });
    const { client } = running;

    await eventually(async () => void (await ask(client, "dungeon-master")));
    const npc = await split(running, "npc-bot", 200);
    expectShare(npc.get("npc-bot-v1"), 200, 0.5);
    expect([...npc.keys()].sort()).toEqual(["npc-bot-v1", "npc-bot-v2"]);
    expect(await split(running, "sql-code-assist", 20)).toEqual(new Map([["sql-code-assist", 20]]));

    const unregistered = await refusal(client, "npc-bot-v1");
    expect(unregistered).toBeInstanceOf(OpenAI.NotFoundError);
    expect(unregistered.message).toContain("qwen-pool");
    expect((await refusal(client, "dungeon-master-next")).message).toContain(
      "no valid target model",
    );

    // In a full pool, requests without an objective wait for requests with one.
    const load = new AbortController();
    const busy = Array.from({ length: 40 }, () =>
      ask(client, "npc-bot", 2_000, load.signal).catch(() => {}),
    );
    await eventually(async () => {
      const given = await refusal(client, "sql-code-assist", AbortSignal.timeout(500));
      expect(given).toBeInstanceOf(OpenAI.APIUserAbortError);
    });
    const kept = ask(client, "npc-bot", 1);
    load.abort();
    await Promise.all(busy);
    expect((await kept).model).toBe("npc-bot");
    await eventually(async () => void (await ask(client, "sql-code-assist")));
  }, 120_000);

  it("the status reports the owner of a name, and the next service gets the name when the owner is deleted", async () => {
    const [namespace, chat, games] = [await place(), await place(), await place()];
    const state = stateFolder();
    await deploy("llm-services/platform", namespace, state, {
      teams: JSON.stringify([chat, games]),
    });
    await deploy("llm-services/chat-team", chat, state);
    await controllers(await freshNamespace(cluster, "system"), [namespace, chat, games]);
    const services = (team: string) =>
      `/apis/inference.x-k8s.io/v1alpha1/namespaces/${team}/llmservices`;
    const owner = `${services(chat)}/my-llm-service`;
    await eventually(async () => {
      expect(await conditionOf(owner, "Accepted")).toMatchObject({ status: "True" });
    });

    // If both were made in one second, the one whose namespace sorts first has the name.
    await secondAfter(owner);
    await cluster.request("POST", services(games), {
      apiVersion: "inference.x-k8s.io/v1alpha1",
      kind: "LLMService",
      metadata: { name: "rival" },
      spec: {
        models: [{ name: "npc-bot", targetModels: [{ name: "npc-bot-v2" }] }, { name: "own" }],
        poolRef: [{ name: "qwen-pool", namespace }],
      },
    });
    const rival = `${services(games)}/rival`;
    await eventually(async () => {
      const accepted = await conditionOf(rival, "Accepted");
      expect(accepted?.status).toBe("False");
      expect(accepted?.message).toContain(`${chat}/my-llm-service`);
      expect(accepted?.message).toContain("npc-bot");
    });

    const running = await traffic(namespace, { adapters: [...adapters, "own"] });
    await eventually(async () => void (await ask(running.client, "own")));
    expect([...(await split(running, "npc-bot", 100)).keys()].sort()).toEqual([
      "npc-bot-v1",
      "npc-bot-v2",
    ]);
    await cluster.request("DELETE", owner);
    await eventually(async () => {
      expect(await conditionOf(rival, "Accepted")).toMatchObject({ status: "True" });
    });
    await eventually(async () => {
      expect([...(await split(running, "npc-bot", 20)).keys()]).toEqual(["npc-bot-v2"]);
    });
  }, 120_000);
});

describe("examples/fair-pools", () => {
  const slots = 4;

  /** Loops of requests for models until they are stopped: the times of their answers, in milliseconds. */
  function clientsOf({ client }: LiveTraffic, ofModels: Readonly<Record<string, number>>) {
    let isRunning = true;
    const times = new Map(Object.keys(ofModels).map((model) => [model, [] as number[]]));
    const loop = async (model: string) => {
      while (isRunning) {
        const began = performance.now();
        await ask(client, model, 20);
        times.get(model)?.push(performance.now() - began);
      }
    };
    const loops = Object.entries(ofModels).flatMap(([model, count]) =>
      Array.from({ length: count }, () => loop(model)),
    );
    return {
      times,
      async stop() {
        isRunning = false;
        await Promise.all(loops);
      },
    };
  }

  const median = (values: readonly number[]) =>
    [...values].sort((a, b) => a - b)[values.length >> 1] as number;

  /** Returns the times of all models while the answers of one go from a count to a later one. */
  async function between(
    times: ReadonlyMap<string, number[]>,
    model: string,
    [from, to]: readonly [number, number],
  ): Promise<Map<string, number[]>> {
    const reached = (count: number) =>
      expect
        .poll(() => times.get(model)?.length, { timeout: 60_000 })
        .toBeGreaterThanOrEqual(count);
    await reached(from);
    const before = new Map([...times].map(([name, list]) => [name, list.length]));
    await reached(to);
    return new Map([...times].map(([name, list]) => [name, list.slice(before.get(name))]));
  }

  it("a heavy service does not slow a light one, and services share by weight", async () => {
    const namespace = await place();
    await deploy("fair-pools", namespace, stateFolder());
    const server = { model: "Qwen/Qwen3-8B", maxSequences: slots, stepMs: 10 };
    const running = await traffic(namespace, server);

    const uneven = clientsOf(running, { batch: 12 * slots, search: 1 });
    const times = await between(uneven.times, "search", [10, 30]);
    await uneven.stop();
    // Six requests for each slot: who waits behind all of them takes six times as long as who does not.
    expect(median(times.get("search") ?? [])).toBeLessThan(median(times.get("batch") ?? []) / 2);

    const greedy = clientsOf(running, { batch: 6 * slots, search: 6 * slots });
    const counts = await between(greedy.times, "search", [50, 350]);
    await greedy.stop();
    const [search = [], batch = []] = [counts.get("search"), counts.get("batch")];
    expect(search.length / batch.length).toBeGreaterThan(4);
    expect(search.length / batch.length).toBeLessThan(6);
  }, 180_000);
});

describe("examples/model-router", () => {
  /** Models of each pool's servers: the base model, and adapters. */
  const served: Readonly<Record<string, readonly string[]>> = {
    small: ["Qwen/Qwen3-8B"],
    large: ["Qwen/Qwen3-32B"],
    adapters: ["sql-assist", "review-assist"],
  };

  it("three pools serve at one endpoint, each for the names of its models", async () => {
    const namespace = await place();
    await deploy("model-router", namespace, stateFolder(), { gatewayType: "generic" });
    const router = await runDeployed(namespace, "models-model-router", [
      "--grpc-port=0",
      "--secure-serving=false",
      "--drain-timeout=0s",
    ]);
    const { client, servers } = await traffic(
      namespace,
      {},
      {
        serverOf: ({ metadata }) => {
          const [model = "none", ...more] = served[metadata?.labels?.app ?? ""] ?? [];
          return { stepMs: 1, adapterLoadMs: 1, model, adapters: [model, ...more] };
        },
        gateway: { modelRouter: `127.0.0.1:${router.ports.grpc}` },
      },
    );
    const models = Object.entries(served).flatMap(([pool, names]) =>
      names.map((model) => [model, pool] as const),
    );
    for (const [model, pool] of models) {
      await eventually(async () => void (await ask(client, model)));
      const takers = servers.filter(({ server }) =>
        server.served.some((each) => each.model === model),
      );
      expect(new Set(takers.map(({ pod }) => pod.metadata?.labels?.app))).toEqual(new Set([pool]));
    }
    expect(await refusal(client, "nobody's")).toMatchObject({
      ...{ status: 404, code: "model_not_found" },
    });
  }, 120_000);
});

describe("examples/model-rewrite", () => {
  it("splits and renames models and passes others unchanged; an edit takes effect under load", async () => {
    const namespace = await place();
    await deploy("model-rewrite", namespace, stateFolder());
    const adapters = ["foodreview-v1", "foodreview-v2"];
    const running = await traffic(namespace, { model: "Qwen/Qwen3-8B", adapters });
    const targets = await split(running, "foodreview", 400);
    expectShare(targets.get("foodreview-v1"), 400, 0.1);
    expectShare(targets.get("foodreview-v2"), 400, 0.9);
    expect(await split(running, "gpt-4o", 20)).toEqual(new Map([["Qwen/Qwen3-8B", 20]]));
    expect(await split(running, "foodreview-v1", 20)).toEqual(new Map([["foodreview-v1", 20]]));

    const path = `/apis/llm-d.ai/v1alpha2/namespaces/${namespace}/inferencemodelrewrites/food-review-canary-rollout`;
    const rules = [
      {
        matches: [{ model: { type: "Exact", value: "foodreview" } }],
        targets: [{ modelRewrite: "foodreview-v2" }],
      },
    ];
    await cluster.request("PATCH", path, { spec: { rules } }, mergePatchType);
    await eventually(async () => {
      expect((await split(running, "foodreview", 20)).get("foodreview-v2")).toBe(20);
    });
    await cluster.request("DELETE", path);
    await eventually(async () => {
      expect((await refusal(running.client, "foodreview")).status).toBe(404);
    });
  }, 120_000);
});

describe("examples/canary", () => {
  it("moves requests to a new adapter without touching a pod", async () => {
    const namespace = await place();
    const example = await deploy("canary", namespace, stateFolder());
    const running = await traffic(namespace, { adapters: ["assistant-v1", "assistant-v2"] });
    const first = await split(running, "assistant", 200);
    expectShare(first.get("assistant-v2"), 200, 0.1);
    expect(await refusal(running.client, "assistant-v2")).toBeInstanceOf(OpenAI.NotFoundError);

    const statusOf = async (path: string) => (await fetch(running.envoy.url + path)).status;
    expect(await statusOf("/v1/models")).toBe(200);
    // The engine has these for its operator; the gateway does not.
    for (const path of ["/metrics", "/health", "/v1/load_lora_adapter"])
      expect(await statusOf(path)).toBe(404);

    const { steps } = await example.up({ canaryWeight: "99" });
    const changed = steps.filter(({ operation, custom }) => custom && operation !== "same");
    expect(changed.map(({ operation, name }) => `${operation} ${name}`)).toEqual([
      "update assistant-llmservice",
    ]);
    await eventually(async () => {
      const later = await split(running, "assistant", 20);
      expect(later.get("assistant-v2") ?? 0).toBeGreaterThan(15);
    });
  }, 120_000);
});

describe("examples/canary-base-model", () => {
  it("moves requests to a new base model without touching a pod", async () => {
    const namespace = await place();
    const example = await deploy("canary-base-model", namespace, stateFolder());
    const { client, servers } = await traffic(namespace, { model: "assistant" });
    const requests = 300;
    for (let sent = 0; sent < requests; sent += 20)
      await Promise.all(Array.from({ length: 20 }, () => ask(client, "assistant")));
    const taken = servers.reduce((sum, { pod, server }) => {
      const service = pod.metadata?.labels?.["fusioninfer.io/service"];
      return sum + (service === "assistant-next" ? server.served.length : 0);
    }, 0);
    expectShare(taken, requests, 0.1);

    const { steps } = await example.up({ canaryWeight: "50" });
    const changed = steps.filter(({ operation, custom }) => custom && operation !== "same");
    expect(changed.map(({ operation, name }) => `${operation} ${name}`)).toEqual([
      "update assistant-httproute",
    ]);
  }, 120_000);
});
