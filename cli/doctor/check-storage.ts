import { type CheckResult, error, forbidden, ok } from "./check-result.ts";
import { type ClusterObservation, seenOf } from "./observation.ts";

const check = "storage-classes";

const isDefault = "storageclass.kubernetes.io/is-default-class";

/** Claims, for example of model caches, that wait for a volume which no StorageClass creates. */
export function checkStorage({
  namespace,
  claims,
  storageClasses,
}: ClusterObservation): CheckResult[] {
  if (claims.state === "forbidden") return [forbidden(check, "PersistentVolumeClaims", claims)];
  if (storageClasses.state === "forbidden")
    return [forbidden(check, "StorageClasses", storageClasses)];
  const classes = seenOf(storageClasses);
  const names = classes.map(({ metadata }) => metadata.name);
  const hasDefault = classes.some(({ metadata }) => metadata.annotations?.[isDefault] === "true");
  const waiting = seenOf(claims).filter(({ status }) => status?.phase === "Pending");
  const findings = waiting.flatMap(({ metadata, spec }): CheckResult[] => {
    const wanted = spec?.storageClassName;
    // An empty name requests a volume that was created by hand.
    if (wanted === "" || (wanted === undefined ? hasDefault : names.includes(wanted))) return [];
    const what =
      wanted === undefined
        ? "it names no StorageClass, and the cluster has no default one"
        : `StorageClass not found: ${wanted}`;
    return [
      error(check, {
        title: `PersistentVolumeClaim ${namespace}/${metadata.name} gets no volume`,
        seen: `${what}; available: ${names.join(", ") || "none"}`,
        fix: "name an existing StorageClass; kubectl get storageclass lists them",
      }),
    ];
  });
  return findings.length > 0
    ? findings
    : [ok(check, `no claim of namespace ${namespace} lacks a StorageClass`)];
}
