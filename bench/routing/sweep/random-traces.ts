import type { SimulationOptions } from "../../../testing/model-server/simulation.ts";
import { arrivals, conversations, type Range, seconds } from "../arrivals.ts";
import { Random } from "../random.ts";
import type { Arrival, Trace } from "../trace.ts";
import { slowed } from "../traces.ts";

/** A percentile of fewer requests means little; more requests take long. */
const fewestRequests = 500;
const mostRequests = 8_000;

/** Time at which requests of this rate end. */
const lasting = (perSecond: number) => Math.max(40, fewestRequests / perSecond) * seconds;

const coming = (random: Random, requestsPerSecond: number, make: () => Omit<Arrival, "at">) =>
  arrivals(random, { requestsPerSecond, until: lasting(requestsPerSecond) }, make);

/** Model servers, drawn at random, and what is asked of them. */
interface Pool {
  readonly pods: number;
  readonly engine: Required<
    Pick<
      SimulationOptions,
      | "maxSequences"
      | "maxBatchedTokens"
      | "prefillTokensPerSecond"
      | "stepMs"
      | "stepMsPerSequence"
      | "cacheBlocks"
    >
  >;
  /** Tokens that a server's cache has room for. */
  readonly room: number;
  /** Tokens of answers, and of the end of a prompt that no other prompt shares. */
  readonly answers: Range;
  readonly ends: Range;
  /**
   * Requests per second that use the drawn share of the servers' capacity, if each request computes `newTokens` prompt
   * tokens.
   */
  rate(newTokens: number): number;
}

function poolOf(random: Random): Pool {
  const pods = random.oneOf([2, 3, 4, 6, 8, 12, 16]);
  const engine = {
    maxSequences: random.oneOf([8, 16, 32, 64, 128]),
    maxBatchedTokens: random.oneOf([2_048, 4_096, 8_192]),
    prefillTokensPerSecond: random.scaled(3_000, 30_000),
    stepMs: random.oneOf([5, 10, 20, 30]),
    stepMsPerSequence: 0.2,
    cacheBlocks: random.oneOf([3_072, 4_096, 8_192, 16_384]),
  };
  const answers = random.oneOf<Range>([
    [20, 80],
    [50, 150],
    [100, 400],
  ]);
  const ends = random.oneOf<Range>([
    [10, 60],
    [20, 200],
    [50, 500],
  ]);
  const used = 0.25 + 0.5 * random.next();
  return {
    ...{ pods, engine, answers, ends, room: 16 * engine.cacheBlocks },
    rate(newTokens) {
      const atOnce = 0.7 * engine.maxSequences;
      const stepMs = engine.stepMs + atOnce * engine.stepMsPerSequence;
      const answerSeconds = (meanOf(answers) * stepMs) / (seconds * atOnce);
      const promptSeconds = newTokens / engine.prefillTokensPerSecond;
      return Math.min(400, (pods * used) / (answerSeconds + promptSeconds));
    },
  };
}

type Made = Partial<Omit<Trace, "name">> & Pick<Trace, "requests" | "measureFrom">;

/** Questions, each behind one of `texts`. With a skew some texts are common and some rare. */
function behind(
  random: Random,
  { ends, answers }: Pool,
  of: { texts: readonly string[]; skew: number; rate: number },
): Arrival[] {
  const { texts, skew, rate } = of;
  return coming(random, rate, () => ({
    prompt: (texts[random.ranked(texts.length, skew)] ?? "") + random.text(random.between(...ends)),
    outputTokens: random.between(...answers),
  }));
}

const textsOf = (random: Random, count: number, tokens: number) =>
  Array.from({ length: count }, () => random.text(tokens));

function sharedPrompt(random: Random, pool: Pool): Made {
  const texts = textsOf(random, 1, Math.min(random.scaled(300, 10_000), pool.room / 4));
  const rate = pool.rate(meanOf(pool.ends));
  return { measureFrom: 8 * seconds, requests: behind(random, pool, { texts, skew: 0, rate }) };
}

function podDies(random: Random, pool: Pool): Made {
  return {
    ...sharedPrompt(random, pool),
    pods: pool.pods + 1,
    changes: [
      { at: 15 * seconds, pod: 0, change: "dies" },
      { at: 24 * seconds, pod: pool.pods, change: "joins" },
    ],
  };
}

/** Together they take three fifths of all caches at most. */
function prefixes(random: Random, pool: Pool, part = 1): Made {
  const tokens = random.scaled(500, 4_000);
  const most = Math.max(3, Math.floor((0.6 * pool.pods * pool.room) / tokens));
  const texts = textsOf(random, Math.min(most, random.scaled(3, 300)), tokens);
  const rate = part * pool.rate(meanOf(pool.ends) + 0.12 * tokens);
  const skew = random.oneOf([0, 0.7, 1.1]);
  return { measureFrom: 15 * seconds, requests: behind(random, pool, { texts, skew, rate }) };
}

function prefillAndDecode(random: Random, pool: Pool): Made {
  const pods = Math.max(4, pool.pods);
  const prefillers = Array.from({ length: pods >> 1 }, (_, pod) => pod);
  return { ...prefixes(random, { ...pool, pods }, 0.45), pods, prefillers };
}

function nothingShared(random: Random, pool: Pool, part = 1): Made {
  const tokens = random.oneOf<Range>([
    [100, 500],
    [500, 1_500],
    [1_000, 3_000],
  ]);
  const requests = coming(random, part * pool.rate(meanOf(tokens)), () => ({
    prompt: random.text(random.between(...tokens)),
    outputTokens: random.between(...pool.answers),
  }));
  return { measureFrom: 5 * seconds, requests };
}

function slowPod(random: Random, pool: Pool): Made {
  return { ...nothingShared(random, pool, 0.85), engineOf: { 0: slowed(2, pool.engine) } };
}

function talks(random: Random, pool: Pool, instructions: Range, asked: Range): Made {
  const tokens = random.scaled(...instructions);
  const texts = textsOf(random, random.oneOf([1, 3, 10]), tokens);
  const turns: Range = [3, 8];
  const rate = 0.8 * pool.rate(meanOf(asked) + 0.1 * tokens);
  const until = lasting(rate);
  const requests = conversations(random, {
    begins: (conversation) => texts[conversation % texts.length],
    ...{ startsPerSecond: rate / meanOf(turns), until, turns, asked, answered: pool.answers },
    pause: [3 * seconds, 3 * seconds],
  });
  const last = until + 10 * seconds;
  return { measureFrom: 12 * seconds, requests: requests.filter(({ at }) => at < last) };
}

function bursts(random: Random, pool: Pool): Made {
  const most = pool.pods * random.scaled(4, 12);
  const tokens = random.oneOf<Range>([
    [100, 400],
    [200, 800],
  ]);
  const rate = pool.rate(meanOf(tokens));
  const pause = (seconds * most) / rate;
  const until = lasting(rate);
  const requests: Arrival[] = [];
  for (let start = 0; start < until; start += pause * (0.4 + random.exponential(0.6)))
    for (let left = random.between(most >> 1, most); left > 0; left -= 1)
      requests.push({
        at: start + 20 * random.next(),
        prompt: random.text(random.between(...tokens)),
        outputTokens: random.between(...pool.answers),
      });
  return { measureFrom: 5 * seconds, requests: requests.sort((a, b) => a.at - b.at) };
}

/** One request in `every` is a long document. */
function documents(random: Random, pool: Pool): Made {
  const tokens = Math.min(20_000, Math.floor(0.3 * pool.room));
  const every = random.oneOf([20, 40, 80]);
  const short: Range = [50, 500];
  const requests = coming(random, pool.rate(tokens / every + meanOf(short)), () =>
    random.next() < 1 / every
      ? { prompt: random.text(tokens), outputTokens: 200 }
      : {
          prompt: random.text(random.between(...short)),
          outputTokens: random.between(...pool.answers),
        },
  );
  return { measureFrom: 5 * seconds, requests };
}

/** Half of the prompts begin alike, and one of ten is long. */
function mixed(random: Random, pool: Pool): Made {
  const common = random.text(1_500);
  const requests = coming(random, pool.rate(500), () => {
    const begins = random.next() < 0.5 ? common : "";
    const tokens = random.next() < 0.1 ? random.between(2_000, 4_000) : random.between(50, 600);
    return {
      prompt: begins + random.text(tokens),
      outputTokens: random.between(...pool.answers),
    };
  });
  return { measureFrom: 6 * seconds, requests };
}

/** Kinds of traffic by shared prefixes and by changes of pods. */
const kinds: Readonly<Record<string, (random: Random, pool: Pool) => Made>> = {
  "a shared prompt": sharedPrompt,
  prefixes,
  "nothing shared": nothingShared,
  chats: (random, pool) => talks(random, pool, [100, 2_000], [50, 300]),
  agents: (random, pool) => talks(random, pool, [2_000, 6_000], [100, 1_000]),
  bursts,
  documents,
  "a slow pod": slowPod,
  "a pod dies": podDies,
  "prefill and decode": prefillAndDecode,
  mixed,
};

/** The trace of a number: what it is, its servers and its load are drawn at random, the same for a number. */
export function randomTrace(number: number): Trace {
  const random = new Random(1_000_003 * number);
  const pool = poolOf(random);
  const [kind, make] = random.oneOf(Object.entries(kinds));
  const { pods, engine } = pool;
  const made = { pods, engine, ...make(random, pool) };
  const requests = made.requests.slice(0, mostRequests);
  const { maxSequences, prefillTokensPerSecond, stepMs, cacheBlocks } = engine;
  const servers = `${made.pods} pods of ${maxSequences} sequences, ${prefillTokensPerSecond} tokens/s, ${stepMs} ms, ${cacheBlocks} blocks`;
  return { ...made, requests, name: `${number}: ${kind}, ${servers}` };
}

function meanOf([least, most]: Range): number {
  return (least + most) / 2;
}
