import { newKubernetesClient } from "../../kubernetes/api/client.ts";
import { newKubeConfig } from "../../kubernetes/api/client-library.ts";
import { type KubeconfigChoice, readKubeconfig } from "../../kubernetes/api/kubeconfig.ts";
import { kinds } from "../../kubernetes/kinds/index.ts";
import type { KindAddress } from "../../kubernetes/kinds/kind.ts";
import { unplanned } from "../../kubernetes/kinds/unplanned.ts";
import { collectionPath } from "../../kubernetes/paths.ts";
import { lwsLabel } from "../../sdk/names.ts";
import {
  type OwnedObject,
  type OwnedPod,
  podsOfSets,
  type SetPod,
} from "../../sdk/rollout/set-pods.ts";
import type { LiveSet } from "../../sdk/rollout/set-state.ts";
import type { PickerPages } from "./gate-watch.ts";
import { readResponses } from "./read-responses.ts";
import { restoreSet } from "./restore-set.ts";
import type { PreviousSet } from "./rollout.ts";

/** Reads the objects of a rollout from the cluster. */
export interface ClusterAccess {
  /** Returns the LeaderWorkerSets of a namespace. */
  sets(namespace: string): Promise<LiveSet[]>;
  /** Returns the pods that the controllers created for LeaderWorkerSets. */
  pods(namespace: string, sets: readonly string[]): Promise<readonly SetPod[]>;
  /** Returns the counts of the ready pods of a picker. */
  responses(namespace: string, picker: string): Promise<PickerPages>;
  /** Writes a LeaderWorkerSet as it was before its update, except its number of replicas. */
  restore(namespace: string, set: string, previous: PreviousSet): Promise<void>;
}

/** Returns access to the cluster of a kubeconfig. */
export function clusterAccess(choice: KubeconfigChoice): ClusterAccess {
  const config = readKubeconfig(newKubeConfig(), choice);
  const client = newKubernetesClient(config, { retries: 5 });
  const list = async <T>(kind: KindAddress, namespace: string, query = {}) =>
    (await client.request<{ items: T[] }>("GET", collectionPath(kind, namespace), { query })).items;
  const sets = (namespace: string) => list<LiveSet>(kinds.LeaderWorkerSet, namespace);
  return {
    sets,
    async pods(namespace, names) {
      const query = { labelSelector: `${lwsLabel.set} in (${names.join(",")})` };
      const [pods, statefulSets, live] = await Promise.all([
        list<OwnedPod>(unplanned.Pod, namespace, query),
        list<OwnedObject>(unplanned.StatefulSet, namespace, query),
        sets(namespace),
      ]);
      const own = live.filter(({ metadata }) => names.includes(metadata.name));
      return podsOfSets(pods, statefulSets, own);
    },
    responses: (namespace, picker) => readResponses(client, namespace, picker),
    restore: (namespace, set, previous) => restoreSet(client, namespace, set, previous),
  };
}
