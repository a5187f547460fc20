import { isDeferred } from "../../kubernetes/values/deferred.ts";
import { type Fields, isMap } from "../../kubernetes/values/records.ts";
import type { HookPod } from "./hook-request.ts";

/**
 * Returns the pod as the API server stores it, in the fields that affect rights: a null field is absent, a volume
 * without a source is an emptyDir, and a legacy annotation sets the profile of its container. A profile that is null
 * counts as no profile, although a container would inherit the profile of the pod: a plugin has no reason to write it.
 *
 * Sources: API conventions, "Optional vs. Required"; SetDefaults_Volume of core/v1; KEP-24 (AppArmor) and KEP-135
 * (seccomp).
 */
export function asStored({ metadata, spec }: HookPod): HookPod {
  const stored = {
    metadata: withoutNulls(metadata),
    spec: withoutNulls(withoutNullProfiles(spec)),
  } as HookPod;
  for (const field of ["labels", "annotations"] as const) {
    stored.metadata[field] = textsOf(metadata[field]);
  }
  if (Array.isArray(stored.spec.volumes)) stored.spec.volumes = stored.spec.volumes.map(withSource);
  mapProfiles(stored);
  return stored;
}

function withoutNulls(value: unknown): unknown {
  if (isDeferred(value)) return value;
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, field]) =>
      field === null ? [] : [[key, withoutNulls(field)]],
    ),
  );
}

/** Keys of labels or annotations with the value null are kept, because the API server stores them as "". */
const textsOf = (texts: unknown): Record<string, unknown> =>
  isMap(texts)
    ? Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, text ?? ""]))
    : {};

const withSource = (volume: unknown): unknown =>
  isMap(volume) && !isDeferred(volume) && Object.keys(volume).every((key) => key === "name")
    ? { ...volume, emptyDir: {} }
    : volume;

/** Replaces the null profiles of all containers. */
function withoutNullProfiles(spec: HookPod["spec"]): Fields {
  const lists = ["containers", "initContainers", "ephemeralContainers"] as const;
  const replaced = (container: unknown): unknown => {
    if (!isMap(container) || isDeferred(container)) return container;
    const { securityContext: context } = container;
    if (!isMap(context) || isDeferred(context)) return container;
    const nulls = ["seccompProfile", "appArmorProfile"].filter((field) => context[field] === null);
    if (nulls.length === 0) return container;
    const profiles = Object.fromEntries(nulls.map((field) => [field, { type: "Unconfined" }]));
    return { ...container, securityContext: { ...context, ...profiles } };
  };
  const changed = lists.flatMap((list) => {
    const containers: unknown = spec[list];
    return Array.isArray(containers) ? [[list, containers.map(replaced)] as const] : [];
  });
  return { ...spec, ...Object.fromEntries(changed) };
}

const appArmor = "container.apparmor.security.beta.kubernetes.io/";
const seccomp = "container.seccomp.security.alpha.kubernetes.io/";
const podSeccomp = "seccomp.security.alpha.kubernetes.io/pod";

function mapProfiles({ metadata: { annotations }, spec }: HookPod): void {
  if (annotations[podSeccomp] !== undefined) {
    setProfile(spec, "seccompProfile", annotations[podSeccomp]);
  }
  for (const list of ["containers", "initContainers"] as const) {
    const containers: unknown = spec[list];
    if (!Array.isArray(containers)) continue;
    for (const container of containers.filter(isMap)) {
      setProfile(container, "appArmorProfile", annotations[`${appArmor}${container.name}`]);
      setProfile(container, "seccompProfile", annotations[`${seccomp}${container.name}`]);
    }
  }
}

/** Sets a profile from the text of an annotation, unless the field is already set or is known later. */
function setProfile(owner: Record<string, unknown>, field: string, text: unknown): void {
  const context = owner.securityContext ?? {};
  if (typeof text !== "string" || !isMap(context) || isDeferred(context)) return;
  if (context[field] !== undefined) return;
  owner.securityContext = { ...context, [field]: profileOf(text) };
}

function profileOf(text: string): Fields {
  if (text === "runtime/default" || text === "docker/default") return { type: "RuntimeDefault" };
  if (text.startsWith("localhost/")) {
    return { type: "Localhost", localhostProfile: text.slice("localhost/".length) };
  }
  return { type: "Unconfined" };
}
