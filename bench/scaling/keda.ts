import { type HpaRule, type HpaState, type Sync, syncHpa } from "./hpa.ts";

/** Time between two polls of the metric, in seconds: `pollingInterval` of `planAutoscalers()`. */
export const pollSeconds = 5;

/**
 * KEDA 2.21 for one trigger without an activation threshold: it starts the first replica and stops the last one, and an
 * HPA changes the others. Ported from pkg/scaling/executor/scale_scaledobjects.go.
 */
export class Keda {
  readonly #rule: HpaRule;
  #state: HpaState | undefined;
  #activeAt = Number.NEGATIVE_INFINITY;

  /** @param rule with `min` 0 for a start from zero; `scaleDownSeconds` is also the cooldown period */
  constructor(rule: HpaRule) {
    this.#rule = rule;
  }

  /** Returns the number of replicas after a poll: `RequestScale()`. */
  poll({ now, current, metric }: Sync): number {
    const { min, scaleDownSeconds } = this.#rule;
    if (metric > 0) {
      this.#activeAt = now;
      return current === 0 ? Math.max(1, min) : current;
    }
    return min === 0 && this.#activeAt + scaleDownSeconds < now ? 0 : current;
  }

  /** Returns the number of replicas after a sync of the HPA, which is disabled at zero. */
  sync(sync: Sync): number {
    if (sync.current === 0) return 0;
    // GetHPAMinReplicas()
    const rule = { ...this.#rule, min: Math.max(1, this.#rule.min) };
    const { replicas, state } = syncHpa(this.#state, sync, rule);
    this.#state = state;
    return replicas;
  }
}
