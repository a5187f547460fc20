import { Rollout } from "../../components/rollout/rollout.ts";
import { messageOf } from "../../kubernetes/values/records.ts";
import { defaultGate } from "../../sdk/rollout/counts.fixture.ts";
import { seeded } from "../../testing/samples/seeded.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { type Scenario, scenarioOf } from "./scenario.ts";
import { SimulatedService } from "./simulated-service.ts";
import type { Honest } from "./traffic.ts";

/** Result of a rollout in virtual time. */
export interface Outcome {
  readonly scenario: Scenario;
  /** Why the rollout stopped; undefined if it updated every replica. */
  readonly stopped: string | undefined;
  readonly rolledBack: boolean;
  readonly honest: Honest;
  readonly minutes: number;
  /** Whether more replicas were away than one. */
  readonly tookTooMany: boolean;
}

/** Rolls out the image of a scenario with the default gate. */
export async function rollOut(seed: number): Promise<Outcome> {
  const scenario = scenarioOf(seed);
  const clock = new VirtualClock();
  const service = new SimulatedService(scenario, clock, seeded(seed + 1_000_000));
  const { names } = service;
  const rollout = new Rollout({
    sets: names.map((name) => ({ name, role: "r", maxUnavailable: 1, answersRequests: true })),
    cluster: async () => service,
    report: () => {},
    gate: { limits: defaultGate, picker: "epp" },
    rollsBack: true,
    pollMs: 5_000,
    clock,
  });
  const update = async (name: string) => {
    await rollout.begin(name, "ns");
    service.write(name, scenario.next);
    await rollout.end(name, { metadata: { name }, spec: {} });
  };
  const ended = await clock.run(Promise.allSettled(names.map(update)));
  const [failure] = ended.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  return {
    scenario,
    stopped: failure === undefined ? undefined : messageOf(failure),
    rolledBack: service.restored > 0,
    honest: service.traffic.honest,
    minutes: clock.now() / 60_000,
    tookTooMany: service.lowest < scenario.replicas - 1,
  };
}
