import { type Aged, olderFirst } from "./age.ts";
import { type NameRefusal, nameRefusal } from "./model-grants.ts";
import type { RoutedPool } from "./routed-pool.ts";
import { eligibleTargets, type WeightedTarget } from "./weighted-targets.ts";

/**
 * Registration of model names on a pool. Replicas of a picker, the status controller and the command line share this
 * rule, because they must agree.
 */

/** The fields of an LLMService that registration reads. */
export interface Registrant extends Aged {
  /** Weight of its requests relative to other services. */
  readonly share: number;
  readonly models: readonly RegisteredModel[];
}

/** An LLMService with the pools that it names. */
export interface LLMServiceObject extends Registrant {
  /** InferencePools, whatever the kind of the reference: the InferencePool of an LLMServerPool has the same name. */
  readonly pools: ReadonlyArray<{ readonly namespace: string; readonly name: string }>;
}

export interface RegisteredModel {
  readonly name: string;
  /** Has an objective. Its requests are not shed while noncritical requests are. */
  readonly critical: boolean;
  /** Objective for the P95 latency per output token, in seconds. */
  readonly objectiveSeconds: number | undefined;
  /** Objective for the P95 time to the first token of streams, in seconds. */
  readonly firstTokenSeconds: number | undefined;
  /** Empty if the model is its own target. */
  readonly targets: readonly WeightedTarget[];
}

export interface Registration {
  /** `namespace/name` of the LLMService. */
  readonly service: string;
  /** Weight of the service's requests relative to other services. */
  readonly share: number;
  readonly model: RegisteredModel;
  /** Targets of requests if no rewrite applies. Empty for a name that is only reserved. */
  readonly targets: readonly WeightedTarget[];
}

/** A name that an LLMService requests and does not get. */
export interface LostName {
  readonly model: string;
  readonly service: string;
  /** `taken`: another LLMService has the name. Otherwise, the reason why the namespace may not register it. */
  readonly why: "taken" | NameRefusal;
  /** `namespace/name` of the LLMService that has the name; undefined if none has. */
  readonly winner: string | undefined;
}

/** Returns why a service does not get a name, worded to follow the name. */
export function lostInWords({ why, winner }: Pick<LostName, "why" | "winner">): string {
  switch (why) {
    case "taken":
      return `is registered by ${winner}`;
    case "reserved":
      return "is reserved for the pool's namespace (reservedModels of the LLMServerPool)";
    case "not-granted":
      return "is not among the names that the pool's owner grants this namespace (models in allowedNamespaces of the LLMServerPool)";
    case "ownership-unset":
      return "may be a model of the pool itself, because the pool serves unregistered models (to allow it, set reservedModels or models of allowedNamespaces in the LLMServerPool)";
  }
}

export interface Registrations {
  readonly byModel: ReadonlyMap<string, Registration>;
  readonly lost: readonly LostName[];
}

/** Returns the LLMServices that name a pool and may use it. They are in the pool's namespace or in an admitted one. */
export function registrantsOf<Service extends LLMServiceObject>(
  pool: RoutedPool,
  services: readonly Service[],
): Service[] {
  const admitted = new Set([pool.namespace, ...pool.allowedNamespaces]);
  return services.filter(
    ({ namespace, pools }) =>
      admitted.has(namespace) &&
      pools.some((other) => other.name === pool.name && other.namespace === pool.namespace),
  );
}

/**
 * Assigns the model names of one pool. Only services whose namespace may register a name compete for it
 * (`nameRefusal`). Services in the pool's namespace win, then the oldest by creationTimestamp, then the first by
 * namespace and name. The proposal's "selected at random" (LLM Instance Gateway proposal, LLMService) would let two
 * pickers disagree. The loser keeps its other names.
 *
 * @param services services that do not name the pool, or may not use it, are ignored
 */
export function registrationsOf(
  pool: RoutedPool,
  services: readonly LLMServiceObject[],
): Registrations {
  const holders = new Map<string, Claim>();
  const losers: Loser[] = [];
  for (const registrant of registrantsOf(pool, services))
    for (const model of registrant.models) {
      const claim = { registrant, model };
      const refusal = nameRefusal(pool, registrant.namespace, model.name);
      if (refusal !== undefined) {
        losers.push({ claim, why: refusal });
        continue;
      }
      const holder = holders.get(model.name);
      if (holder?.registrant === registrant) continue;
      const wins = holder === undefined || isBefore(pool, registrant, holder.registrant);
      if (wins) holders.set(model.name, claim);
      const loser = wins ? holder : claim;
      if (loser !== undefined) losers.push({ claim: loser, why: "taken" });
    }
  const byModel = new Map<string, Registration>();
  for (const [name, claim] of holders) byModel.set(name, registrationOf(claim));
  return { byModel, lost: losers.sort(byAgeThenModel).map((loser) => lostName(byModel, loser)) };
}

/** Services in the pool's namespace have precedence over older services in other namespaces. */
function isBefore(pool: RoutedPool, a: Registrant, b: Registrant): boolean {
  const isOwn = ({ namespace }: Registrant) => Number(namespace === pool.namespace);
  return (isOwn(b) - isOwn(a) || olderFirst(a, b)) < 0;
}

interface Loser {
  readonly claim: Claim;
  readonly why: LostName["why"];
}

/** A request of a service for a name. */
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
    share: claim.registrant.share,
    model,
    targets:
      model.targets.length === 0
        ? [{ model: model.name, weight: undefined }]
        : eligibleTargets(model.targets),
  };
}

const lostName = (byModel: Registrations["byModel"], { claim, why }: Loser): LostName => ({
  model: claim.model.name,
  service: serviceOf(claim),
  why,
  winner: byModel.get(claim.model.name)?.service,
});

const byAgeThenModel = ({ claim: a }: Loser, { claim: b }: Loser) =>
  olderFirst(a.registrant, b.registrant) || (a.model.name < b.model.name ? -1 : 1);
