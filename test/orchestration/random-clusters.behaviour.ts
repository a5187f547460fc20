import { afterAll, beforeAll, expect, it } from "vitest";
import { kinds } from "../../kubernetes/kinds/index.ts";
import { collectionPath } from "../../kubernetes/paths.ts";
import { capacity, type Manifest, planInferenceService } from "../../sdk/index.ts";
import { label, lwsLabel } from "../../sdk/names.ts";
import { type GpuCluster, startGpuCluster } from "../../testing/clusters/gpu-cluster.ts";
import type { Pod } from "../../testing/stand-ins/objects.ts";
import { type RandomCluster, randomClusters } from "./random-cluster.ts";

/** Which pods the real schedulers place on random nodes, next to the pods that `capacity` places. */

/** Clusters that are in the API server at a time: each scheduler looks at the nodes of all of them. */
const atATime = 20;

interface Result {
  readonly kind: "agrees" | "reported" | "differs";
  readonly text: string;
  /** Whether some pods start and others wait. */
  readonly isPart: boolean;
}

export function describeRandomClusters(count: number, seed: number): void {
  let gpus: GpuCluster;
  beforeAll(async () => {
    gpus = await startGpuCluster();
  }, 1_800_000);
  afterAll(() => gpus?.stop());

  it(
    `the schedulers start the pods that capacity places, on ${count} random clusters`,
    async () => {
      const waiting = [...randomClusters(count, seed).entries()];
      const results: Result[] = [];
      const work = async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
          results.push(await compared(gpus, ...next));
      };
      await Promise.all(Array.from({ length: atATime }, work));
      const of = (kind: Result["kind"]) => results.filter((each) => each.kind === kind);
      const parts = results.filter(({ isPart }) => isPart).length;
      console.log(
        `seed ${seed}: ${of("agrees").length} of ${count} agree, ${of("reported").length} have an outcome that the note reports as possible; in ${parts} some pods start and others wait`,
      );
      expect(of("differs").map(({ text }) => text)).toEqual([]);
      expect(of("reported").length).toBeLessThan(Math.max(2, count / 10));
    },
    60_000 + count * 20_000,
  );
}

async function compared(
  gpus: GpuCluster,
  at: number,
  { nodes, service }: RandomCluster,
): Promise<Result> {
  const part = await gpus.part([]);
  const input = service(part.namespace);
  const placement = capacity(input, nodes);
  const objects = planInferenceService(input).filter(({ kind }) => made.includes(kind));
  for (const object of objects) await gpus.client.request("POST", collection(object), object);
  const size = placement.replicas.reduce((sum, replica) => sum + replica.size, 0);
  await part.created(size);
  await part.addNodes(nodes);
  const pods = await part.settled(size);
  const isGang = objects.some(({ kind }) => kind === kinds.PodGroup.kind);
  const expected = countsOf(
    placement.replicas.map(({ role, index, scheduledPods }) => [role, index, scheduledPods]),
    isGang,
  );
  const real = countsOf(
    placement.replicas.map(({ role, index }) => [role, index, boundOf(pods, role, index)]),
    isGang,
  );
  for (const object of objects)
    await gpus.client.request("DELETE", `${collection(object)}/${object.metadata.name}`);
  await part.emptied();
  await part.removeNodes();
  const bound = pods.filter(({ spec }) => spec.nodeName !== undefined).length;
  const isPart = bound > 0 && bound < size;
  if (real === expected) return { kind: "agrees", text: "", isPart };
  const kind =
    placement.note.includes(" if ") || placement.note.includes(" with Volcano")
      ? "reported"
      : "differs";
  const text = `${at}: placement ${expected}, real ${real}: ${JSON.stringify({ input: input.spec, nodes, note: placement.note })}`;
  return { kind, text, isPart };
}

/** The objects that affect pods; the other objects are for routing. */
const made: readonly string[] = [kinds.LeaderWorkerSet.kind, kinds.PodGroup.kind];

const collection = ({ kind, metadata }: Manifest) =>
  collectionPath(kinds[kind as "PodGroup" | "LeaderWorkerSet"], metadata.namespace);

/** Placed pods of each replica. Without a gang, any replicas of a role may start. */
const countsOf = (counts: readonly (readonly [string, number, number])[], isGang: boolean) => {
  const texts = counts.map(([role, , count]) => `${role}:${count}`);
  return (isGang ? texts : texts.toSorted()).join(" ");
};

const boundOf = (pods: readonly Pod[], role: string, index: number) =>
  pods.filter(({ metadata: { labels = {} }, spec }) => {
    const replica = labels[label.replicaIndex] ?? labels[lwsLabel.groupIndex];
    return (
      labels[label.roleName] === role && replica === String(index) && spec.nodeName !== undefined
    );
  }).length;
