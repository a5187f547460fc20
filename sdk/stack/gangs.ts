import type { Path } from "../errors.ts";
import type { PodGroupShape } from "./shapes.ts";
import { type StackObject, TypedObject } from "./stack-object.ts";
import { attempt, UnknownValueError } from "./unknown-value.ts";
import type { PodTemplateUse } from "./workloads.ts";

export const podGroupKind = "scheduling.volcano.sh/PodGroup";

/** All pods of a stack; throws `NotKnownYet` where some are not known. */
type AllPods = () => readonly PodTemplateUse[];

/** A PodGroup of Volcano and the pods that name it. */
export class Gang extends TypedObject<PodGroupShape> {
  readonly #pods: (key: string) => readonly PodTemplateUse[];

  constructor(object: StackObject, pods: (key: string) => readonly PodTemplateUse[]) {
    super(object);
    this.#pods = pods;
  }

  /** Throws `NotKnownYet` where some pod might be a member and it cannot be told. */
  get members(): readonly PodTemplateUse[] {
    return this.#pods(keyOf(this));
  }

  /** Pods that must be there before any starts. */
  get minMember(): number {
    return this.spec.minMember ?? 0;
  }
}

/** The job that Volcano takes a PodGroup, and the pods that name it, for. */
const keyOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }) =>
  `${namespace}/${name}`;

export function gangsOf(objects: readonly StackObject[], allPods: AllPods): Gang[] {
  let index: Map<string | undefined, PodTemplateUse[]> | undefined;
  const members = (key: string) => {
    index ??= Map.groupBy(allPods(), jobOf);
    return index.get(key) ?? [];
  };
  return objects
    .filter(({ kind }) => kind === podGroupKind)
    .map((object) => new Gang(object, members));
}

const jobOf = ({ group, workload }: PodTemplateUse): string | undefined =>
  group === undefined ? undefined : keyOf({ namespace: workload.namespace, name: group });

/**
 * The gang that pods name.
 *
 * @throws NotKnownYet where some gang might be the one and it cannot be told
 */
export function gangOf(pods: PodTemplateUse, gangs: readonly Gang[]): Gang | undefined {
  const job = jobOf(pods);
  if (job === undefined) return undefined;
  const { byJob, unclear } = named.get(gangs) ?? naming(gangs);
  const gang = byJob.get(job);
  if (gang === undefined && unclear !== undefined) throw new UnknownValueError(unclear);
  return gang;
}

interface Naming {
  readonly byJob: ReadonlyMap<string, Gang>;
  /** A gang's name that is not known. */
  readonly unclear: Path | undefined;
}

const named = new WeakMap<readonly Gang[], Naming>();

function naming(gangs: readonly Gang[]): Naming {
  const byJob = new Map<string, Gang>();
  let unclear: Path | undefined;
  for (const gang of gangs.toReversed()) {
    const key = attempt(() => keyOf(gang));
    if ("unknown" in key) unclear = key.unknown;
    else byJob.set(key.value, gang);
  }
  const naming = { byJob, unclear };
  named.set(gangs, naming);
  return naming;
}
