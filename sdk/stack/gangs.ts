import { kinds } from "../../kubernetes/kinds/index.ts";
import { groupKind } from "../../kubernetes/kinds/kind.ts";
import type { Path } from "../errors.ts";
import type { PodGroupShape } from "./shapes.ts";
import { type StackObject, TypedObject } from "./stack-object.ts";
import { attempt, UnknownValueError } from "./unknown-value.ts";
import type { PodTemplateUse } from "./workloads.ts";

export const podGroupKind = groupKind(kinds.PodGroup);

/** Returns all pods of a stack. Throws `UnknownValueError` if some are not known. */
type AllPods = () => readonly PodTemplateUse[];

/** A PodGroup of Volcano and the pods that name it. */
export class Gang extends TypedObject<PodGroupShape> {
  readonly #pods: (key: string) => readonly PodTemplateUse[];

  constructor(object: StackObject, pods: (key: string) => readonly PodTemplateUse[]) {
    super(object);
    this.#pods = pods;
  }

  /** Throws `UnknownValueError` if it is not known whether some pod is a member. */
  get members(): readonly PodTemplateUse[] {
    return this.#pods(keyOf(this));
  }

  /** Minimum number of pods for any of them to start. */
  get minMember(): number {
    return this.spec.minMember ?? 0;
  }
}

/** Key of the job that Volcano derives from a PodGroup and from the pods that name it. */
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
 * Returns the gang that pods name.
 *
 * @throws UnknownValueError if no gang matches and some gang's name is not known
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
  /** Path of a gang's name that is not known. */
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
