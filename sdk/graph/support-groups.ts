import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { isMap } from "../../kubernetes/values/records.ts";
import { kthenaLabel, label } from "../names.ts";
import type { Stack } from "../stack/stack.ts";
import { lwsKind, type PodTemplateUse, type Workload } from "../stack/workloads.ts";
import type { DrawnObjects } from "./drawn-objects.ts";

/** Adds the remaining objects, in groups of the workloads that need them. */
export function addSupport(stack: Stack, drawn: DrawnObjects): void {
  const left = [...drawn.plan.keys()].filter((index) => !drawn.isDrawn(index));
  for (const [title, indexes] of Map.groupBy(left, titleOf)) {
    const nodes = indexes.map((index) => drawn.nodeOf(index));
    drawn.builder.addGroup({ title, nodes, objects: [] });
  }

  function titleOf(index: number): string {
    const object = drawn.plan[index] as Manifest;
    const owner = stack.workloads.find(
      (workload) => workload.object.index === index || isNeededBy(object, workload, drawn.plan),
    );
    if (owner === undefined) return "Other objects";
    const labels = owner.pods[0]?.labels ?? {};
    const service = labels[label.service] ?? labels[kthenaLabel.name] ?? owner.name;
    return owner.object.kind === lwsKind
      ? `For the engines of ${service}`
      : `For ${owner.object.manifest.kind} ${owner.name}`;
  }
}

/** Whether pods of a workload refer to an object, or an object selects the pods. */
function isNeededBy(object: Manifest, workload: Workload, plan: readonly Manifest[]): boolean {
  const { kind, metadata } = object as Partial<Manifest>;
  if (metadata?.namespace !== undefined && metadata.namespace !== workload.namespace) return false;
  const account = workload.pods[0]?.spec.serviceAccountName;
  if (kind === "RoleBinding" || kind === "ClusterRoleBinding") return binds(object, account);
  if (kind === "Role" || kind === "ClusterRole")
    return plan.some(
      (each) =>
        isMap(each.roleRef) &&
        each.roleRef.kind === kind &&
        each.roleRef.name === metadata?.name &&
        binds(each, account),
    );
  if (kind === "ServiceAccount") return account === metadata?.name;
  return workload.pods.some(
    (pods) =>
      selects(object, pods) || mounts(pods, kind, metadata?.name) || scales(object, workload),
  );
}

const binds = ({ subjects }: Manifest, account: unknown): boolean =>
  account !== undefined &&
  Array.isArray(subjects) &&
  subjects.some((subject) => isMap(subject) && subject.name === account);

/** Services, NetworkPolicies and PodDisruptionBudgets select pods by labels. */
function selects({ spec }: Manifest, { labels }: PodTemplateUse): boolean {
  const { selector, podSelector } = (isMap(spec) ? spec : {}) as Record<string, unknown>;
  const written = podSelector ?? selector;
  if (!isMap(written)) return false;
  const wanted = Object.entries(isMap(written.matchLabels) ? written.matchLabels : written);
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}

/** Whether a volume of the pods is a ConfigMap or Secret. */
function mounts({ spec }: PodTemplateUse, kind: string | undefined, name: unknown): boolean {
  const fields = { ConfigMap: "configMap.name", Secret: "secret.secretName" } as const;
  const [volume, field] = (fields[kind as keyof typeof fields] ?? "").split(".");
  return (spec.volumes ?? []).some((each) => {
    const source = (each as Record<string, unknown>)[volume ?? ""];
    return isMap(source) && source[field ?? ""] === name;
  });
}

function scales({ spec }: Manifest, { name }: Workload): boolean {
  const target = isMap(spec) ? spec.scaleTargetRef : undefined;
  return isMap(target) && target.name === name;
}
