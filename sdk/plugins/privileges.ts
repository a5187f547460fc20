import { isDeferred, isKnownMap } from "../../kubernetes/values/deferred.ts";
import { isMap } from "../../kubernetes/values/records.ts";
import type { Path } from "../errors.ts";
import type { HookPod } from "./hook-request.ts";
import { changesBetween } from "./pod-changes.ts";

/** A right that a pod has after a change but not before. */
export interface RaisedPrivilege {
  readonly path: Path;
  readonly before: unknown;
  readonly after: unknown;
}

type Context = Readonly<Record<string, unknown>>;
/** Whether the changed value grants a container no more rights than the value before. */
type IsNoMore = (before: unknown, after: unknown) => boolean;

const never: IsNoMore = () => false;
const only =
  (...values: readonly unknown[]): IsNoMore =>
  (_before, after) =>
    values.includes(after);

/** A container that runs as root or as the image's user may get another user or group. */
const user: IsNoMore = (before, after) =>
  (before === undefined || before === 0) && Number.isInteger(after) && Number(after) > 0;

const typeOf = (profile: unknown) => (isMap(profile) ? profile.type : undefined);
/** Profiles of the node may allow anything, so only the runtime's default is known to be stricter. */
const profile: IsNoMore = (before, after) =>
  (before === undefined || typeOf(before) === "Unconfined") && typeOf(after) === "RuntimeDefault";

/** Returns capabilities in one spelling, without the prefix CAP_. */
const namesOf = (list: unknown): string[] =>
  Array.isArray(list) ? list.map((name) => String(name).toUpperCase().replace(/^CAP_/, "")) : [];
const covers = (list: unknown, other: unknown): boolean => {
  const names = namesOf(list);
  return names.includes("ALL") || namesOf(other).every((name) => names.includes(name));
};
const capabilities: IsNoMore = (before, after) => {
  const [had, has] = [isMap(before) ? before : {}, isMap(after) ? after : {}];
  return covers(had.add, has.add) && covers(has.drop, had.drop);
};

/** Fields of a securityContext that a plugin may change, with a test that a change grants no additional rights. */
const contextFields: Readonly<Record<string, IsNoMore>> = {
  privileged: only(false, undefined),
  allowPrivilegeEscalation: only(false),
  capabilities,
  readOnlyRootFilesystem: (before, after) => before !== true || after === true,
  runAsNonRoot: only(true),
  runAsUser: user,
  runAsGroup: user,
  seccompProfile: profile,
  appArmorProfile: profile,
  seLinuxOptions: never,
  procMount: only("Default", undefined),
};

/** Fields of a securityContext that a plugin may lower. */
export const rightsFields = Object.keys(contextFields);

/** Fields that a container inherits from its pod unless it sets them. */
const inherited = [
  "runAsNonRoot",
  "runAsUser",
  "runAsGroup",
  "seccompProfile",
  "appArmorProfile",
  "seLinuxOptions",
] as const;

const hostNamespaces = ["hostNetwork", "hostPID", "hostIPC"] as const;
export const containerLists = ["containers", "initContainers", "ephemeralContainers"] as const;

/**
 * Returns every right that a pod has gained. The pods must be as the API server stores them. Containers are identified
 * by name; a new container is compared with the rights of its pod.
 */
export function raisedPrivileges(before: HookPod, after: HookPod): RaisedPrivilege[] {
  const [had, has] = [before.spec.securityContext, after.spec.securityContext];
  return [
    ...hostNamespaces.flatMap((field) =>
      raised(only(false, undefined), before.spec[field], after.spec[field], ["spec", field]),
    ),
    ...ofContext(had, has, ["spec"]),
    ...containerLists.flatMap((list) => {
      const earlier = containersOf(before.spec[list]);
      return containersOf(after.spec[list]).flatMap((container, at) => {
        const same = earlier.find(({ name }) => name === container.name);
        const path = ["spec", list, at];
        return ofContext(
          effective(same?.securityContext, had),
          effective(container.securityContext, has),
          path,
        );
      });
    }),
  ];
}

const containersOf = (list: unknown): Context[] => (Array.isArray(list) ? list.filter(isMap) : []);

/**
 * Returns the context of a container with inherited fields. A context that is only known later is returned unchanged.
 */
function effective(own: unknown, pod: unknown): unknown {
  if (isDeferred(own) || !isKnownMap(pod)) return own;
  const fields = inherited.flatMap((field) =>
    pod[field] === undefined ? [] : [[field, pod[field]]],
  );
  return { ...Object.fromEntries(fields), ...(isMap(own) ? own : {}) };
}

function ofContext(before: unknown, after: unknown, owner: Path): RaisedPrivilege[] {
  const path = [...owner, "securityContext"];
  if (before === after) return [];
  // A value that is only known later cannot be compared.
  if (isDeferred(before) || isDeferred(after)) return [{ path, before, after }];
  const [had, has]: [Context, Context] = [isMap(before) ? before : {}, isMap(after) ? after : {}];
  return Object.entries(contextFields).flatMap(([field, isNoMore]) =>
    raised(isNoMore, had[field], has[field], [...path, field]),
  );
}

function raised(
  isNoMore: IsNoMore,
  before: unknown,
  after: unknown,
  path: Path,
): RaisedPrivilege[] {
  if (changesBetween(before, after).length === 0) return [];
  const isUnknown = isDeferred(before) || isDeferred(after);
  return isUnknown || !isNoMore(before, after) ? [{ path, before, after }] : [];
}
