import { isMap } from "../../kubernetes/values/records.ts";
import type { Path } from "../errors.ts";
import type { HookPod } from "./hook-request.ts";
import { changesBetween } from "./pod-changes.ts";
import { rightsFields } from "./privileges.ts";

/**
 * What a plugin may change of a pod. Whatever is not listed it may not: Kubernetes adds fields to pods in every release,
 * and a list of what is forbidden would let each of them pass until somebody thinks of it.
 */
export const pluginMayChange = {
  /** Fields of the pod's metadata. Keys of the plan and of LeaderWorkerSet have rules of their own. */
  metadata: ["labels", "annotations"],
  /** Fields that say where a pod runs, and how it ends. */
  spec: [
    "nodeSelector",
    "affinity",
    "tolerations",
    "topologySpreadConstraints",
    "runtimeClassName",
    "terminationGracePeriodSeconds",
    "resourceClaims",
    "dnsConfig",
    "dnsPolicy",
    "hostAliases",
    "enableServiceLinks",
  ],
  /** Volumes of these types. Secrets, the host's files and drivers are for templates, where reviewers see them. */
  volumes: ["emptyDir", "configMap", "downwardAPI", "persistentVolumeClaim", "ephemeral", "image"],
  /** Fields of a container that the template has. */
  container: ["env", "resources", "volumeMounts", "volumeDevices", "ports", "imagePullPolicy"],
  /** Sources of the value of an environment variable, besides itself. */
  variables: ["fieldRef", "resourceFieldRef", "configMapKeyRef"],
} as const;

/** A change that is not on the list. */
export interface ForbiddenChange {
  readonly path: Path;
  readonly before: unknown;
  readonly after: unknown;
  readonly allowed: string;
}

type Fields = Readonly<Record<string, unknown>>;
type Check = (before: unknown, after: unknown, path: Path) => ForbiddenChange[];

const containerLists = ["containers", "initContainers", "ephemeralContainers"] as const;
const listed = (names: readonly string[]) => names.join(", ");

/**
 * Every change of a plugin that is not on the list. Rights are the business of `raisedPrivileges`, which lets them be
 * lowered.
 *
 * @param mayAddContainers whether the plugin is code that the platform runs itself; an endpoint's answer is not
 */
export function forbiddenChanges(
  before: HookPod,
  after: HookPod,
  mayAddContainers: boolean,
): ForbiddenChange[] {
  const ofContainers: Check = (had, has, path) =>
    containerChanges(had, has, path, mayAddContainers);
  return [
    ...fieldChanges(before.metadata, after.metadata, ["metadata"], {
      ...free(pluginMayChange.metadata),
      // Rules of their own say whose these are.
      ...free(["name", "namespace", "generateName", "ownerReferences", "finalizers"]),
    }),
    ...fieldChanges(before.spec, after.spec, ["spec"], {
      ...free(pluginMayChange.spec),
      ...free(["schedulerName", "priorityClassName"]),
      securityContext: rights,
      volumes: volumeChanges,
      ...Object.fromEntries(containerLists.map((list) => [list, ofContainers])),
    }),
  ];
}

const nothing: Check = () => [];
const free = (fields: readonly string[]): Record<string, Check> =>
  Object.fromEntries(fields.map((field) => [field, nothing]));

/** What is known later is the same where it is the same object. */
const isSame = (before: unknown, after: unknown): boolean =>
  changesBetween(before, after).length === 0;

/** Rights may be lowered, field by field; those that nobody has thought of stay. */
const rights: Check = (before, after, path) =>
  fieldChanges(before, after, path, free(rightsFields));

function fieldChanges(
  before: unknown,
  after: unknown,
  path: Path,
  checks: Readonly<Record<string, Check>>,
): ForbiddenChange[] {
  const [had, has]: [Fields, Fields] = [isMap(before) ? before : {}, isMap(after) ? after : {}];
  return [...new Set([...Object.keys(had), ...Object.keys(has)])].flatMap((field) => {
    if (isSame(had[field], has[field])) return [];
    const check = Object.hasOwn(checks, field) ? checks[field] : undefined;
    const at = [...path, field];
    if (check !== undefined) return check(had[field], has[field], at);
    const names = Object.keys(checks).filter((name) => checks[name] !== nothing || isListed(name));
    return [{ path: at, before: had[field], after: has[field], allowed: listed(names) }];
  });
}

const everyListed = new Set<string>(Object.values(pluginMayChange).flat());
const isListed = (name: string) => everyListed.has(name);

const entriesOf = (list: unknown): Fields[] => (Array.isArray(list) ? list.filter(isMap) : []);
const byName = (list: unknown) => new Map(entriesOf(list).map((entry) => [entry.name, entry]));

function volumeChanges(before: unknown, after: unknown, path: Path): ForbiddenChange[] {
  const earlier = byName(before);
  const allowed = `volumes of the types ${listed(pluginMayChange.volumes)}`;
  const isFree = (volume: Fields | undefined) =>
    volume === undefined ||
    Object.keys(volume).every(
      (key) => key === "name" || pluginMayChange.volumes.some((type) => type === key),
    );
  return [
    ...unread(before, after, path, allowed),
    ...entriesOf(after).flatMap((volume, at) => {
      const same = earlier.get(volume.name);
      return isSame(same, volume) || (isFree(same) && isFree(volume))
        ? []
        : [{ path: [...path, at], before: same, after: volume, allowed }];
    }),
    ...removed(before, after, path, allowed),
  ];
}

/** A list that is none cannot be compared by names. */
const unread = (before: unknown, after: unknown, path: Path, allowed: string): ForbiddenChange[] =>
  [before, after].every((list) => list === undefined || Array.isArray(list))
    ? []
    : [{ path, before, after, allowed }];

const removed = (before: unknown, after: unknown, path: Path, allowed: string) =>
  entriesOf(before).flatMap((entry, at) =>
    byName(after).has(entry.name)
      ? []
      : [{ path: [...path, at], before: entry, after: undefined, allowed }],
  );

function containerChanges(
  before: unknown,
  after: unknown,
  path: Path,
  mayAdd: boolean,
): ForbiddenChange[] {
  const earlier = byName(before);
  const allowed = "the containers of the template";
  return [
    ...unread(before, after, path, allowed),
    ...entriesOf(after).flatMap((container, at) => {
      const same = earlier.get(container.name);
      if (same !== undefined)
        return fieldChanges(same, container, [...path, at], {
          ...free(pluginMayChange.container),
          securityContext: rights,
          env: variableChanges,
          volumeMounts: entriesWithout("mountPropagation", "mounts without mountPropagation"),
          ports: entriesWithout("hostPort", "ports without hostPort"),
        });
      return mayAdd
        ? []
        : [{ path: [...path, at], before: undefined, after: container.name, allowed }];
    }),
    ...removed(before, after, path, allowed),
  ];
}

function variableChanges(before: unknown, after: unknown, path: Path): ForbiddenChange[] {
  const earlier = entriesOf(before);
  return entriesOf(after).flatMap((variable, at) => {
    const { valueFrom } = variable;
    const isFree =
      valueFrom === undefined ||
      (isMap(valueFrom) &&
        Object.keys(valueFrom).every((key) =>
          pluginMayChange.variables.some((source) => source === key),
        ));
    if (isFree || earlier.some((same) => isSame(same, variable))) return [];
    const allowed = `a value, or one from ${listed(pluginMayChange.variables)}`;
    return [{ path: [...path, at], before: undefined, after: variable, allowed }];
  });
}

const entriesWithout =
  (field: string, allowed: string): Check =>
  (before, after, path) =>
    entriesOf(after).flatMap((entry, at) =>
      entry[field] === undefined || entriesOf(before).some((same) => isSame(same, entry))
        ? []
        : [{ path: [...path, at, field], before: undefined, after: entry[field], allowed }],
    );
