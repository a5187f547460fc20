import { withKnownParts } from "../../../kubernetes/values/deferred.ts";
import { formatQuantity } from "../../../kubernetes/values/quantity.ts";
import { podResources, scaled, sum } from "../../engines/accelerators/pod-resources.ts";
import type { Container, PodSpec } from "../../schemas/pod-template.ts";

/** The resources of a gang's minimum, which Volcano compares with the free resources of the queue and the cluster. */

/** A number of equal pods. */
export interface Pods {
  readonly spec: PodSpec;
  readonly count: number;
}

/**
 * Returns what pods request together, in the form of a manifest. A quantity to which a deferred value contributes is
 * deferred. Undefined if the pods request nothing.
 */
export function minResources(pods: readonly Pods[]): Record<string, unknown> | undefined {
  const names = new Set(pods.flatMap(({ spec }) => namesIn(spec)));
  const quantities = [...names].map((name) => {
    const parts = pods.map(({ spec, count }) => ({ spec: onlyResource(spec, name), count }));
    return [name, withKnownParts(parts, (known) => totalOf(known, name))] as const;
  });
  const present = quantities.filter(([, quantity]) => quantity !== undefined);
  return present.length === 0 ? undefined : Object.fromEntries(present);
}

function totalOf(pods: readonly Pods[], name: string): string | undefined {
  const total = sum(pods.map(({ spec, count }) => scaled(podResources(spec), count))).get(name);
  return total === undefined || total.nanos === 0n ? undefined : formatQuantity(total);
}

const listsOf = ({ resources }: Container): unknown[] => [resources?.limits, resources?.requests];

const namesIn = ({ containers, initContainers = [], overhead }: PodSpec): string[] =>
  [...[...containers, ...initContainers].flatMap(listsOf), overhead].flatMap((list) =>
    Object.keys(list ?? {}),
  );

/** Returns the fields of a pod that decide how much of one resource it reserves. */
function onlyResource({ containers, initContainers, overhead }: PodSpec, name: string): PodSpec {
  const only = (list: unknown) => ({
    [name]: (list as Record<string, unknown> | undefined)?.[name],
  });
  const reduced = (container: Container): Container => {
    const [limits, requests] = listsOf(container).map(only);
    return {
      name: container.name,
      restartPolicy: container.restartPolicy,
      resources: { limits, requests },
    } as Container;
  };
  return {
    containers: containers.map(reduced),
    initContainers: initContainers?.map(reduced),
    overhead: only(overhead),
  } as PodSpec;
}
