import type { Path } from "../../errors.ts";
import { attempt, NotKnownYet } from "./not-known-yet.ts";
import type { PodGroupShape } from "./shapes.ts";
import { type StackObject, Typed } from "./stack-object.ts";
import type { Pods, Workload } from "./workloads.ts";

export const podGroupKind = "scheduling.volcano.sh/PodGroup";

/** A PodGroup of Volcano and the pods that name it. */
export class Gang extends Typed<PodGroupShape> {
  readonly #workloads: () => readonly Workload[];

  /** @param workloads all of the stack; throws `NotKnownYet` where some are not known */
  constructor(object: StackObject, workloads: () => readonly Workload[]) {
    super(object);
    this.#workloads = workloads;
  }

  /** Throws `NotKnownYet` where some pod might be a member and it cannot be told. */
  get members(): Pods[] {
    const { name, namespace } = this;
    return this.#workloads()
      .flatMap(({ pods }) => pods)
      .filter((pods) => pods.group === name && pods.workload.namespace === namespace);
  }

  /** Pods that must be there before any starts. */
  get minMember(): number {
    return this.spec.minMember ?? 0;
  }
}

export const gangsOf = (
  objects: readonly StackObject[],
  workloads: () => readonly Workload[],
): Gang[] =>
  objects.filter(({ kind }) => kind === podGroupKind).map((object) => new Gang(object, workloads));

/**
 * The gang that pods name.
 *
 * @throws NotKnownYet where some gang might be the one and it cannot be told
 */
export function gangOf(pods: Pods, gangs: readonly Gang[]): Gang | undefined {
  const { group } = pods;
  if (group === undefined) return undefined;
  let unclear: Path | undefined;
  for (const gang of gangs) {
    const isNamed = attempt(
      () => gang.name === group && gang.namespace === pods.workload.namespace,
    );
    if ("unknown" in isNamed) unclear = isNamed.unknown;
    else if (isNamed.value) return gang;
  }
  if (unclear !== undefined) throw new NotKnownYet(unclear);
  return undefined;
}
