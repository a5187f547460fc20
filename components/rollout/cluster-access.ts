import { newKubernetesClient } from "../../kubernetes/api/client.ts";
import { newKubeConfig } from "../../kubernetes/api/client-library.ts";
import { type KubeconfigChoice, readKubeconfig } from "../../kubernetes/api/kubeconfig.ts";
import { kinds } from "../../kubernetes/kinds/index.ts";
import { unplanned } from "../../kubernetes/kinds/unplanned.ts";
import { collectionPath } from "../../kubernetes/paths.ts";
import type { LiveSet } from "../../sdk/rollout/set-state.ts";
import type { RawPodState } from "../../sdk/status/pod-containers.ts";
import { podFailure } from "../../sdk/status/pod-failure.ts";
import { lwsLabel } from "../../sdk/topology/names.ts";
import type { PickerPages } from "./gate-watch.ts";
import { readResponses } from "./read-responses.ts";
import { restoreSet } from "./restore-set.ts";
import type { PreviousSet } from "./rollout.ts";

/** Reads the objects of a rollout from the cluster. */
export interface ClusterAccess {
  /** Returns the LeaderWorkerSets of a namespace. */
  sets(namespace: string): Promise<LiveSet[]>;
  /** Returns why pods of a LeaderWorkerSet do not run, such as `qwen-0: ImagePullBackOff: image vllm:1`. */
  failures(namespace: string, set: string): Promise<string[]>;
  /** Returns the counts of the ready pods of a picker. */
  responses(namespace: string, picker: string): Promise<PickerPages>;
  /** Writes a LeaderWorkerSet as it was before its update, except its number of replicas. */
  restore(namespace: string, set: string, previous: PreviousSet): Promise<void>;
}

/** Returns access to the cluster of a kubeconfig. */
export function clusterAccess(choice: KubeconfigChoice): ClusterAccess {
  const config = readKubeconfig(newKubeConfig(), choice);
  const client = newKubernetesClient(config, { retries: 5 });
  return {
    async sets(namespace) {
      const path = collectionPath(kinds.LeaderWorkerSet, namespace);
      return (await client.request<{ items: LiveSet[] }>("GET", path)).items;
    },
    async failures(namespace, set) {
      const query = { labelSelector: `${lwsLabel.set}=${set}` };
      const path = collectionPath(unplanned.Pod, namespace);
      const { items } = await client.request<{ items: Pod[] }>("GET", path, { query });
      return items.flatMap((pod) => {
        const { name, deletionTimestamp } = pod.metadata;
        const failure = deletionTimestamp === undefined ? podFailure(pod) : undefined;
        return failure === undefined ? [] : [`${name}: ${failure}`];
      });
    },
    responses: (namespace, picker) => readResponses(client, namespace, picker),
    restore: (namespace, set, previous) => restoreSet(client, namespace, set, previous),
  };
}

type Pod = RawPodState & {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
};
