import { lwsLabel } from "../names.ts";
import { observePod } from "../status/observed.ts";
import type { RawPodState } from "../status/pod-containers.ts";
import { rolloutOf } from "./set-state.ts";

/** A pod of a LeaderWorkerSet. */
export interface SetPod {
  readonly set: string;
  readonly name: string;
  readonly uid: string;
  /** Whether the pod is a ready leader. Pickers send requests to it if its role answers requests. */
  readonly serves: boolean;
  /** Why the pod does not run; undefined for a pod that runs, starts or ends. */
  readonly failure: string | undefined;
}

/** The fields of a LeaderWorkerSet, a StatefulSet or a pod that show which pods belong to a set. */
export interface OwnedObject {
  readonly metadata: {
    readonly name: string;
    readonly uid?: string;
    readonly ownerReferences?: readonly Owner[];
  };
  readonly spec?: {
    readonly replicas?: number;
    readonly ordinals?: { readonly start?: number };
  };
}

interface Owner {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

/** A pod as the API server sends it. */
export type OwnedPod = RawPodState & OwnedObject;

/**
 * Returns the pods that the controllers created for LeaderWorkerSets: the pods of a set's StatefulSet, and of the
 * StatefulSets of its leaders. The author of another pod can copy labels and owner references, but not the name of an
 * existing pod, and no controller creates a pod with a number beyond the replicas.
 */
export function podsOfSets(
  pods: readonly OwnedPod[],
  statefulSets: readonly OwnedObject[],
  sets: readonly OwnedObject[],
): SetPod[] {
  const owners = new Map(
    [...pods, ...statefulSets, ...sets].map((object) => [object.metadata.uid, object]),
  );
  const setOf = ({ metadata }: OwnedObject, depth = 0): OwnedObject | undefined => {
    const reference = metadata.ownerReferences?.find(({ controller }) => controller === true);
    const owner = owners.get(reference?.uid);
    if (owner === undefined || owner.metadata.name !== reference?.name) return undefined;
    if (!isNamedAfter(owner, metadata.name)) return undefined;
    if (sets.includes(owner)) return owner;
    // Worker, StatefulSet, leader, StatefulSet, set. References can form a circle.
    return depth < 4 ? setOf(owner, depth + 1) : undefined;
  };
  return pods.flatMap((pod) => {
    const set = setOf(pod)?.metadata.name;
    if (set === undefined) return [];
    const { name, uid, ready, deleting, labels, failure } = observePod(pod);
    const serves = ready && !deleting && labels[lwsLabel.workerIndex] === "0";
    return [{ set, name, uid, serves, failure: deleting ? undefined : failure }];
  });
}

/** Whether an object has its owner's name, as a StatefulSet has, or this name with the number of a replica. */
function isNamedAfter({ metadata, spec }: OwnedObject, name: string): boolean {
  if (name === metadata.name) return true;
  const number = name.slice(metadata.name.length + 1);
  if (name !== `${metadata.name}-${number}` || !/^\d+$/.test(number)) return false;
  if (spec?.replicas === undefined) return true;
  const first = spec.ordinals?.start ?? 0;
  return Number(number) < first + spec.replicas + rolloutOf(spec).maxSurge;
}
