/** Load and capacity of one role of a service. */
export interface RoleLoad {
  readonly role: string;
  /** Ready replicas. */
  readonly replicas: number;
  /** Requests at the replicas. */
  readonly load: number;
  /** Requests that the replicas run concurrently, as far as the picker knows. */
  readonly slots: number;
  /** Whether a replica has reached its limit. If not, it may run more requests than its `slots`. */
  readonly isLimitKnown: boolean;
}

/** How a service is scaled. */
export interface ScaleRule {
  /** Replicas of each role in one unit, such as one prefiller and two decoders. */
  readonly unit: ReadonlyMap<string, number>;
  /** Share of the slots that requests may use, above 0 and up to 1. The rest is for requests that arrive meanwhile. */
  readonly targetUtilization: number;
}

/**
 * Computes the number of replicas of each role for the present requests, always whole units: a pair with too few
 * decoders would leave its prefillers idle. The role with the least capacity sets the number.
 */
export class DesiredReplicas {
  readonly #rule: ScaleRule;
  /** Last known limit of a replica, by role. */
  readonly #limits = new Map<string, number>();

  constructor(rule: ScaleRule) {
    this.#rule = rule;
  }

  /**
   * Returns the number of units; 0 if there are no requests.
   *
   * @param queued requests that wait in the picker. Each of them needs a slot of every role.
   */
  units(queued: number, loads: readonly RoleLoad[]): number {
    for (const { role, replicas, slots, isLimitKnown } of loads)
      if (isLimitKnown) this.#limits.set(role, slots / replicas);
    const running = loads.reduce((sum, { load }) => sum + load, 0);
    if (queued + running === 0) return 0;
    const needed = [...this.#rule.unit].map(([role, replicas]) => {
      const load = loads.find((each) => each.role === role);
      return this.#needed(queued, load, replicas, this.#limits.get(role));
    });
    return Math.ceil(Math.max(1, ...needed));
  }

  /** Returns the units that a role needs. */
  #needed(
    queued: number,
    { load, slots, replicas }: Pick<RoleLoad, "load" | "slots" | "replicas"> = none,
    inUnit: number,
    limit: number | undefined,
  ): number {
    // Before the first replica is ready, its slots are not known.
    const slotsPerReplica = Math.max(limit ?? 0, replicas > 0 ? slots / replicas : 0);
    if (slotsPerReplica === 0) return 1;
    const needed = (queued + load) / (inUnit * slotsPerReplica * this.#rule.targetUtilization);
    // Slots grow with the load until a limit is known. Without a queue, the slots do not show that a replica is full.
    const isLowerBound = limit === undefined && queued === 0;
    return isLowerBound ? Math.min(needed, replicas / inUnit) : needed;
  }

  /** Returns the number of replicas by role. */
  replicas(queued: number, loads: readonly RoleLoad[]): Map<string, number> {
    const units = this.units(queued, loads);
    return new Map([...this.#rule.unit].map(([role, replicas]) => [role, units * replicas]));
  }
}

/** A role without a ready replica. */
const none = { load: 0, slots: 0, replicas: 0 };
