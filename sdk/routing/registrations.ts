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
  const holders = new Map<string, Claim>();
  const losers: Claim[] = [];
  for (const registrant of registrants)
    for (const model of registrant.models) {
      const claim = { registrant, model };
      const holder = holders.get(model.name);
      if (holder?.registrant === registrant) continue;
      const wins = holder === undefined || olderFirst(registrant, holder.registrant) < 0;
      if (wins) holders.set(model.name, claim);
      const loser = wins ? holder : claim;
      if (loser !== undefined) losers.push(loser);
    }
  const byModel = new Map<string, Registration>();
  for (const [name, claim] of holders) byModel.set(name, registrationOf(claim));
  return { byModel, lost: losers.sort(byAgeThenModel).map((loser) => lostTo(byModel, loser)) };
}

/** What a service says of a name. */
interface Claim {
  readonly registrant: Registrant;
  readonly model: RegisteredModel;
}

export const noRegistrations: Registrations = { byModel: new Map(), lost: [] };

const serviceOf = ({ registrant: { namespace, name } }: Claim) => `${namespace}/${name}`;

function registrationOf(claim: Claim): Registration {
  const { model } = claim;
  return {
    service: serviceOf(claim),
    model,
    targets:
      model.targets.length === 0
        ? [{ model: model.name, weight: undefined }]
        : eligibleTargets(model.targets),
  };
}

const lostTo = (byModel: Registrations["byModel"], loser: Claim): LostName => ({
  model: loser.model.name,
  service: serviceOf(loser),
  winner: byModel.get(loser.model.name)?.service ?? "",
});

const byAgeThenModel = (a: Claim, b: Claim) =>
  olderFirst(a.registrant, b.registrant) || (a.model.name < b.model.name ? -1 : 1);
