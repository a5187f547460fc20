import { type Aged, olderFirst } from "./age.ts";
import type { RoutedPool } from "./routed-pool.ts";
import { eligibleTargets, type WeightedTarget } from "./weighted-targets.ts";

/**
 * Who serves which model name on a pool. Replicas of a picker, the status controller and the command line must
 * agree, so the rule stands here once.
 */

/** An LLMService as far as registration reads it. */
export interface Registrant extends Aged {
  readonly models: readonly RegisteredModel[];
}

/** An LLMService with the pools that it names. */
export interface LLMServiceObject extends Registrant {
  /** InferencePools, whatever kind the reference says: that of an LLMServerPool has its name. */
  readonly pools: ReadonlyArray<{ readonly namespace: string; readonly name: string }>;
}

export interface RegisteredModel {
  readonly name: string;
  /** Has an objective. Its requests are kept while those of others are shed. */
  readonly critical: boolean;
  /** Target of the P95 of latency per output token, in seconds. */
  readonly objectiveSeconds: number | undefined;
  /** Empty: the model itself. */
  readonly targets: readonly WeightedTarget[];
}

export interface Registration {
  /** `namespace/name` of the LLMService. */
  readonly service: string;
  readonly model: RegisteredModel;
  /** What requests get, where no rewrite is for the model. Empty for a name that is only reserved. */
  readonly targets: readonly WeightedTarget[];
}

/** A name that an LLMService asks for and another one has. */
export interface LostName {
  readonly model: string;
  readonly service: string;
  /** `namespace/name` of the LLMService that has it. */
  readonly winner: string;
}

export interface Registrations {
  readonly byModel: ReadonlyMap<string, Registration>;
  readonly lost: readonly LostName[];
}

/** The LLMServices that name a pool and may use it: those of its namespace and of the namespaces that it admits. */
export function registrantsOf<Service extends LLMServiceObject>(
  pool: RoutedPool,
  services: readonly Service[],
): Service[] {
  const admitted = new Set([pool.namespace, ...pool.serviceNamespaces]);
  return services.filter(
    ({ namespace, pools }) =>
      admitted.has(namespace) &&
      pools.some((other) => other.name === pool.name && other.namespace === pool.namespace),
  );
}

/**
 * The model names of one pool: the oldest service has a name, by creationTimestamp, then by namespace and name, since
 * "selected at random" (LLM Instance Gateway proposal, LLMService) would let two pickers disagree. The loser keeps
 * its other names.
 *
 * @param registrants the services that name the pool and may use it
 */
export function registrationsOf(registrants: readonly Registrant[]): Registrations {
  const byModel = new Map<string, Registration>();
  const lost: LostName[] = [];
  for (const registrant of [...registrants].sort(olderFirst)) {
    const service = `${registrant.namespace}/${registrant.name}`;
    for (const model of registrant.models) {
      const holder = byModel.get(model.name);
      if (holder === undefined) byModel.set(model.name, registration(service, model));
      else if (holder.service !== service)
        lost.push({ model: model.name, service, winner: holder.service });
    }
  }
  return { byModel, lost };
}

export const noRegistrations: Registrations = { byModel: new Map(), lost: [] };

const registration = (service: string, model: RegisteredModel): Registration => ({
  service,
  model,
  targets:
    model.targets.length === 0
      ? [{ model: model.name, weight: undefined }]
      : eligibleTargets(model.targets),
});
