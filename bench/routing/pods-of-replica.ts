import { newLiveState } from "../../scheduling/endpoints/endpoint.ts";
import { type Pod, take } from "./pod.ts";

/** The pods as one of several replicas of a picker knows them: what it knows of each is its own. */
export class PodsOfReplica {
  readonly #known = new Map<Pod, Pod>();
  readonly #real = new Map<Pod, Pod>();

  of(pod: Pod): Pod {
    let seen = this.#known.get(pod);
    if (seen === undefined) {
      seen = { ...pod, endpoint: { ...pod.endpoint, live: newLiveState() } };
      this.#known.set(pod, seen);
      this.#real.set(seen, pod);
    }
    return seen;
  }

  /** The pod that the replica knows so. */
  real(seen: Pod): Pod {
    return this.#real.get(seen) as Pod;
  }

  /**
   * The replica looks at a pod, and reads the metrics that it had last.
   * @param answers whether they came. Default: they did
   */
  read(pod: Pod, answers = true): Pod {
    const seen = this.of(pod);
    const { live } = seen.endpoint;
    const { metrics, isDown } = pod.endpoint.live;
    live.isDown = isDown;
    if (metrics === undefined || !answers) return seen;
    take(live, metrics);
    return seen;
  }
}
