import { endpointPickerName, label } from "../../names.ts";
import type { MetricFamily } from "../../observability/metrics.ts";
import type { Matchers } from "../../observability/promql.ts";
import type { ServiceObjectivesSpec } from "../../spec/service-objectives.ts";
import type { Parsed } from "../../validate/spec-kind.ts";

/** The picker whose series the rules read, and the words of the alerts about it. */
export interface Target {
  /** `metadata.name` of the ServiceObjectives. */
  readonly objectives: string;
  readonly namespace: string;
  /** Job of the picker's series: the name of its Service. */
  readonly job: string;
  /** Label of the objects of the service or pool. */
  readonly owner: Readonly<Record<string, string>>;
  /** The service or pool in words, such as `InferenceService chat in namespace models`. */
  readonly title: string;
  /** Command that shows the state of the service or pool. */
  readonly command: string;
}

export function targetOf({ metadata, spec }: Parsed<ServiceObjectivesSpec>): Target {
  const { kind, name } = spec.of;
  const { namespace } = metadata;
  const isService = kind === "InferenceService";
  return {
    objectives: metadata.name,
    namespace,
    job: endpointPickerName(name),
    owner: { [isService ? label.service : label.pool]: name },
    title: `${kind} ${name} in namespace ${namespace}`,
    command: isService
      ? `npx pulumi-inference status ${name} -n ${namespace}`
      : `kubectl describe ${kind.toLowerCase()} ${name} -n ${namespace}`,
  };
}

/** Returns the matchers of the picker's series, with further ones. */
export const ofPicker = <Family extends MetricFamily>(
  { job, namespace }: Target,
  matchers?: Matchers<Family>,
): Matchers<Family> => ({ job, namespace, ...matchers }) as Matchers<Family>;
