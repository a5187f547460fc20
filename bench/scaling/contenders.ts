import { DesiredReplicas } from "../../scheduling/scaling/desired-replicas.ts";
import { Autoscaling } from "../../sdk/spec/autoscaling.ts";
import type { Pod } from "../routing/pod.ts";
import type { Engine } from "./engine.ts";
import { type Front, type MakeFront, queuesAtServers, queuesInPicker } from "./front.ts";
import type { HpaRule } from "./hpa.ts";

/** A way to scale, with the picker that it is used with. */
export interface Contender {
  readonly front: MakeFront;
  /** Replicas at the start. */
  readonly first: number;
  /** Undefined for a fixed number of replicas. */
  readonly rule?: Omit<HpaRule, "max">;
  /** Returns a function that reads the metric; it keeps the state of one run. */
  metric(): (front: Front, ready: readonly Pod[]) => number;
}

/** The HPA's default, which is also the default of `autoscaling`. */
const scaleDownSeconds = 300;

/** Waiting requests per replica: KEDA guide of the vLLM production stack. */
const waitingTarget = 5;

/** Share of an engine's sequences that an operator who knows their number sets as target, as `targetUtilization` does. */
const tunedShare = 0.8;

/** Scales by the number that the picker computes. */
export const ours = (autoscaling: Partial<Autoscaling>): Contender => {
  const { minUnits, targetUtilization, scaleDownSeconds } = Autoscaling.parse(autoscaling);
  return {
    front: queuesInPicker,
    first: minUnits,
    rule: { target: 1, min: minUnits, scaleDownSeconds },
    metric: () => {
      const role = "";
      const unit = new Map([[role, 1]]);
      const desired = new DesiredReplicas({ unit, targetUtilization: targetUtilization / 100 });
      return (front) => desired.replicas(front.queued, front.loads()).get(role) ?? 0;
    },
  };
};

const byServers = (front: MakeFront, target: number, count: (pod: Pod) => number): Contender => ({
  front,
  first: 1,
  rule: { target, min: 1, scaleDownSeconds },
  metric: () => (picker, ready) => ready.reduce((sum, pod) => sum + count(pod), picker.queued),
});

const waiting = ({ simulation }: Pod) => simulation.metrics.waiting;
const all = ({ simulation: { metrics } }: Pod) => metrics.waiting + metrics.running;

const fixed = (first: number): Contender => ({
  ...{ front: queuesInPicker, first },
  metric: () => () => 0,
});

export interface Settings {
  /** Replicas that a peak needs, and that the requests need on average. */
  readonly peak: number;
  readonly mean: number;
  readonly engine: Engine;
  /** Fields that differ from the defaults. */
  readonly autoscaling?: Partial<Autoscaling>;
}

export const contendersOf = ({
  peak,
  mean,
  engine,
  autoscaling,
}: Settings): Readonly<Record<string, Contender>> => ({
  "ours, minUnits 1": ours({ ...autoscaling, minUnits: 1 }),
  "ours, minUnits 0": ours({ ...autoscaling, minUnits: 0 }),
  "HPA on servers' queues": byServers(queuesAtServers, waitingTarget, waiting),
  "HPA on all queues": byServers(queuesInPicker, waitingTarget, waiting),
  "HPA on requests, tuned": byServers(
    queuesAtServers,
    tunedShare * engine.options.maxSequences,
    all,
  ),
  [`fixed at the peak: ${peak}`]: fixed(peak),
  [`fixed at the mean: ${mean}`]: fixed(mean),
});
