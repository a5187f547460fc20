import { exceedsChance } from "../../sdk/rollout/chance.ts";
import { defaultGate } from "../../sdk/rollout/counts.fixture.ts";
import { highestExcuse } from "../../sdk/rollout/error-judgement.ts";
import { type Outcome, rollOut } from "./gated-rollout.ts";

/** Rollouts of consecutive seeds, and the ones that ended wrongly. */
export interface Outcomes {
  readonly good: number;
  /** Good images that did not pass, with the reason. */
  readonly stopped: readonly string[];
  readonly bad: number;
  /** Bad images that passed, although the responses of honest clients showed the fault. */
  readonly passed: readonly string[];
  /** Bad images that passed after too few requests to see the fault. */
  readonly unseen: number;
  /** Reasons that name no pod, page or API server. */
  readonly unnamed: readonly string[];
  /** Rollouts during which more than one replica was away. */
  readonly tookTooMany: readonly string[];
}

/** Rolls out an image for each seed from `first` on. */
export async function rollOutAll(first: number, count: number): Promise<Outcomes> {
  const all: Outcome[] = [];
  for (let seed = first; seed < first + count; seed += 1) all.push(await rollOut(seed));
  const isGood = ({ scenario }: Outcome) => scenario.fault === undefined;
  const wrong = (outcomes: readonly Outcome[]) =>
    outcomes.map(({ scenario, stopped }) => `seed ${scenario.seed}: ${stopped ?? scenario.fault}`);
  const passed = all.filter((each) => !isGood(each) && each.stopped === undefined);
  return {
    good: all.filter(isGood).length,
    stopped: wrong(all.filter((each) => isGood(each) && each.stopped !== undefined)),
    bad: all.filter((each) => !isGood(each)).length,
    passed: wrong(passed.filter(isVisible)),
    unseen: passed.filter((each) => !isVisible(each)).length,
    unnamed: wrong(all.filter(({ stopped }) => stopped !== undefined && !names.test(stopped))),
    tookTooMany: wrong(all.filter(({ tookTooMany }) => tookTooMany)),
  };
}

/** Parts of reasons that name a replica, a pod of a picker, the new replicas or the API server. */
const names = /svc-\d|epp-\d|the new replicas|ECONNREFUSED/;

/** Whether the requests of honest clients showed the fault of an image. */
function isVisible({ scenario, honest }: Outcome): boolean {
  const { fault, old } = scenario;
  const { minResponses, maxErrorPercent } = defaultGate;
  switch (fault) {
    case "errors": {
      const limit = maxErrorPercent / 100;
      const share = Math.min(highestExcuse(limit), Math.max(limit, old.errors));
      return exceedsChance(honest.errors, 1.5 * share * honest.responses);
    }
    case "slow":
      return honest.responses - honest.errors >= minResponses && honest.others >= 2 * minResponses;
    case "hangs":
      return honest.requests > 0;
    default:
      return true;
  }
}
