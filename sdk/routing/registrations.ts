/**
 * Who serves which model name on a pool. Replicas of a picker, the status controller and the command line must
 * agree, so the rule stands here once.
 */

/** An LLMService as far as registration reads it. */
export interface Registrant {
  readonly namespace: string;
  readonly name: string;
  /** RFC 3339; empty where the object was never in a cluster. */
  readonly creationTimestamp: string;
  readonly models: readonly RegisteredModel[];
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

export interface WeightedTarget {
  readonly model: string;
  /** Undefined where the object gives no weights. */
  readonly weight: number | undefined;
}

export interface Registration {
  /** `namespace/name` of the LLMService. */
  readonly service: string;
  readonly model: RegisteredModel;
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

/**
 * The model names of one pool: the oldest service has a name, by creationTimestamp, then by namespace/name, since
 * ages have a resolution of one second and "selected at random" (LLM Instance Gateway proposal, LLMService) would
 * let two pickers disagree. The loser keeps its other names.
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
      if (holder === undefined) byModel.set(model.name, { service, model });
      else if (holder.service !== service)
        lost.push({ model: model.name, service, winner: holder.service });
    }
  }
  return { byModel, lost };
}

export const noRegistrations: Registrations = { byModel: new Map(), lost: [] };

function olderFirst(a: Registrant, b: Registrant): number {
  return (
    compare(a.creationTimestamp, b.creationTimestamp) ||
    compare(`${a.namespace}/${a.name}`, `${b.namespace}/${b.name}`)
  );
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
