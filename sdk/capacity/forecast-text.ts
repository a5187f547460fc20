import {
  type InferenceService,
  inferenceRolesOf,
  isDisaggregated,
} from "../spec/inference-service.ts";
import type { InferenceRole } from "../spec/role.ts";
import { layOut, type RoleLayout } from "../topology/role-layout.ts";
import { acceleratorKindsOf, acceleratorsOfPod } from "./accelerators.ts";
import { isWhole, type ReplicaForecast, type StartForecast } from "./forecast.ts";

/** `Full`, `Blocked`, `Partial (1P + 1D)`, `Partial (1 of 2 inference)`. */
export function formatStatus(
  service: InferenceService,
  { status, replicas }: Pick<StartForecast, "status" | "replicas">,
): string {
  if (status !== "Partial") return status;
  const roles = inferenceRolesOf(service.spec);
  const paired: InferenceRole[] = isDisaggregated(roles)
    ? roles.filter((role) => role.componentType !== "worker")
    : [];
  const pair = `${wholeOf(paired, "prefiller", replicas)}P + ${wholeOf(paired, "decoder", replicas)}D`;
  const others = roles
    .filter((role) => !paired.includes(role))
    .map(
      (role) => `${wholeOf([role], role.componentType, replicas)} of ${role.replicas} ${role.name}`,
    );
  return `Partial (${[...(paired.length > 0 ? [pair] : []), ...others].join(", ")})`;
}

function wholeOf(
  roles: readonly InferenceRole[],
  componentType: InferenceRole["componentType"],
  replicas: readonly ReplicaForecast[],
): number {
  const names = roles
    .filter((role) => role.componentType === componentType)
    .map(({ name }) => name);
  return replicas.filter((replica) => names.includes(replica.role) && isWhole(replica)).length;
}

/** Why the gang does not start, where it does not: `needs 48 GPUs for 1 prefill + 1 decode together`. */
export function whyGangWaits(
  service: InferenceService,
  gpus: number,
  { replicas }: StartForecast,
): string | undefined {
  const gang = layOut(service.metadata.name, service.spec).filter(({ inGang }) => inGang);
  const started = replicas.some(
    ({ role, scheduledPods }) =>
      scheduledPods > 0 && gang.some(({ role: { name } }) => name === role),
  );
  if (gang.length === 0 || started) return undefined;
  const isTask = service.spec.schedulingStrategy.gang.layout === "task";
  const members = gang
    .map((layout) => ({ layout, replicas: isTask ? layout.replicas : layout.minReplicas }))
    .filter(({ replicas }) => replicas > 0);
  if (members.length === 0) return undefined;
  const needed = members.reduce((sum, member) => sum + gpusOfMember(member), 0);
  const who = members.map((member) => `${member.replicas} ${member.layout.role.name}`).join(" + ");
  const isAlone = members.length === 1 && members[0]?.replicas === 1;
  const together = isAlone ? "" : " together";
  if (needed > gpus) return `needs ${count(needed)} for ${who}${together}`;
  const pods = podSizes(members.map(({ layout }) => layout));
  return `${count(gpus)} would do for ${who}${together} (${needed}), but no placement found for pods of ${pods}`;
}

const count = (gpus: number) => (gpus === 1 ? "1 GPU" : `${gpus} GPUs`);

interface GangMember {
  readonly layout: RoleLayout;
  readonly replicas: number;
}

const gpusOfMember = ({ layout, replicas }: GangMember) =>
  replicas * layout.size * acceleratorsOfPod(layout.role.template.spec);

function podSizes(layouts: readonly RoleLayout[]): string {
  const sizes = layouts.map(({ role, size }) => {
    const gpus = acceleratorsOfPod(role.template.spec);
    return `${count(gpus)}${role.multinode?.distinctNodes && size > 1 ? " on distinct nodes" : ""}`;
  });
  return [...new Set(sizes)].join(" and ");
}

/** Replicas that hold GPUs without serving, which only pods outside a gang can do. */
export function halfStarted({ replicas }: StartForecast): string | undefined {
  const half = replicas.filter((replica) => replica.scheduledPods > 0 && !isWhole(replica));
  if (half.length === 0) return undefined;
  const list = half.map((r) => `${r.role}-${r.index} has ${r.scheduledPods} of ${r.size} pods`);
  return `without a gang pods start one by one, in an order that varies, and hold GPUs without serving: ${list.join(", ")}`;
}

/** What the forecast takes for granted about accelerators. */
export function acceleratorAssumptions(service: InferenceService): string[] {
  const roles = inferenceRolesOf(service.spec).filter((role) => role.replicas > 0);
  const without = roles.filter((role) => acceleratorsOfPod(role.template.spec) === 0);
  const kinds = new Set(roles.flatMap((role) => acceleratorKindsOf(role.template.spec)));
  return [
    ...without.map(({ name }) => `${name} asks for no GPU and is counted as started`),
    ...(kinds.size > 1 ? [`${[...kinds].join(" and ")} are counted as one kind`] : []),
  ];
}
