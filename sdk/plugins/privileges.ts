import { isDeferred } from "../../kubernetes/values/deferred.ts";
import { isMap } from "../../kubernetes/values/records.ts";
import type { Path } from "../errors.ts";
import type { HookPod } from "./hook-request.ts";

/** A right that a pod has after a change and had not before. */
export interface RaisedPrivilege {
  readonly path: Path;
  readonly before: unknown;
  readonly after: unknown;
}

type Context = Readonly<Record<string, unknown>>;
type Raises = (before: unknown, after: unknown) => boolean;

const becomes =
  (value: unknown): Raises =>
  (before, after) =>
    after === value && before !== value;
const loses =
  (value: unknown): Raises =>
  (before, after) =>
    before === value && after !== value;
const either =
  (...tests: readonly Raises[]): Raises =>
  (before, after) =>
    tests.some((raises) => raises(before, after));

/** Root, or whatever user the image says, which may be root. */
const user = either(becomes(0), (before, after) => before !== undefined && after === undefined);

const profile: Raises = (before, after) => {
  const type = (value: unknown) => (isMap(value) ? value.type : undefined);
  return (
    (type(after) === "Unconfined" && type(before) !== "Unconfined") ||
    (before !== undefined && after === undefined)
  );
};

const names = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const lacks = (list: unknown, other: unknown) =>
  names(list).some((name) => !names(other).includes(name));

const capabilities: Raises = (before, after) => {
  const [had, has] = [isMap(before) ? before : {}, isMap(after) ? after : {}];
  return lacks(has.add, had.add) || lacks(had.drop, has.drop);
};

/** Fields of a securityContext, and when a change of one gives the container more than it had. */
const contextFields: Readonly<Record<string, Raises>> = {
  privileged: becomes(true),
  allowPrivilegeEscalation: either(becomes(true), loses(false)),
  capabilities,
  readOnlyRootFilesystem: loses(true),
  runAsNonRoot: either(becomes(false), loses(true)),
  runAsUser: user,
  runAsGroup: user,
  seccompProfile: profile,
  appArmorProfile: profile,
  seLinuxOptions: (before, after) => JSON.stringify(before) !== JSON.stringify(after),
  procMount: becomes("Unmasked"),
};

/** Fields of a securityContext that a plugin may lower. */
export const rightsFields = Object.keys(contextFields);

const hostNamespaces = ["hostNetwork", "hostPID", "hostIPC"] as const;
const containerLists = ["containers", "initContainers", "ephemeralContainers"] as const;

/** Every right that a pod has gained. Containers are told apart by name; a new one had no rights. */
export function raisedPrivileges(before: HookPod, after: HookPod): RaisedPrivilege[] {
  return [
    ...hostNamespaces.flatMap((field) =>
      raised(becomes(true), before.spec[field], after.spec[field], ["spec", field]),
    ),
    ...ofContext(before.spec.securityContext, after.spec.securityContext, ["spec"]),
    ...containerLists.flatMap((list) => {
      const earlier = containersOf(before.spec[list]);
      return containersOf(after.spec[list]).flatMap((container, at) => {
        const same = earlier.find(({ name }) => name === container.name);
        const path = ["spec", list, at];
        return ofContext(same?.securityContext, container.securityContext, path);
      });
    }),
  ];
}

const containersOf = (list: unknown): Context[] => (Array.isArray(list) ? list.filter(isMap) : []);

function ofContext(before: unknown, after: unknown, owner: Path): RaisedPrivilege[] {
  const path = [...owner, "securityContext"];
  if (before === after) return [];
  // What is known later cannot be compared.
  if (isDeferred(before) || isDeferred(after)) return [{ path, before, after }];
  const [had, has]: [Context, Context] = [isMap(before) ? before : {}, isMap(after) ? after : {}];
  return Object.entries(contextFields).flatMap(([field, raises]) =>
    raised(raises, had[field], has[field], [...path, field]),
  );
}

function raised(raises: Raises, before: unknown, after: unknown, path: Path): RaisedPrivilege[] {
  if (before === after) return [];
  const isUnknown = isDeferred(before) || isDeferred(after);
  return isUnknown || raises(before, after) ? [{ path, before, after }] : [];
}
