import type { Path } from "../../errors.ts";
import type { Finding } from "../../invariant.ts";
import type { PodTemplateUse } from "../../stack/workloads.ts";

/** Levels of the Pod Security Standards. `restricted` includes `baseline`. */
export const podSecurityLevels = ["baseline", "restricted"] as const;
export type PodSecurityLevel = (typeof podSecurityLevels)[number];

/** One check of the Pod Security Standards. */
export interface PodSecurityCheck {
  /** Name of the check in k8s.io/pod-security-admission; its source is `policy/check_ID.go` there. */
  readonly id: string;
  readonly level: PodSecurityLevel;
  /** Objects that contain the fields: the pod's spec, each container, both, or the pod's annotations. */
  readonly on: "pod" | "containers" | "both" | "annotations";
  /** Paths of fields. `*` is each item of a list, `a|b` is both fields. For annotations: their prefix. */
  readonly fields: readonly string[];
  readonly allows: (value: unknown) => boolean;
  /** Allowed values, for the finding. */
  readonly allowed: string;
  /** Default `Remove it.` */
  readonly fix?: string;
  /** Returns the description of a refused value. Default: the value. */
  readonly given?: (value: unknown) => string;
  /** Containers that must have the field. With `either`, the field of the pod is enough. Default: none. */
  readonly required?: "container" | "either";
  /** Pods that the check skips. Default: none. */
  readonly skips?: "userNamespace" | "windows";
  /** Id of the check at level baseline that this check includes. */
  readonly replaces?: string;
}

const oneOf = (...values: readonly unknown[]) => ({
  allows: (value: unknown) => values.includes(value),
  allowed: values.filter((value) => value !== "").join(", "),
});
const unset = (...harmless: readonly unknown[]) => ({
  allows: (value: unknown) => harmless.includes(value),
  allowed: "nothing",
});

const added = ["securityContext capabilities add *"];
const profiles = oneOf("RuntimeDefault", "Localhost");
const seccomp = ["securityContext seccompProfile type"];
const procMount = ["securityContext procMount"];
const handlers = "httpGet|tcpSocket host";
const setProfile = "Set RuntimeDefault on the pod or on the container.";

const volumeTypes = new Set([
  ...["configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image"],
  ...["persistentVolumeClaim", "projected", "secret"],
]);
const refusedTypes = (volume: unknown) =>
  Object.keys(volume as object).filter((key) => key !== "name" && !volumeTypes.has(key));

/** Kernel parameters that Kubernetes 1.32 and later allow a pod to set. */
const sysctls = oneOf(
  ...["kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_syncookies"],
  ...["net.ipv4.ping_group_range", "net.ipv4.ip_unprivileged_port_start"],
  ...["net.ipv4.ip_local_reserved_ports", "net.ipv4.tcp_keepalive_time"],
  ...["net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl"],
  ...["net.ipv4.tcp_keepalive_probes", "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"],
);

const defaultCapabilities = oneOf(
  ...["AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD"],
  ...["NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"],
);

/** The checks of Kubernetes 1.36. */
export const podSecurityChecks: readonly PodSecurityCheck[] = [
  {
    ...{ id: "hostNamespaces", level: "baseline", on: "pod", fields: ["hostNetwork"] },
    ...oneOf(false),
    fix: "Remove it if the pod gets its RDMA devices from a second network. Otherwise keep it with dnsPolicy: ClusterFirstWithHostNet and accept this warning.",
  },
  {
    ...{ id: "hostNamespaces", level: "baseline", on: "pod", fields: ["hostIPC", "hostPID"] },
    ...oneOf(false),
  },
  {
    ...{ id: "privileged", level: "baseline", on: "containers" },
    ...{ fields: ["securityContext privileged"], ...oneOf(false) },
  },
  {
    ...{ id: "capabilities_baseline", level: "baseline", on: "containers", fields: added },
    ...defaultCapabilities,
  },
  {
    ...{ id: "hostPathVolumes", level: "baseline", on: "pod", fields: ["volumes * hostPath"] },
    ...unset(),
    fix: "Mount a persistentVolumeClaim, an image volume or an emptyDir instead.",
  },
  {
    ...{ id: "hostPorts", level: "baseline", on: "containers", fields: ["ports * hostPort"] },
    ...unset(0),
  },
  {
    ...{ id: "hostProbesAndhostLifecycle", level: "baseline", on: "containers" },
    fields: [
      `livenessProbe|readinessProbe|startupProbe ${handlers}`,
      `lifecycle postStart|preStop ${handlers}`,
    ],
    ...unset(""),
  },
  {
    ...{ id: "appArmorProfile", level: "baseline", on: "both" },
    ...{ fields: ["securityContext appArmorProfile type"], ...profiles },
  },
  {
    ...{ id: "appArmorProfile", level: "baseline", on: "annotations" },
    fields: ["container.apparmor.security.beta.kubernetes.io/"],
    allows: (value) => /^($|runtime\/default$|localhost\/)/.test(String(value)),
    allowed: "runtime/default, localhost/PROFILE",
  },
  {
    ...{ id: "seLinuxOptions", level: "baseline", on: "both" },
    fields: ["securityContext seLinuxOptions type"],
    ...oneOf("", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"),
  },
  {
    ...{ id: "seLinuxOptions", level: "baseline", on: "both" },
    ...{ fields: ["securityContext seLinuxOptions user|role"], ...unset("") },
  },
  {
    ...{ id: "procMount_baseline", level: "baseline", on: "containers", fields: procMount },
    ...{ ...oneOf("Default"), skips: "userNamespace" },
  },
  {
    ...{ id: "seccompProfile_baseline", level: "baseline", on: "both", fields: seccomp },
    ...{ ...profiles, fix: setProfile },
  },
  {
    ...{ id: "sysctls", level: "baseline", on: "pod" },
    ...{ fields: ["securityContext sysctls * name"], ...sysctls },
  },
  {
    ...{ id: "windowsHostProcess", level: "baseline", on: "both" },
    ...{ fields: ["securityContext windowsOptions hostProcess"], ...oneOf(false) },
  },
  {
    ...{ id: "procMount_restricted", level: "restricted", on: "containers", fields: procMount },
    ...{ ...oneOf("Default"), replaces: "procMount_baseline" },
  },
  {
    ...{ id: "restrictedVolumes", level: "restricted", on: "pod", fields: ["volumes *"] },
    allows: (volume) => refusedTypes(volume).length === 0,
    allowed: [...volumeTypes].join(", "),
    fix: "Mount a persistentVolumeClaim instead.",
    given: (volume) => `has ${refusedTypes(volume).join(", ")}`,
  },
  {
    ...{ id: "allowPrivilegeEscalation", level: "restricted", on: "containers" },
    ...{ fields: ["securityContext allowPrivilegeEscalation"], ...oneOf(false) },
    ...{ required: "container", skips: "windows", fix: "Set it to false." },
  },
  {
    ...{ id: "capabilities_restricted", level: "restricted", on: "containers", fields: added },
    ...{ ...oneOf("NET_BIND_SERVICE"), skips: "windows", replaces: "capabilities_baseline" },
  },
  {
    ...{ id: "capabilities_restricted", level: "restricted", on: "containers" },
    fields: ["securityContext capabilities drop"],
    allows: (names) => Array.isArray(names) && names.includes("ALL"),
    ...{ allowed: "ALL", required: "container", skips: "windows", fix: "Drop ALL." },
    given: (names) => `is ${String(names) || "empty"}`,
  },
  {
    ...{ id: "runAsNonRoot", level: "restricted", on: "both", required: "either" },
    ...{ fields: ["securityContext runAsNonRoot"], ...oneOf(true), skips: "userNamespace" },
    fix: "Set it on the pod or on the container.",
  },
  {
    ...{ id: "runAsUser", level: "restricted", on: "both", fields: ["securityContext runAsUser"] },
    ...{ allows: (user) => user !== 0, allowed: "a user other than root", skips: "userNamespace" },
  },
  {
    ...{ id: "seccompProfile_restricted", level: "restricted", on: "both", fields: seccomp },
    ...{ ...profiles, required: "either", skips: "windows", fix: setProfile },
    replaces: "seccompProfile_baseline",
  },
];

/**
 * Not a check of the standards: Kubernetes accepts Bidirectional mounts only in privileged containers, which no level
 * allows.
 */
export const mountsStayInPods: PodSecurityCheck = {
  ...{ id: "mountPropagation", level: "baseline", on: "containers" },
  ...{ fields: ["volumeMounts * mountPropagation"], ...oneOf("None", "HostToContainer") },
  fix: "Remove it: Kubernetes accepts it only in privileged containers, which no Pod Security level allows.",
};

/** Returns the checks of a level, without checks that another check of the level includes. */
export function checksOfLevel(level: PodSecurityLevel): PodSecurityCheck[] {
  const checks = podSecurityChecks.filter(
    (check) => check.level === "baseline" || level === "restricted",
  );
  const replaced = new Set(checks.map(({ replaces }) => replaces));
  return checks.filter(({ id }) => !replaced.has(id));
}

type Pod = Pick<PodTemplateUse, "spec" | "path" | "annotations">;

/** A value with its path. */
interface Place {
  readonly value: unknown;
  readonly path: Path;
}

const skipped: Readonly<
  Record<NonNullable<PodSecurityCheck["skips"]>, (spec: PodTemplateUse["spec"]) => boolean>
> = {
  userNamespace: (spec) => spec.hostUsers === false,
  windows: (spec) => (spec.os as { name?: unknown } | undefined)?.name === "windows",
};

/** Yields the findings of a check on a pod. */
export function* refusedBy(check: PodSecurityCheck, pod: Pod): Iterable<Finding> {
  if (check.skips !== undefined && skipped[check.skips](pod.spec)) return;
  const { allowed, fix = "Remove the field." } = check;
  const spec: Place = { value: pod.spec, path: [...pod.path, "spec"] };
  for (const place of placesOf(check, pod)) {
    for (const field of check.fields) {
      const found = [...fieldsAt(place, field.split(" "))];
      for (const { value, path } of found) {
        if (check.allows(value)) continue;
        const isItem = field.endsWith("add *");
        const given = check.given?.(value) ?? describe(value, isItem);
        yield { path: isItem ? path.slice(0, -1) : path, given, allowed, fix };
      }
      const isContainer = place.value !== pod.spec;
      const mayBeOfPod =
        check.required === "either" && [...fieldsAt(spec, field.split(" "))].length;
      if (check.required && isContainer && found.length === 0 && !mayBeOfPod)
        yield { path: [...place.path, ...field.split(" ")], given: "is missing", allowed, fix };
    }
  }
}

const describe = (value: unknown, isItem: boolean): string =>
  typeof value === "object" ? "is set" : `${isItem ? "has" : "is"} ${String(value)}`;

function placesOf({ on, fields }: PodSecurityCheck, pod: Pod): Place[] {
  const spec: Place = { value: pod.spec, path: [...pod.path, "spec"] };
  if (on === "pod") return [spec];
  if (on === "annotations") {
    const path = [...pod.path, "metadata", "annotations"];
    return Object.keys(pod.annotations).some((key) => key.startsWith(fields[0] ?? ""))
      ? [{ value: pod.annotations, path }]
      : [];
  }
  const containers = [...fieldsAt(spec, ["containers|initContainers|ephemeralContainers", "*"])];
  return on === "both" ? [spec, ...containers] : containers;
}

/** Yields the values at a path. `*` is each item of a list, `a|b` is both fields. */
function* fieldsAt({ value, path }: Place, [step, ...rest]: readonly string[]): Iterable<Place> {
  if (step === undefined) {
    yield { value, path };
    return;
  }
  if (typeof value !== "object" || value === null) return;
  const keys = step === "*" ? [...(value as unknown[]).keys()] : keysOf(value, step);
  for (const key of keys) {
    const item = (value as Record<string | number, unknown>)[key];
    if (item !== undefined) yield* fieldsAt({ value: item, path: [...path, key] }, rest);
  }
}

/** A step that ends in a slash is a prefix of keys. */
const keysOf = (value: object, step: string): string[] =>
  step.endsWith("/") ? Object.keys(value).filter((key) => key.startsWith(step)) : step.split("|");
