import type { KubernetesClient, Query } from "../../../kubernetes/api/client.ts";
import { type ReflectorTiming, reflectKind } from "../../../kubernetes/cache/reflect-kind.ts";
import type { Reflector } from "../../../kubernetes/cache/reflector.ts";
import { unplanned } from "../../../kubernetes/kinds/unplanned.ts";
import { templateHashLabel } from "../../../sdk/names.ts";
import type { PodObject } from "../datastore/pool-objects.ts";
import { readPod } from "./read-objects.ts";
import { selectorOf } from "./selector.ts";

export interface PickerReplicasOptions {
  readonly client: Pick<KubernetesClient, "request" | "watch">;
  readonly namespace: string;
  /** Name of the pod of this picker. */
  readonly ownPod: string;
  /** Called with the number of pods that take requests. At least 1: the pod of this picker is or will be one of them. */
  readonly onCount: (count: number) => void;
  readonly onProblem: (message: string) => void;
  readonly timing?: ReflectorTiming;
}

/** Labels that differ between the revisions or pods of a Deployment or StatefulSet. */
const ofOnePod = [
  templateHashLabel,
  "controller-revision-hash",
  "statefulset.kubernetes.io/pod-name",
  "apps.kubernetes.io/pod-index",
];

/**
 * Counts the replicas of a picker: the ready pods with the labels of its own pod. If they cannot be read, the last
 * count is kept.
 */
export class PickerReplicas {
  readonly #options: PickerReplicasOptions;
  readonly #own: Reflector<PodObject>;
  #all: Reflector<PodObject> | undefined;
  #isStopped = false;
  #count = 1;

  constructor(options: PickerReplicasOptions) {
    this.#options = options;
    this.#own = this.#reflect({ fieldSelector: `metadata.name=${options.ownPod}` }, () =>
      this.#follow(),
    );
  }

  start(): void {
    this.#own.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([this.#own.stop(), this.#all?.stop()]);
  }

  #reflect(query: Query, onChange: () => void): Reflector<PodObject> {
    const { client, namespace, onProblem, timing } = this.#options;
    const read = (object: unknown) => readPod(object);
    return reflectKind<PodObject>({
      ...{ client, namespace, query, read, onChange, onProblem, timing },
      kind: unplanned.Pod,
      onState: () => {},
    });
  }

  /** Follows the pods with the labels of this picker's pod, which do not change. */
  #follow(): void {
    const [own] = this.#own.objects.values();
    if (own === undefined || this.#all !== undefined || this.#isStopped) return;
    const labels = Object.entries(own.labels).filter(([key]) => !ofOnePod.includes(key));
    if (labels.length === 0) return;
    const labelSelector = selectorOf(Object.fromEntries(labels));
    this.#all = this.#reflect({ labelSelector }, () => this.#notify());
    this.#all.start();
  }

  #notify(): void {
    const pods = [...(this.#all?.objects.values() ?? [])];
    const count = Math.max(1, pods.filter(({ ready, deleting }) => ready && !deleting).length);
    if (count === this.#count) return;
    this.#count = count;
    this.#options.onCount(count);
  }
}
