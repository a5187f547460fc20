import { seeded } from "../../testing/samples/seeded.ts";

/** Behaviour of a pod template. */
export interface Image {
  /** Share of requests that get status 500. */
  readonly errors: number;
  /** Median time to the first token in seconds. */
  readonly firstToken: number;
  readonly starts: "ready" | "crash" | "never";
  /** Whether no response begins. */
  readonly hangs: boolean;
}

/** A client of the gateway that is not honest. */
export interface Attacker {
  readonly name: string;
  readonly perSecond: number;
  /** Pods to which its requests are sent, as by a prefix that only these have cached. */
  readonly target: "all" | "old" | "new";
  readonly sends: "errors" | "successes" | "unknown models" | "requests it gives up";
}

/** A period in ms since the start of the rollout. */
export interface Period {
  readonly from: number;
  readonly until: number;
}

/** A wrong page of a picker. */
export interface Lie extends Period {
  readonly picker: number;
  readonly kind: "earlier" | "foreign" | "NaN" | "negative" | "huge" | "null" | "contradiction";
}

/** One rollout, drawn from a seed. */
export interface Scenario {
  readonly seed: number;
  readonly replicas: number;
  readonly pickers: number;
  readonly old: Image;
  readonly next: Image;
  /** Why the next image should not be rolled out; undefined for a good image. */
  readonly fault: "errors" | "slow" | "crash" | "never ready" | "hangs" | undefined;
  /** Requests per second of each honest client. */
  readonly clients: readonly number[];
  readonly attackers: readonly Attacker[];
  readonly loadMs: number;
  /** Periods without an API server. */
  readonly outages: readonly Period[];
  readonly unread: ReadonlyArray<Period & { readonly picker: number }>;
  readonly restarts: ReadonlyArray<{ readonly picker: number; readonly at: number }>;
  readonly lies: readonly Lie[];
}

export type Random = () => number;

const pick = <T>(random: Random, values: readonly T[]): T =>
  values[Math.floor(random() * values.length)] as T;
const between = (random: Random, low: number, high: number): number =>
  low * (high / low) ** random();
const some = <T>(random: Random, chance: number, make: () => T): T[] => {
  const made: T[] = [];
  while (random() < chance) made.push(make());
  return made;
};

/** Rollouts take 5 minutes to an hour. */
const duration = 20 * 60_000;

export function scenarioOf(seed: number): Scenario {
  const random = seeded(seed);
  const replicas = 1 + Math.floor(random() * 6);
  const pickers = pick(random, [1, 1, 2, 3]);
  const clients = clientsOf(random);
  const total = clients.reduce((sum, each) => sum + each, 0);
  const old: Image = {
    errors: pick(random, [0, 0, 0.001, 0.005, 0.03]),
    firstToken: between(random, 0.1, 5),
    starts: "ready",
    hangs: false,
  };
  const fault =
    random() < 0.5
      ? undefined
      : pick(random, [
          "errors",
          "errors",
          "errors",
          "slow",
          "crash",
          "never ready",
          "hangs",
        ] as const);
  const period = (low: number, high: number): Period => {
    const from = random() * duration;
    return { from, until: from + between(random, low, high) };
  };
  const picker = () => Math.floor(random() * pickers);
  return {
    ...{ seed, replicas, pickers, old, fault, clients },
    next: nextOf(random, old, fault),
    attackers: attackersOf(random, total, replicas),
    loadMs: between(random, 10_000, 300_000),
    outages: some(random, 0.3, () => period(400, 300_000)),
    unread: some(random, 0.3, () => ({ ...period(5_000, 300_000), picker: picker() })),
    restarts: some(random, 0.4, () => ({ picker: picker(), at: random() * duration })),
    lies: some(random, 0.4, () => ({
      ...period(2_000, 60_000),
      picker: picker(),
      kind: pick(random, [
        "earlier",
        "foreign",
        "NaN",
        "negative",
        "huge",
        "null",
        "contradiction",
      ]),
    })),
  };
}

/** Returns clients of which the largest has up to most of the requests. */
function clientsOf(random: Random): number[] {
  const perSecond = between(random, 0.02, 60);
  const weights = Array.from({ length: pick(random, [1, 2, 4, 8, 12]) }, () =>
    between(random, 0.1, 10),
  );
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => (perSecond * weight) / sum);
}

function nextOf(random: Random, old: Image, fault: Scenario["fault"]): Image {
  switch (fault) {
    case undefined:
      return { ...old, firstToken: old.firstToken * between(random, 0.5, 1.2) };
    case "errors":
      return { ...old, errors: Math.min(1, old.errors + between(random, 0.02, 1)) };
    case "slow":
      return { ...old, firstToken: old.firstToken * between(random, 4, 20) };
    case "crash":
      return { ...old, starts: "crash" };
    case "never ready":
      return { ...old, starts: "never" };
    case "hangs":
      return { ...old, hangs: true };
  }
}

/** Returns at most one attacker. It gets fewer responses of the new replicas than the honest clients together. */
function attackersOf(random: Random, total: number, replicas: number): Attacker[] {
  if (random() < 0.5) return [];
  const target = pick(random, ["all", "old", "new"] as const);
  const share = between(random, 0.02, 0.5);
  return [
    {
      name: "attacker",
      target,
      perSecond: (total * share) / (target === "new" ? replicas : 1),
      sends: pick(random, [
        "errors",
        "errors",
        "successes",
        "unknown models",
        "requests it gives up",
      ]),
    },
  ];
}
