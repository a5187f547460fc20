import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import {
  capacity,
  type InferenceServiceInput,
  type Manifest,
  nodesOf,
  type ReplicaPlacement,
} from "../../sdk/index.ts";
import { annotation, label, lwsLabel } from "../../sdk/names.ts";
import { appliedService } from "../../testing/clusters/applied-service.ts";
import { type GpuCluster, startGpuCluster } from "../../testing/clusters/gpu-cluster.ts";
import { readStory } from "../../testing/repository.ts";
import type { Pod } from "../../testing/stand-ins/objects.ts";

/**
 * Compares the pods that the real schedulers start with the ones that `capacity` predicts, by story and number of GPUs.
 */

export interface CapacityCase {
  story: number;
  gpus: number;
  layout: "subGroup" | "task";
  workload: "auto" | "perReplica" | "perRole";
  /** Pods on nodes by replica, as in decision 0001; if undefined, only `capacity` is run. */
  bound?: string;
  /**
   * Whether nodes wait for pods. By default pods wait for nodes, as `capacity` assumes. If the nodes exist first, the
   * order in which pods are created determines which of a role's replicas start.
   */
  nodesFirst?: true;
}

export function describeCapacity(cases: readonly CapacityCase[]): void {
  let gpus: GpuCluster;
  beforeAll(async () => {
    // Builds the controllers if they are not built yet.
    gpus = await startGpuCluster();
  }, 1_800_000);
  afterAll(() => gpus?.stop());

  it.concurrent("a new image rolls every group, fewer replicas leave whole ones, and annotations of the workloads none", async () => {
    const part = await gpus.part(nodesOf(80, 8));
    const edition = (image: string, decoders: number) => {
      const input = serviceOf(4, part.namespace, "subGroup", "perRole");
      for (const role of input.spec.roles) {
        if (role.name === "decode") role.replicas = decoders;
        const { template } = role as unknown as {
          template: { spec: { containers: Array<{ image: string }> } };
        };
        for (const container of template.spec.containers) container.image = image;
      }
      return input;
    };
    const service = appliedService(gpus.client);
    const placed = async (next: InferenceServiceInput, count: number, image: string) => {
      await service.apply(next);
      await part.whenAll((pod) => imageOf(pod) === image);
      const pods = await part.settled(count);
      expect(pods.filter(({ spec }) => spec.nodeName === undefined)).toEqual([]);
      return pods.map(({ metadata }) => metadata.uid);
    };
    await placed(edition("vllm/vllm-openai:v0.11.0", 2), 10, "vllm/vllm-openai:v0.11.0");
    const rolled = await placed(
      edition("vllm/vllm-openai:v0.11.1", 2),
      10,
      "vllm/vllm-openai:v0.11.1",
    );
    // This annotation contains runtime plugins that run in the cluster; editing it does not replace pods.
    const workloads = `/apis/leaderworkerset.x-k8s.io/v1/namespaces/${part.namespace}/leaderworkersets`;
    const { items } = await gpus.cluster.request<{ items: Manifest[] }>("GET", workloads);
    for (const { metadata } of items)
      await gpus.cluster.request(
        "PATCH",
        `${workloads}/${metadata.name}`,
        { metadata: { annotations: { [annotation.runtimePlugins]: "{}" } } },
        mergePatchType,
      );
    const left = await placed(
      edition("vllm/vllm-openai:v0.11.1", 1),
      6,
      "vllm/vllm-openai:v0.11.1",
    );
    expect(rolled).toEqual(expect.arrayContaining(left));
    await service.remove();
    await part.emptied();
  }, 240_000);

  describe("bound pods and the PodGroup's phase", () => {
    it.concurrent.each(cases.map((each) => [titleOf(each), each] as const))(
      "%s",
      async (_, { story, gpus: count, layout, workload, bound, nodesFirst }) => {
        const nodes = nodesOf(count, 8);
        const part = await gpus.part(nodesFirst ? nodes : []);
        const input = serviceOf(story, part.namespace, layout, workload);
        const placement = capacity(input, nodes);
        const service = appliedService(gpus.client);
        await service.apply(input);

        const size = placement.replicas.reduce((sum, replica) => sum + replica.size, 0);
        if (!nodesFirst) {
          await part.created(size);
          await part.addNodes(nodes);
        }
        const pods = await part.settled(size);
        const counted = (bound: (replica: ReplicaPlacement) => number) => {
          const counts = placement.replicas.map((replica): [string, number] => [
            replica.role,
            bound(replica),
          ]);
          return nodesFirst ? counts.sort(byRoleAndCount) : counts;
        };
        const real = counted(({ role, index }) => boundOf(pods, role, index));
        expect(real).toEqual(counted(({ scheduledPods }) => scheduledPods));
        if (bound !== undefined) expect(real.map(([, count]) => count).join("/")).toBe(bound);
        const phases = placement.status === "Blocked" ? ["Pending", "Inqueue"] : ["Running"];
        for (const phase of await phasesOf(gpus, part.namespace)) expect(phases).toContain(phase);

        await service.remove();
        await part.emptied();
        expect(gpus.controllers.failures()).toEqual([]);
      },
      240_000,
    );
  });
}

const titleOf = ({ story, gpus, layout, workload, nodesFirst }: CapacityCase) =>
  `story ${story}, ${gpus} GPUs, ${layout}, ${workload}, ${nodesFirst ? "nodes" : "pods"} first`;

function serviceOf(
  story: number,
  namespace: string,
  layout: CapacityCase["layout"],
  workload: CapacityCase["workload"],
): InferenceServiceInput {
  const { metadata, spec } = readStory(story);
  const schedulingStrategy = { ...spec.schedulingStrategy, gang: { layout } };
  return {
    metadata: { ...metadata, namespace },
    spec: { ...spec, workload, schedulingStrategy },
  };
}

/** Prefill before decode, as in the stories. */
const byRoleAndCount = (a: [string, number], b: [string, number]) =>
  b[0].localeCompare(a[0]) || b[1] - a[1];

const imageOf = ({ spec }: Pod) => spec.containers[0]?.image;

const boundOf = (pods: readonly Pod[], role: string, index: number) =>
  pods.filter(({ metadata: { labels = {} }, spec }) => {
    const replica = labels[label.replicaIndex] ?? labels[lwsLabel.groupIndex];
    return (
      labels[label.roleName] === role && replica === String(index) && spec.nodeName !== undefined
    );
  }).length;

async function phasesOf({ client }: GpuCluster, namespace: string): Promise<string[]> {
  const path = `/apis/scheduling.volcano.sh/v1beta1/namespaces/${namespace}/podgroups`;
  const { items } = await client.request<{ items: Array<{ status?: { phase?: string } }> }>(
    "GET",
    path,
  );
  return items.map(({ status }) => status?.phase ?? "none");
}
