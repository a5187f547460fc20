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
import { containerLists, rightsFields } from "./privileges.ts";

/**
 * The changes that a plugin may make to a pod; all other changes are refused. Kubernetes adds fields to pods in every
 * release, and a list of forbidden fields would permit each new one until it is added to the list.
 */
export const pluginMayChange = {
  /**
   * Fields of the pod's metadata. Keys of the plan and of LeaderWorkerSet, and keys that grant rights, have separate
   * rules.
   */
  metadata: ["labels", "annotations"],
  /**
   * Fields that select the pod's node, or affect its termination. Runtime class, claims and node labels of the
   * template stay.
   */
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
  /** Types of volumes. Secrets, host paths and drivers are only allowed in templates, where reviewers see them. */
  volumes: ["emptyDir", "configMap", "downwardAPI", "persistentVolumeClaim", "ephemeral", "image"],
  /** Fields of a container in the template. */
  container: ["env", "resources", "volumeMounts", "volumeDevices", "ports", "imagePullPolicy"],
  /** Sources of an environment variable's value, in addition to a literal value. */
  variables: ["fieldRef", "resourceFieldRef", "configMapKeyRef"],
} as const;

/**
 * Returns every change of a plugin that is not on the list. The pods must be as the API server stores them.
 * `raisedPrivileges` checks rights, which a plugin may lower.
 *
 * @param mayAddContainers whether the plugin is code that the platform runs itself, and not an endpoint
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

/** Allows added keys only. */
const keysStay: Check = (before, after, path) => {
  const [had, has] = [isMap(before) ? before : {}, isMap(after) ? after : {}];
  return Object.keys(had).flatMap((key) => setOnce(had[key], has[key], [...path, key]));
};

/** Allows added entries only. */
const entriesStay: Check = (before, after, path) => {
  const later = namedEntries(after);
  return entriesOf(before).flatMap((entry, at) =>
    isSame(entry, later.get(entry.name))
      ? []
      : setOnce(entry, later.get(entry.name), [...path, at]),
  );
};

/** Allows added volumes. An emptyDir of the template may become another emptyDir. */
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
