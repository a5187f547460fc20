import {
  type SimulationOptions,
  simulationDefaults,
} from "../../testing/model-server/simulation.ts";
import { agentSessions, agentsAndChats } from "./agent-sessions.ts";
import { arrivals, conversations, type Load, seconds, type Talk } from "./arrivals.ts";
import { playedAs } from "./public-traces.ts";
import { Random } from "./random.ts";
import type { Arrival, Trace } from "./trace.ts";

/**
 * The traces, each of a seed. An engine computes 10,000 prompt tokens per second and takes a step of 10 ms and 0.2 ms per
 * sequence for a token of up to 32 sequences; its cache holds 64k tokens, with 400 prefixes 256k. Slow
 * engines compute 3,000 and fast ones 30,000 prompt tokens per second. Rates are chosen so that
 * the best that is possible keeps up.
 */
const engine = {
  maxSequences: 32,
  maxBatchedTokens: 2_048,
  prefillTokensPerSecond: 10_000,
  stepMs: 10,
  stepMsPerSequence: 0.2,
  cacheBlocks: 4_096,
};

/** An engine with steps `factor` times as long. */
export function slowed(factor: number, options: SimulationOptions = {}): SimulationOptions {
  const of = { ...simulationDefaults, ...options };
  return {
    ...options,
    prefillTokensPerSecond: of.prefillTokensPerSecond / factor,
    stepMs: of.stepMs * factor,
    stepMsPerSequence: of.stepMsPerSequence * factor,
  };
}

/** A large model on few GPUs, and a small one. */
const slow = { prefillTokensPerSecond: 3_000 };
const fast = { prefillTokensPerSecond: 30_000 };

/** A GPU with less memory left by the model. */
const smallMemory = { ...engine, cacheBlocks: engine.cacheBlocks / 4 };

interface Prefixes extends Load {
  readonly count: number;
  /** Tokens per prefix. */
  readonly tokens: number;
}

/** Questions of 20 to 200 tokens and answers of 50 to 150, each behind one of `count` common prefixes. */
function sharing(random: Random, { count, tokens, ...load }: Prefixes): Arrival[] {
  const prefixes = Array.from({ length: count }, () => random.text(tokens));
  return arrivals(random, load, () => ({
    prompt: (prefixes[random.between(0, count - 1)] ?? "") + random.text(random.between(20, 200)),
    outputTokens: random.between(50, 150),
  }));
}

type MakeTrace = (random: Random) => Omit<Trace, "name">;

const sharedPrompt: MakeTrace = (random) => ({
  pods: 4,
  engine,
  measureFrom: 5 * seconds,
  requests: sharing(random, {
    count: 1,
    tokens: 1_000,
    requestsPerSecond: 48,
    until: 40 * seconds,
  }),
});

/** Computing this prompt takes as long as many more requests than a pod has sequences. */
const longSharedPrompt: MakeTrace = (random) => ({
  pods: 4,
  engine,
  measureFrom: 5 * seconds,
  requests: sharing(random, {
    count: 1,
    tokens: 8_000,
    requestsPerSecond: 40,
    until: 25 * seconds,
  }),
});

const prefixes =
  (count: number, requestsPerSecond: number, change: SimulationOptions = {}): MakeTrace =>
  (random) => ({
    pods: 4,
    engine: { ...engine, ...change },
    measureFrom: 20 * seconds,
    requests: sharing(random, { count, tokens: 2_000, requestsPerSecond, until: 60 * seconds }),
  });

/** 500 to 1,500 tokens that no other request shares, at 70 % of the pods' compute capacity. */
const nothingShared =
  (pods: number, requestsPerSecond = 4 * pods): MakeTrace =>
  (random) => ({
    pods,
    engine,
    measureFrom: 5 * seconds,
    requests: arrivals(random, { requestsPerSecond, until: 40 * seconds }, () => ({
      prompt: random.text(random.between(500, 1_500)),
      outputTokens: random.between(50, 150),
    })),
  });

interface Chats extends Pick<Talk, "startsPerSecond" | "until"> {
  readonly pods: number;
  /** Instructions that conversations begin with in turn, and their tokens. */
  readonly systems: number;
  readonly tokens: number;
}

/** Conversations of up to eight turns; some 5 s between turns. */
const chatting =
  ({ pods, systems, tokens, ...load }: Chats): MakeTrace =>
  (random) => {
    const texts = Array.from({ length: systems }, () => random.text(tokens));
    const requests = conversations(random, {
      ...load,
      begins: (conversation) => texts[conversation % systems],
      ...{ turns: [3, 8], asked: [50, 300], answered: [50, 150] },
      pause: [4 * seconds, 3 * seconds],
    });
    return { pods, engine, measureFrom: 15 * seconds, requests };
  };

const chats = chatting({
  ...{ pods: 4, systems: 1, tokens: 500 },
  ...{ startsPerSecond: 4, until: 60 * seconds },
});

const chatsOfThreeTenants = chatting({
  ...{ pods: 10, systems: 3, tokens: 2_000 },
  ...{ startsPerSecond: 12, until: 16 * seconds },
});

/** Agents of ten kinds, some common and some rare, with long instructions and turns that come soon and say much. */
const agents: MakeTrace = (random) => {
  const kinds = Array.from({ length: 10 }, () => random.text(6_000));
  const requests = conversations(random, {
    begins: () => kinds[random.ranked(kinds.length, 1)],
    ...{ startsPerSecond: 1.5, until: 50 * seconds },
    ...{ turns: [3, 10], asked: [100, 1_200], answered: [50, 300] },
    pause: [3 * seconds, 2 * seconds],
  });
  const cacheBlocks = 8_192;
  return { pods: 6, engine: { ...engine, cacheBlocks }, measureFrom: 15 * seconds, requests };
};

/** Agents with long answers, on engines that run eight requests concurrently: a slot is rarely free. */
const fewSequences: MakeTrace = (random) => {
  const kinds = Array.from({ length: 3 }, () => random.text(2_700));
  const requests = conversations(random, {
    begins: (conversation) => kinds[conversation % kinds.length],
    ...{ startsPerSecond: 1.5, until: 45 * seconds },
    ...{ turns: [3, 8], asked: [100, 1_000], answered: [100, 400] },
    pause: [3 * seconds, 3 * seconds],
  });
  return {
    ...{ pods: 16, measureFrom: 12 * seconds, requests },
    engine: { ...engine, maxSequences: 8, stepMs: 20, prefillTokensPerSecond: 18_000 },
  };
};

/** Sixty prefixes, some common and some rare: the caches of all engines hold little more than one copy of each. */
const smallCaches: MakeTrace = (random) => {
  const prefixes = Array.from({ length: 60 }, () => random.text(2_000));
  const requests = arrivals(random, { requestsPerSecond: 22, until: 50 * seconds }, () => ({
    prompt: prefixes[random.ranked(60, 0.7)] + random.text(random.between(20, 200)),
    outputTokens: random.between(50, 150),
  }));
  const cacheBlocks = 2_560;
  return { pods: 4, engine: { ...engine, cacheBlocks }, measureFrom: 15 * seconds, requests };
};

/**
 * As many long prefixes as there is room for, to engines whose cache has room for ten: as long as each request computes its own the
 * pool cannot keep up, and once they are cached it is half idle.
 */
const fullCaches: MakeTrace = (random) => ({
  pods: 4,
  engine: { ...engine, prefillTokensPerSecond: 20_000, cacheBlocks: 2_560 },
  measureFrom: 15 * seconds,
  requests: sharing(random, {
    count: 36,
    tokens: 4_000,
    requestsPerSecond: 24,
    until: 40 * seconds,
  }),
});

/** Twenty requests at once, then nothing for a while. */
const bursts: MakeTrace = (random) => {
  const requests: Arrival[] = [];
  for (let start = 0; start < 40 * seconds; start += seconds / 2 + random.exponential(seconds))
    for (let count = random.between(10, 40); count > 0; count -= 1)
      requests.push({
        at: start + random.next() * 20,
        prompt: random.text(random.between(200, 800)),
        outputTokens: random.between(50, 150),
      });
  requests.sort((a, b) => a.at - b.at);
  return { pods: 4, engine, measureFrom: 5 * seconds, requests };
};

/** One request in forty is a document of 20k tokens. */
const documents =
  (requestsPerSecond: number, change: SimulationOptions = {}): MakeTrace =>
  (random) => ({
    pods: 4,
    engine: { ...engine, ...change },
    measureFrom: 5 * seconds,
    requests: arrivals(random, { requestsPerSecond, until: 60 * seconds }, () =>
      random.next() < 1 / 40
        ? { prompt: random.text(20_000), outputTokens: 200 }
        : { prompt: random.text(random.between(50, 500)), outputTokens: random.between(50, 150) },
    ),
  });

/** The first pod computes half as fast. */
const slowPod: MakeTrace = (random) => ({
  ...nothingShared(8, 28)(random),
  engineOf: { 0: slowed(2, engine) },
});

/** The first pod computes a quarter as fast, and prefixes are cached: no pod ever has much to compute. */
const slowPodOfPrefixes: MakeTrace = (random) => ({
  ...prefixes(40, 40)(random),
  engineOf: { 0: slowed(4, engine) },
});

/** Prompts of 6,000 to 8,000 tokens, while the first pod takes ten times as long for a minute. */
const longPromptsPodRecovers: MakeTrace = (random) => ({
  pods: 4,
  engine,
  measureFrom: 5 * seconds,
  changes: [
    { at: 15 * seconds, pod: 0, change: "slows" },
    { at: 75 * seconds, pod: 0, change: "recovers" },
  ],
  requests: arrivals(random, { requestsPerSecond: 2.4, until: 135 * seconds }, () => ({
    prompt: random.text(random.between(6_000, 8_000)),
    outputTokens: random.between(50, 150),
  })),
});

/** Under one shared prompt a pod dies after 15 s, and a cold one joins after 25 s. */
const podsComeAndGo: MakeTrace = (random) => ({
  ...sharedPrompt(random),
  pods: 5,
  changes: [
    { at: 15 * seconds, pod: 0, change: "dies" },
    { at: 25 * seconds, pod: 4, change: "joins" },
  ],
});

/** Under a long shared prompt two cold pods join together after 12 s. */
const podsJoin: MakeTrace = (random) => ({
  ...longSharedPrompt(random),
  pods: 6,
  changes: [4, 5].map((pod) => ({ at: 12 * seconds, pod, change: "joins" })),
});

const prefillAndDecode: MakeTrace = (random) => ({
  pods: 6,
  prefillers: [0, 1, 2],
  engine,
  measureFrom: 5 * seconds,
  requests: sharing(random, {
    count: 40,
    tokens: 1_500,
    requestsPerSecond: 24,
    until: 40 * seconds,
  }),
});

/** A tenant sends ten times what the other does; together it is twice what the pods can answer. */
const twoTenants: MakeTrace = (random) => {
  const { requests, ...trace } = nothingShared(4, 46)(random);
  const tenant = () => (random.next() < 1 / 11 ? "light" : "heavy");
  return { ...trace, requests: requests.map((request) => ({ ...request, tenant: tenant() })) };
};

/** Chats to four pods, two of which have a quarter of the KV cache: one of them has room for ten long conversations. */
const unequalServers: MakeTrace = (random) => ({
  ...chatting({
    ...{ pods: 4, systems: 1, tokens: 500 },
    ...{ startsPerSecond: 6, until: 50 * seconds },
  })(random),
  engineOf: { 2: smallMemory, 3: smallMemory },
});

/** The first bursts of a new pool, about which the picker has learnt nothing yet. */
const burstsOfNewPools: MakeTrace = (random) => {
  const { requests, ...trace } = bursts(random);
  return { ...trace, measureFrom: 0, requests: requests.filter(({ at }) => at < 8 * seconds) };
};

const makers: Readonly<Record<string, MakeTrace>> = {
  "one shared prompt": sharedPrompt,
  "a long shared prompt": longSharedPrompt,
  "40 prefixes": prefixes(40, 40),
  "400 prefixes": prefixes(400, 20, { cacheBlocks: 16_384 }),
  "40 prefixes, slow engines": prefixes(40, 24, slow),
  "40 prefixes, fast engines": prefixes(40, 60, fast),
  "nothing shared, 4 pods": nothingShared(4),
  "nothing shared, 16 pods": nothingShared(16),
  "nothing shared, 64 pods": nothingShared(64),
  chats,
  "chats of three tenants": chatsOfThreeTenants,
  agents,
  "few sequences": fewSequences,
  "small caches": smallCaches,
  "full caches": fullCaches,
  bursts,
  documents: documents(20),
  "documents, slow engines": documents(6, slow),
  "a slow pod": slowPod,
  "40 prefixes, a slow pod": slowPodOfPrefixes,
  "long prompts, a pod recovers": longPromptsPodRecovers,
  "pods come and go": podsComeAndGo,
  "pods join": podsJoin,
  "prefill and decode": prefillAndDecode,
  "unequal servers": unequalServers,
  "bursts of new pools": burstsOfNewPools,
  "two tenants": twoTenants,
};

/** Traces whose requests follow each other's answers. */
const loops: Readonly<Record<string, MakeTrace>> = {
  "agent sessions": agentSessions(36),
  "agent sessions, full caches": agentSessions(60),
  "agents and chats, full caches": agentsAndChats(50),
};

export const traceNames = Object.keys(makers);
export const loopNames = Object.keys(loops);

/** The requests of a trace for a seed. */
export function traceOf(name: string, seed: number): Trace {
  const make = makers[name] ?? loops[name];
  const names = [...traceNames, ...loopNames];
  if (make === undefined) throw new Error(`no trace ${name}; there are: ${names.join(", ")}`);
  return { name, ...make(new Random(seed)) };
}

/**
 * Returns public traces, which are the same for all seeds, and named traces, each with a function that makes it for a seed.
 *
 * @param byDefault names to use if the caller gives neither names nor public traces
 */
export const chosenTraces = (
  traffic: readonly string[],
  names: readonly string[] | undefined,
  byDefault: readonly string[],
): ReadonlyArray<readonly [name: string, ofSeed: (seed: number) => Trace]> => [
  ...traffic.map((text) => {
    const trace = playedAs(text);
    return [text, () => trace] as const;
  }),
  ...(names ?? (traffic.length > 0 ? [] : byDefault)).map(
    (name) => [name, (seed: number) => traceOf(name, seed)] as const,
  ),
];
