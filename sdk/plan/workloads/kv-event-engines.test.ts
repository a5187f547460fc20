import { describe, expect, it } from "vitest";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import {
  decoder,
  output,
  prefiller,
  router,
  service,
  vllmTemplate,
  worker,
} from "../../../testing/sample-service.ts";
import { planInferenceService } from "../inference-service.ts";

interface Container {
  readonly name: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: ReadonlyArray<{ readonly name: string }>;
}

const plan = (...roles: Parameters<typeof service>[0]) => planInferenceService(service(roles));
const publishing = router({ kvEvents: true });

/** The containers of every pod template that serves. */
const engines = (manifests: readonly Manifest[]): Container[] =>
  manifests
    .filter(({ kind }) => kind === "LeaderWorkerSet")
    .flatMap(({ spec }) => {
      const { leaderTemplate, workerTemplate } = (
        spec as {
          leaderWorkerTemplate: Record<string, { spec: { containers: Container[] } } | undefined>;
        }
      ).leaderWorkerTemplate;
      return ((leaderTemplate ?? workerTemplate)?.spec.containers ?? []) as Container[];
    });

const withContainer = (fields: object) => worker({ template: vllmTemplate(8, fields) });
const words = ({ command = [], args = [] }: Container) =>
  [...command, ...args].map(String).join(" ");

const config = (model: string) =>
  `{"enable_kv_cache_events":true,"publisher":"zmq","endpoint":"tcp://*:5557","replay_endpoint":"tcp://*:5657","topic":"kv@$(POD_IP)@${model}"}`;

describe("engines whose KV events the picker hears", () => {
  it("engines whose KV events the picker hears are told to publish, by the name under which they serve", () => {
    const [engine] = engines(
      plan(withContainer({ args: ["--model", "org/m", "--served-model-name", "m"] }), publishing),
    );
    expect(engine?.args).toEqual([
      ...["--model", "org/m", "--served-model-name", "m"],
      ...["--kv-events-config", config("m")],
    ]);
    expect(engine?.env).toContainEqual({
      name: "POD_IP",
      valueFrom: { fieldRef: { fieldPath: "status.podIP" } },
    });
  });

  it("engines whose KV events the picker hears have each of their ranks heard, which nobody else may do", () => {
    const manifests = plan(
      withContainer({ args: ["--model", "m", "--data-parallel-size", "8"] }),
      publishing,
    );
    const text = (kind: string, name: string) =>
      JSON.stringify(
        manifests.find(({ kind: k, metadata }) => k === kind && metadata.name === name),
      );
    expect(text("ConfigMap", "svc-epp-config")).toContain(String.raw`\"dataParallelSize\": 8`);
    expect(text("NetworkPolicy", "svc-engines")).toContain(
      '"ports":[{"protocol":"TCP","port":5557,"endPort":5564},{"protocol":"TCP","port":5657,"endPort":5664}]',
    );
  });

  it("engines whose KV events the picker hears are those of every role, and of every pod that serves", () => {
    for (const roles of [
      [prefiller(), decoder(), publishing],
      [worker({ multinode: { nodeCount: 2 } }), publishing],
      [withContainer({ command: ["vllm", "serve", "m"], args: undefined }), publishing],
    ])
      for (const engine of engines(plan(...roles)))
        expect(words(engine)).toMatch(/--kv-events-config.*enable_kv_cache_events/);
  });

  it("engines whose KV events the picker hears keep what they say themselves", () => {
    const args = ["--model", "m", "--kv-events-config", "{}"];
    const env = [{ name: "POD_IP", value: "mine" }];
    const [own] = engines(plan(withContainer({ args }), publishing));
    expect(own?.args).toEqual(args);
    const [named] = engines(plan(withContainer({ args: ["--model", "m"], env }), publishing));
    expect(named?.env).toEqual(env);
    const [later] = engines(
      plan(withContainer({ args: ["--model", "m"], env: output() }), publishing),
    );
    expect(later?.args?.[3]).toContain('"topic":"kv@@m"');
  });

  it("engines whose KV events the picker hears are heard by the picker, and by nobody else", () => {
    const manifests = plan(worker(), publishing);
    const text = JSON.stringify(manifests.filter(({ kind }) => kind === "ConfigMap"));
    expect(text).toContain("precise-prefix-cache-producer");
    expect(text).toMatch(/socketPort[^0-9]*5557[^0-9]*replaySocketPort[^0-9]*5657/);
    expect(text).not.toContain("approx-prefix-cache-producer");
    const policies = manifests.filter(({ kind }) => kind === "NetworkPolicy");
    const doors = policies.flatMap(
      ({ spec }) => (spec as { ingress: Array<{ from: unknown; ports?: unknown[] }> }).ingress,
    );
    const open = doors.filter(({ ports }) => JSON.stringify(ports)?.includes("5557"));
    expect(open).toHaveLength(1);
    expect(open[0]?.from).toHaveLength(1);
    expect(JSON.stringify(open[0]?.from)).toContain("svc-epp");
  });

  it("engines whose KV events the picker hears change nothing where they are not asked for", () => {
    expect(engines(plan(worker(), router({ kvEvents: false })))).toEqual(
      engines(plan(worker(), router())),
    );
  });
});
