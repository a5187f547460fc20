import { isMap } from "../../kubernetes/values/records.ts";
import type { Path } from "../errors.ts";
import { containerChanges } from "./container-changes.ts";
import {
  type Check,
  entriesOf,
  type ForbiddenChange,
  fieldChanges,
  free,
  isSame,
  judgedElsewhere,
  listed,
  namedEntries,
  removed,
  setOnce,
  unread,
} from "./field-changes.ts";
import type { HookPod } from "./hook-request.ts";
import { rightsFields } from "./privileges.ts";

/**
 * What a plugin may change of a pod. Whatever is not listed it may not: Kubernetes adds fields to pods in every release,
 * and a list of what is forbidden would let each of them pass until somebody thinks of it.
 */
export const pluginMayChange = {
  /** Fields of the pod's metadata. Keys of the plan and of LeaderWorkerSet, and keys that grant rights, have rules of their own. */
  metadata: ["labels", "annotations"],
  /** Fields that choose the pod's node, and its end. The template's runtime class, claims and node labels stay. */
  spec: [
    "nodeSelector",
    "affinity",
    "tolerations",
    "topologySpreadConstraints",
    "runtimeClassName",
    "terminationGracePeriodSeconds",
    "resourceClaims",
    "enableServiceLinks",
  ],
  /** Volumes of these types. Secrets, the host's files and drivers are for templates, where reviewers see them. */
  volumes: ["emptyDir", "configMap", "downwardAPI", "persistentVolumeClaim", "ephemeral", "image"],
  /** Fields of a container that the template has. */
  container: ["env", "resources", "volumeMounts", "volumeDevices", "ports", "imagePullPolicy"],
  /** Sources of the value of an environment variable, besides itself. */
  variables: ["fieldRef", "resourceFieldRef", "configMapKeyRef"],
} as const;

const containerLists = ["containers", "initContainers", "ephemeralContainers"] as const;

/**
 * Every change of a plugin that is not on the list, of pods as the API server stores them. `raisedPrivileges` judges
 * rights, which may be lowered.
 *
 * @param mayAddContainers whether the plugin is code that the platform runs itself; an endpoint's answer is not
 */
export function forbiddenChanges(
  before: HookPod,
  after: HookPod,
  mayAddContainers: boolean,
): ForbiddenChange[] {
  const change = { before, after, mayAddContainers, may: pluginMayChange };
  return [
    ...fieldChanges(before.metadata, after.metadata, ["metadata"], {
      ...free(pluginMayChange.metadata),
      name: judgedElsewhere,
      namespace: judgedElsewhere,
      generateName: judgedElsewhere,
      ownerReferences: judgedElsewhere,
      finalizers: judgedElsewhere,
    }),
    ...fieldChanges(before.spec, after.spec, ["spec"], {
      ...free(pluginMayChange.spec),
      schedulerName: judgedElsewhere,
      priorityClassName: judgedElsewhere,
      runtimeClassName: setOnce,
      nodeSelector: keysStay,
      resourceClaims: entriesStay,
      securityContext: (had, has, path) => fieldChanges(had, has, path, free(rightsFields)),
      volumes: volumeChanges,
      ...Object.fromEntries(containerLists.map((list) => [list, containerChanges(change, list)])),
    }),
  ];
}

/** Keys may be added. */
const keysStay: Check = (before, after, path) => {
  const [had, has] = [isMap(before) ? before : {}, isMap(after) ? after : {}];
  return Object.keys(had).flatMap((key) => setOnce(had[key], has[key], [...path, key]));
};

/** Entries may be added. */
const entriesStay: Check = (before, after, path) => {
  const later = namedEntries(after);
  return entriesOf(before).flatMap((entry, at) =>
    isSame(entry, later.get(entry.name))
      ? []
      : setOnce(entry, later.get(entry.name), [...path, at]),
  );
};

/** Volumes may be added; of the template's an emptyDir may become another emptyDir. */
function volumeChanges(before: unknown, after: unknown, path: Path): ForbiddenChange[] {
  const earlier = namedEntries(before);
  const allowed = `volumes of the types ${listed(pluginMayChange.volumes)}`;
  const isOf = (volume: Readonly<Record<string, unknown>>, types: readonly string[]) =>
    Object.keys(volume).every((key) => key === "name" || types.includes(key));
  return [
    ...unread(before, after, path, allowed),
    ...entriesOf(after).flatMap((volume, at) => {
      const same = earlier.get(volume.name);
      if (isSame(same, volume)) return [];
      const isFree =
        same === undefined
          ? isOf(volume, pluginMayChange.volumes)
          : isOf(same, ["emptyDir"]) && isOf(volume, ["emptyDir"]);
      return isFree ? [] : [{ path: [...path, at], before: same, after: volume, allowed }];
    }),
    ...removed(before, after, path, allowed),
  ];
}
