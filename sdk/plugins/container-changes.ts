import { isDeferred } from "../../kubernetes/values/deferred.ts";
import { type Fields, isMap } from "../../kubernetes/values/records.ts";
import type { Path } from "../errors.ts";
import { hasContent, holdsPrograms, loadsCode } from "./code-of-containers.ts";
import {
  type Check,
  entriesOf,
  type ForbiddenChange,
  fieldChanges,
  free,
  isSame,
  listed,
  namedEntries,
  removed,
  unread,
} from "./field-changes.ts";
import type { HookPod } from "./hook-request.ts";
import { rightsFields } from "./privileges.ts";

export interface ContainerChange {
  readonly before: HookPod;
  readonly after: HookPod;
  readonly mayAddContainers: boolean;
  /** The lists of allowed changes. */
  readonly may: Readonly<Record<"container" | "volumes" | "variables", readonly string[]>>;
}

/** Fields of a container that a plugin adds, in addition to the fields that it may change in any container. */
const ofNewContainers = [
  "name",
  "image",
  "command",
  "args",
  "workingDir",
  "restartPolicy",
  "lifecycle",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
] as const;

/** Returns a check of a pod's list of containers. Nothing may add an ephemeral container when a pod is created. */
export function containerChanges(change: ContainerChange, list: string): Check {
  const { may } = change;
  const mayAdd = change.mayAddContainers && list !== "ephemeralContainers";
  const reachable = reachableFrom(change);
  const checks = (container: Fields): Record<string, Check> => ({
    ...free(may.container),
    securityContext: (had, has, at) => fieldChanges(had, has, at, free(rightsFields)),
    env: variableChanges(may.variables),
    resources: (had, has, at) => claimChanges(reachable.claims, had, has, at),
    volumeMounts: mountChanges(reachable.volumes, change.after, container),
    volumeDevices: addedEntries(
      ({ name }) => reachable.volumes(name),
      "volumes that the plugin adds",
    ),
    ports: entriesWithout(["hostPort", "hostIP"]),
    imagePullPolicy: pullPolicy(container.image),
  });
  return (before, after, path) => {
    const earlier = namedEntries(before);
    const allowed = "the containers of the template, in the same order";
    const order = entriesOf(after).filter(({ name }) => earlier.has(name));
    return [
      ...unread(before, after, path, allowed),
      ...entriesOf(after).flatMap((container, at): ForbiddenChange[] => {
        const same = earlier.get(container.name);
        const place = [...path, at];
        if (same !== undefined) return fieldChanges(same, container, place, checks(same));
        if (!mayAdd) return [{ path: place, before: undefined, after: container.name, allowed }];
        return fieldChanges({}, container, place, {
          ...checks({}),
          ...free(ofNewContainers),
          volumeMounts: mountChanges(reachable.volumes, undefined, container),
        });
      }),
      ...removed(before, after, path, allowed),
      ...(order.length === earlier.size &&
      order.some(({ name }, at) => name !== [...earlier.keys()][at])
        ? [{ path, before: [...earlier.keys()], after: order.map(({ name }) => name), allowed }]
        : []),
    ];
  };
}

/**
 * Returns tests for the volumes and claims that a plugin may give to a container, by name: those that the plugin adds,
 * and those in the template that no container uses yet. A volume of another container may contain its credentials, so
 * it is allowed only if the plugin could add the same volume itself.
 */
function reachableFrom({ before, after, may }: ContainerChange) {
  const containers = [
    ...entriesOf(before.spec.containers),
    ...entriesOf(before.spec.initContainers),
    ...entriesOf(before.spec.ephemeralContainers),
  ];
  const names = (lists: readonly unknown[]) =>
    new Set(lists.flatMap(entriesOf).map(({ name }) => name));
  const mounted = names(
    containers.flatMap(({ volumeMounts, volumeDevices }) => [volumeMounts, volumeDevices]),
  );
  const claimed = names(
    containers.map(({ resources }) => (isMap(resources) ? resources.claims : undefined)),
  );
  const had = namedEntries(before.spec.volumes);
  const has = namedEntries(after.spec.volumes);
  const own = may.volumes.filter((type) => type !== "emptyDir" && type !== "ephemeral");
  const isOwn = (volume: Fields | undefined) =>
    Object.keys(volume ?? {}).every((key) => key === "name" || own.includes(key));
  return {
    volumes: (name: unknown) =>
      (!had.has(name) && has.has(name)) ||
      (had.has(name) && (!mounted.has(name) || isOwn(had.get(name)))),
    claims: (name: unknown) => !claimed.has(name),
  };
}

/** Keeps entries of the template, and tests added ones. */
const addedEntries =
  (isFree: (entry: Fields) => boolean, allowed: string): Check =>
  (before, after, path) => {
    const [had, has] = [entriesOf(before), entriesOf(after)];
    return [
      ...unread(before, after, path, allowed),
      ...has.flatMap((entry, at) =>
        had.some((same) => isSame(same, entry)) || isFree(entry)
          ? []
          : [{ path: [...path, at], before: undefined, after: entry, allowed }],
      ),
      ...had.flatMap((entry, at) =>
        has.some((same) => isSame(same, entry))
          ? []
          : [{ path: [...path, at], before: entry, after: undefined, allowed }],
      ),
    ];
  };

/** @param pod the pod whose volumes are mounted; undefined if their paths do not matter */
const mountChanges =
  (isReachable: (volume: unknown) => boolean, pod: HookPod | undefined, container: Fields): Check =>
  (before, after, path) => {
    const volumes = namedEntries(pod?.spec.volumes);
    const replacesPrograms = ({ name, mountPath }: Fields) =>
      hasContent(volumes.get(name)) && holdsPrograms(mountPath, container);
    return [
      ...entriesWithout(["mountPropagation"])(before, after, path),
      ...addedEntries(
        (mount) => isReachable(mount.name) && !replacesPrograms(mount),
        "the template's mounts, plus volumes that no other container mounts, outside of directories with programs",
      )(before, after, path),
    ];
  };

function claimChanges(
  isReachable: (claim: unknown) => boolean,
  before: unknown,
  after: unknown,
  path: Path,
): ForbiddenChange[] {
  const claimsOf = (resources: unknown) => (isMap(resources) ? resources.claims : undefined);
  return addedEntries(({ name }) => isReachable(name), "claims that no other container has")(
    claimsOf(before),
    claimsOf(after),
    [...path, "claims"],
  );
}

/** `Never`, or a change from `Always`, would let a pod run a private image that another pod has pulled. */
const pullPolicy =
  (image: unknown): Check =>
  (before, after, path) => {
    const isLatest = typeof image === "string" && /(^|\/)[^/:@]+(:latest)?$/.test(image);
    const byDefault = isLatest ? "Always" : "IfNotPresent";
    const [had, has] = [before ?? byDefault, after ?? byDefault];
    return has === "Always" || had === has
      ? []
      : [{ path, before, after, allowed: "Always, or the value in the template" }];
  };

const variableChanges =
  (sources: readonly string[]): Check =>
  (before, after, path) => {
    if (isDeferred(before) || isDeferred(after)) return [];
    const earlier = entriesOf(before);
    const [had, has] = [namedEntries(before), namedEntries(after)];
    const isFree = ({ valueFrom }: Fields) =>
      valueFrom === undefined ||
      (isMap(valueFrom) && Object.keys(valueFrom).every((key) => sources.includes(key)));
    const stays = (variable: Fields) => !isFree(variable) || loadsCode(String(variable.name));
    const allowed = `a value, or one from ${listed(sources)}, and no variable that loads code`;
    return [
      ...entriesOf(after).flatMap((variable, at) =>
        !stays(variable) || earlier.some((same) => isSame(same, variable))
          ? []
          : [{ path: [...path, at], before: had.get(variable.name), after: variable, allowed }],
      ),
      ...earlier.flatMap((variable, at) =>
        had.get(variable.name) !== variable ||
        !stays(variable) ||
        isSame(variable, has.get(variable.name))
          ? []
          : [{ path: [...path, at], before: variable, after: has.get(variable.name), allowed }],
      ),
    ];
  };

const entriesWithout =
  (fields: readonly string[]): Check =>
  (before, after, path) =>
    entriesOf(after).flatMap((entry, at) =>
      entriesOf(before).some((same) => isSame(same, entry))
        ? []
        : fields.flatMap((field) =>
            entry[field] === undefined
              ? []
              : [
                  {
                    path: [...path, at, field],
                    before: undefined,
                    after: entry[field],
                    allowed: `entries without ${listed(fields)}`,
                  },
                ],
          ),
    );
