import { afterAll, beforeAll, expect, it } from "vitest";
import { InferenceService } from "../../components/index.ts";
import { args, name } from "../../examples/disaggregated/service.ts";
import { nodesOf } from "../../sdk/index.ts";
import type { GpuPart } from "../../testing/clusters/gpu-cluster.ts";
import { openStack } from "../../testing/programs/pulumi-stack.ts";
import { isReady, type KubeObject } from "../../testing/stand-ins/objects.ts";
import { recordedVersions } from "../upgrade/recorded-stacks.ts";
import { type EngineCluster, startEngineCluster } from "./engine-cluster.ts";
import { deployRecorded } from "./recorded-service.ts";
import { errorsOf } from "./rolling-service.ts";
import { streamService } from "./streamed-service.ts";

/**
 * Streams through an upgrade of this package, from the objects that an earlier version planned. Each pod of a picker runs a
 * picker of this checkout with the pod's arguments and permissions, and ends as the pod does. The engines are SIMULATED. Kubelets are STAND-INS, and so are the endpoints of
 * the picker's Service: Envoy sends streams to the pickers that are healthy.
 */

let cluster: EngineCluster;

beforeAll(async () => {
  const engine = { stepMs: 20, maxSequences: 64, anyModel: true };
  cluster = await startEngineCluster(engine, { pickerPods: 2 * recordedVersions().length });
}, 1_800_000);
afterAll(() => cluster?.stop());

const running = ["leaderworkersets", "podgroups", "engines"] as const;

it.each(recordedVersions())(
  "the upgrade from version %s with stand-ins for kubelets loses and cuts no answer, rolls the picker and touches no engine",
  async (version) => {
    const { client, cluster: api } = cluster.gpus;
    const part = await cluster.gpus.part(nodesOf(8, 8));
    const { namespace } = part;
    const { state, ...recorded } = await deployRecorded(
      client,
      version,
      "disaggregated",
      namespace,
    );
    await expect.poll(() => readyPods(part), { timeout: 120_000 }).toBe(7);
    const before = await stateOf(part);
    const load = await streamService(
      { ...cluster, serve: (of) => cluster.serve(of, cluster.pickers.replicas) },
      { part },
    );

    const stack = openStack({
      ...recorded,
      program: {
        run: async () => void new InferenceService(name, { metadata: { namespace }, ...args }),
      },
      kubernetes: { kubeconfig: api.kubeconfig },
      // Each version of the package has an image of its own, so that the picker rolls.
      config: { ...recorded.config, "pulumi-inference:image": "registry.example/runtime:next" },
    });
    await stack.import(state);
    const result = await stack.up();
    expect(errorsOf(result)).toEqual([]);
    // The old picker still accepts requests for 30 s.
    await expect.poll(() => pickerPodsOf(part), { timeout: 120_000 }).toHaveLength(1);

    const { errors } = await load.stop();
    expect(errors).toEqual([]);
    expect(await stateOf(part)).toEqual(before);
    expect(cluster.pickers.all.map(({ isEnding }) => isEnding)).toEqual([true, false]);
    expect((await stack.destroy()).diagnostics).toEqual([]);
    await part.emptied();
  },
  400_000,
);

const readyPods = async (part: GpuPart) => (await part.pods()).filter(isReady).length;

const pickerPodsOf = async (part: GpuPart) =>
  (await part.pods()).filter(({ spec }) => spec.containers[0]?.name === "epp");

/** Identity and specification of the objects that an upgrade must not touch. */
async function stateOf(part: GpuPart): Promise<Record<(typeof running)[number], string[]>> {
  const list = async (group: string, plural: string) => {
    const path = `/apis/${group}/namespaces/${part.namespace}/${plural}`;
    const { items } = await cluster.gpus.client.request<{ items: Specified[] }>("GET", path);
    return items.map(identityOf).sort();
  };
  const engines = (await part.pods()).filter(({ spec }) => spec.containers[0]?.name !== "epp");
  return {
    leaderworkersets: await list("leaderworkerset.x-k8s.io/v1", "leaderworkersets"),
    podgroups: await list("scheduling.volcano.sh/v1beta1", "podgroups"),
    engines: engines.map(identityOf).sort(),
  };
}

/** The generation of a PodGroup also counts Volcano's writes of its status: the CRD has no status subresource. */
const identityOf = ({ metadata: { name, uid }, spec }: Specified) =>
  `${name} ${uid} ${JSON.stringify(spec)}`;

type Specified = KubeObject & { spec: unknown };
