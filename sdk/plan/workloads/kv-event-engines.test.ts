import { describe, expect, it } from "vitest";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import {
  decoder,
  prefiller,
  router,
  service,
  vllmTemplate,
  worker,
} from "../../../testing/samples/sample-service.ts";
import { planInferenceService } from "../inference-service.ts";
import { pickerConfigIn } from "../planned.fixture.ts";

interface Container {
  readonly name: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: ReadonlyArray<{ readonly name: string }>;
}

const plan = (...roles: Parameters<typeof service>[0]) => planInferenceService(service(roles));
const publishing = router({ kvEvents: true });

/** Returns the engine containers of every pod that serves. */
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

describe("a service with kvEvents", () => {
  it("engines publish events under the served model name", () => {
    const [engine] = engines(
      plan(withContainer({ args: ["--model", "org/m", "--served-model-name", "m"] }), publishing),
    );
    expect(engine?.args).toEqual([
      "--model",
      "org/m",
      "--served-model-name",
      "m",
      "--kv-events-config",
      config("m"),
    ]);
    expect(engine?.env).toContainEqual({
      name: "POD_IP",
      valueFrom: { fieldRef: { fieldPath: "status.podIP" } },
    });
  });

  it("the picker reads the events of each data-parallel rank", () => {
    const manifests = plan(
      withContainer({ args: ["--model", "m", "--data-parallel-size", "8"] }),
      publishing,
    );
    const text = (kind: string, name: string) =>
      JSON.stringify(
        manifests.find(({ kind: k, metadata }) => k === kind && metadata.name === name),
      );
    expect(pickerConfigIn(manifests)).toContain('"dataParallelSize": 8');
    expect(text("NetworkPolicy", "svc-engines")).toContain(
      '"ports":[{"protocol":"TCP","port":5557,"endPort":5564},{"protocol":"TCP","port":5657,"endPort":5664}]',
    );
  });

  it("engines of every role publish events, in every pod that serves", () => {
    for (const roles of [
      [prefiller(), decoder(), publishing],
      [worker({ multinode: { nodeCount: 2 } }), publishing],
      [withContainer({ command: ["vllm", "serve", "m"], args: undefined }), publishing],
    ])
      for (const engine of engines(plan(...roles)))
        expect(words(engine)).toMatch(/--kv-events-config.*enable_kv_cache_events/);
  });

  it("explicit event settings in a template are kept", () => {
    const args = ["--model", "m", "--kv-events-config", "{}"];
    const env = [{ name: "POD_IP", value: "mine" }];
    const [own] = engines(plan(withContainer({ args }), publishing));
    expect(own?.args).toEqual(args);
    const [named] = engines(plan(withContainer({ args: ["--model", "m"], env }), publishing));
    expect(named?.env).toEqual(env);
  });

  it("the address of the pod is added to variables that are known later", async () => {
    const added = { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } };
    const own = { name: "POD_IP", value: "mine" };
    for (const [env, expected] of [
      [[], [added]],
      [[own], [own]],
    ]) {
      const later = withContainer({ args: ["--model", "m"], env: Promise.resolve(env) });
      const [engine] = engines(plan(later, publishing));
      expect(engine?.args?.[3]).toContain('"topic":"kv@$(POD_IP)@m"');
      expect(await engine?.env).toEqual(expected);
    }
  });

  it("only the picker may connect to the event port", () => {
    const manifests = plan(worker(), publishing);
    const text = pickerConfigIn(manifests);
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

  it("engines are unchanged without kvEvents", () => {
    expect(engines(plan(worker(), router({ kvEvents: false })))).toEqual(
      engines(plan(worker(), router())),
    );
  });
});
