import type { Diagnostic, RecordedResource } from "../recorder/index.ts";
import { acceleratorsOfPod } from "../sdk/engines/accelerators/pod-accelerators.ts";
import { capacity, formatStatus, type InferenceService, nodesOf } from "../sdk/index.ts";
import { layOut } from "../sdk/topology/role-layout.ts";
import { isOf } from "./gang-admission.ts";
import type { ShownPod } from "./location.ts";
import { painted } from "./paint.ts";
import { table } from "./table.ts";

export function heading(text: string): void {
  console.log(`\n${painted("bold", text)}`);
}

/** Prints warnings and errors of a program. */
export function printMessages(diagnostics: readonly Diagnostic[]): void {
  for (const { severity, message } of diagnostics) if (severity !== "info") console.error(message);
}

/** Time since the demo started, for example `2.8 s`. */
export const elapsed = (): string => `${(performance.now() / 1000).toFixed(1)} s`;

/** The resources of a program as a tree, parents before children. */
export function resourceTree(resources: readonly RecordedResource[]): string {
  const inOrder = resources
    .filter(({ type }) => !type.startsWith("pulumi:providers:"))
    .map((each) => ({ ...each, text: `${each.type.split(":").at(-1)} ${nameOfObject(each)}` }))
    .sort((a, b) => a.text.localeCompare(b.text, "en", { numeric: true }));
  const lines = (parent: string, depth: number): string[] =>
    inOrder
      .filter((step) => step.parent === parent)
      .flatMap(({ urn, text }) => [`${"  ".repeat(depth)}${text}`, ...lines(urn, depth + 1)]);
  return lines("", 1).join("\n");
}

/** Returns `namespace/name` of an object, and the name of another resource. */
function nameOfObject({ name, properties }: RecordedResource): string {
  const { metadata } = properties as { metadata?: { name?: string; namespace?: string } };
  if (metadata?.name === undefined || properties.apiVersion === undefined) return name;
  return [metadata.namespace, metadata.name].filter(Boolean).join("/");
}

/** The number of each kind, in the order of their first objects. */
export const kindCounts = (kinds: readonly string[]): string =>
  [...Map.groupBy(kinds, (kind) => kind)]
    .map(([kind, { length }]) => `${length} ${kind}`)
    .join(", ");

/** Pods with their node and readiness. */
export function podTable(pods: readonly ShownPod[]): string {
  const rows = pods
    .map(({ metadata, spec, status }) => {
      const isReady = status?.conditions?.some(
        (each) => each.type === "Ready" && each.status === "True",
      );
      return [
        metadata?.name ?? "",
        status?.phase ?? "Pending",
        isReady ? "ready" : "",
        spec?.nodeName ?? "",
      ];
    })
    .sort(([a = ""], [b = ""]) => a.localeCompare(b, "en", { numeric: true }));
  return table([["POD", "PHASE", "", "NODE"], ...rows]);
}

/** How many pods of each replica are on nodes, and how many its capacity has there. */
export function comparison(
  service: InferenceService,
  perNode: number,
  gpus: number,
  pods: readonly ShownPod[],
): string {
  const replicas = capacity(service, nodesOf(gpus, perNode)).replicas.map(
    ({ role, index, size, scheduledPods }) => ({
      name: `${role}-${index}`,
      size,
      planned: scheduledPods,
      started: pods.filter((pod) => isOf(pod, role, index) && pod.spec?.nodeName !== undefined)
        .length,
    }),
  );
  const rows = replicas.map(({ name, size, started, planned }) => [
    name,
    ...[size, started, planned].map(String),
    started === planned ? "" : "differs",
  ]);
  return table([["REPLICA", "PODS", "STARTED", "PLANNED", ""], ...rows]);
}

/**
 * Which replicas start on fewer and fewer GPUs.
 * @param here GPUs of the cluster, if there is one
 */
export function capacityText(service: InferenceService, perNode: number, here?: number): string {
  const needed = gpusNeeded(service);
  const pods = layOut(service.metadata.name, service.spec);
  const each = Math.max(
    1,
    Math.min(...pods.map(({ role }) => acceleratorsOfPod(role.template.spec) ?? 0)),
  );
  const fewer = [1, 0.9, 0.8, 0.6, 0.4, 0.2].map(
    (part) => Math.ceil((needed * part) / each) * each,
  );
  const rows = [...new Set(here === undefined ? fewer : [...fewer, here])]
    .sort((a, b) => b - a)
    .map((gpus) => {
      const row = capacity(service, nodesOf(gpus, perNode));
      return [`${gpus}${gpus === here ? " (here)" : ""}`, formatStatus(service, row), row.note];
    });
  return table([["GPUS", "STARTS", "NOTE"], ...rows]);
}

/** GPUs that all replicas of a service occupy. */
export function gpusNeeded({ metadata, spec }: InferenceService): number {
  return layOut(metadata.name, spec).reduce(
    (gpus, { role, replicas, size }) =>
      gpus + replicas * size * (acceleratorsOfPod(role.template.spec) ?? 0),
    0,
  );
}
