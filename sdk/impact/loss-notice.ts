import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { autoscaledSets } from "../plan/workloads/autoscalers.ts";
import { plannedReplicas } from "../rollout/set-state.ts";
import { gpusOfReplica } from "../stack/workloads.ts";
import { adviceFor } from "./advice.ts";
import type { ObjectChange } from "./preview.ts";

/** Planned objects of one service, by the logical names of their resources. */
export type PlanByResource = ReadonlyMap<string, Manifest>;

/**
 * Returns the warnings of a preview about LeaderWorkerSets that an edit of a service's arguments replaces or deletes,
 * one for each cause. An edit that only removes replicas of a role causes no warning.
 *
 * @param title title of the component, such as `InferenceService "qwen"`
 * @param before plan of the arguments in the state
 * @param after plan of the arguments of the program
 */
export function lossNotices(
  title: string,
  before: PlanByResource,
  after: PlanByResource,
): readonly string[] {
  const changes = changesOf(setsOf(before), setsOf(after));
  const autoscaled = autoscaledSets([...before.values()]);
  const lost = changes.flatMap((change) => {
    const { operation, before: set } = change;
    if (set === undefined || (operation !== "replace" && operation !== "delete")) return [];
    const scales = autoscaled.has(set.metadata.name);
    if (plannedReplicas(set) === 0 && !scales) return [];
    const advice = adviceFor(change, changes);
    return advice === undefined ? [] : [{ change, set, scales, advice }];
  });
  const causes = Map.groupBy(lost, ({ change, advice }) => `${causeOf(change)} ${advice}`);
  return [...causes.values()].map((ofCause) => {
    const [{ change, advice }] = ofCause as [Lost];
    const verb = change.operation === "replace" ? "replaces" : "deletes";
    const sets = namesOf(ofCause.map(({ set }) => set));
    return `${title}: the update ${verb} ${sets}${causeOf(change)}: ${stopped(ofCause)}. ${advice} \`pulumi-inference impact\` lists all objects.`;
  });
}

interface Lost {
  readonly change: ObjectChange;
  readonly set: Manifest;
  /** Whether an autoscaler sets the number of replicas. */
  readonly scales: boolean;
  readonly advice: string;
}

const setsOf = (plan: PlanByResource): PlanByResource =>
  new Map([...plan].filter(([, { kind }]) => kind === "LeaderWorkerSet"));

/** Fields that cannot change in place. */
const identity = ["namespace", "name"] as const;

function changesOf(before: PlanByResource, after: PlanByResource): ObjectChange[] {
  return [...new Set([...before.keys(), ...after.keys()])].map((resource) => {
    const [was, is] = [before.get(resource), after.get(resource)];
    const replaceReasons =
      was === undefined || is === undefined
        ? []
        : identity
            .filter((field) => was.metadata[field] !== is.metadata[field])
            .map((field) => `metadata.${field}`);
    const kept = replaceReasons.length > 0 ? "replace" : "same";
    const operation = was === undefined ? "create" : is === undefined ? "delete" : kept;
    return { operation, resource, before: was, after: is, replaceReasons };
  });
}

const causeOf = ({ replaceReasons }: ObjectChange): string =>
  replaceReasons.length === 0 ? "" : ` because ${replaceReasons.join(" and ")} changed`;

/** Number of LeaderWorkerSets that one warning names. */
const shownSets = 4;

function namesOf(sets: readonly Manifest[]): string {
  const names = sets.map(({ metadata: { namespace, name } }) =>
    [namespace, name].filter(Boolean).join("/"),
  );
  const more = names.length > shownSets ? [`${names.length - shownSets} more`] : [];
  return `LeaderWorkerSet ${[...names.slice(0, shownSets), ...more].join(", ")}`;
}

/** Returns what stops, such as `3 replicas with 24 accelerators stop`. */
function stopped(lost: readonly Lost[]): string {
  const total = (count: (set: Manifest) => number) =>
    lost.reduce((sum, { set }) => sum + count(set), 0);
  if (lost.some(({ scales }) => scales))
    return `all replicas that the autoscaler runs stop, with ${gpusOfReplica(lost[0]?.set)} accelerators each`;
  const replicas = total(plannedReplicas);
  const gpus = total((set) => plannedReplicas(set) * gpusOfReplica(set));
  const accelerators =
    gpus === 0 ? "" : ` with ${gpus} ${gpus === 1 ? "accelerator" : "accelerators"}`;
  return `${replicas} ${replicas === 1 ? "replica" : "replicas"}${accelerators} ${replicas === 1 ? "stops" : "stop"}`;
}
