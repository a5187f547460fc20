import { GroupIndex } from "../../../kubernetes/cache/group-index.ts";
import type { ObservedEvent } from "../../../sdk/status/observed.ts";

/**
 * Events by LeaderWorkerSet or PodGroup. Events about a StatefulSet `name-0` are also found under `name`, because LeaderWorkerSet
 * names the StatefulSets of its groups in this way.
 */
export class EventIndex extends GroupIndex<ObservedEvent> {
  constructor() {
    super(workloadsOf);
  }

  /** @param workload name of a LeaderWorkerSet or a PodGroup */
  about(namespace: string, workload: string): Iterable<ObservedEvent> {
    return this.of(`${namespace}/${workload}`).values();
  }
}

/** Returns the workloads that an event may be about, as `namespace/name`. */
export const workloadsOf = ({ namespace, about }: ObservedEvent): string[] =>
  [...new Set([about, about.replace(/-\d+$/, "")])].map((name) => `${namespace}/${name}`);

/**
 * Events of LeaderWorkerSets that fail to roll out or recreate groups, of StatefulSets that fail to create pods, and of
 * PodGroups that Volcano does not start to place.
 */
export const eventsAboutPods = [
  "involvedObject.kind=LeaderWorkerSet",
  "involvedObject.kind=StatefulSet,reason=FailedCreate",
  "involvedObject.kind=PodGroup,reason=Unschedulable",
];
