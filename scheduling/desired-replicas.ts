/** Load and capacity of one role of a service. */
export interface RoleLoad {
  readonly role: string;
  /** Ready replicas. */
  readonly replicas: number;
  /** Requests at the replicas. */
  readonly load: number;
  /** Requests that the replicas run concurrently. */
  readonly slots: number;
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
  /** Slots of a replica when the role last had one, for a start from zero. */
  readonly #slots = new Map<string, number>();

  constructor(rule: ScaleRule) {
    this.#rule = rule;
  }

  /**
   * Returns the number of units; 0 if there are no requests.
   *
   * @param queued requests that wait in the picker. Each of them needs a slot of every role.
   */
  units(queued: number, loads: readonly RoleLoad[]): number {
    for (const { role, replicas, slots } of loads)
      if (replicas > 0 && slots > 0) this.#slots.set(role, slots / replicas);
    const running = loads.reduce((sum, { load }) => sum + load, 0);
    if (queued + running === 0) return 0;
    const needed = [...this.#rule.unit].map(([role, replicas]) => {
      const slots = this.#slots.get(role);
      const load = loads.find((each) => each.role === role)?.load ?? 0;
      // Before its first replica is ready, the slots of a role are unknown.
      if (slots === undefined) return 1;
      return Math.ceil((queued + load) / (replicas * slots * this.#rule.targetUtilization));
    });
    return Math.max(1, ...needed);
  }

  /** Returns the number of replicas by role. */
  replicas(queued: number, loads: readonly RoleLoad[]): Map<string, number> {
    const units = this.units(queued, loads);
    return new Map([...this.#rule.unit].map(([role, replicas]) => [role, units * replicas]));
  }
}
