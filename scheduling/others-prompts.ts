import type { LiveState, ModelServerMetrics } from "./endpoint.ts";
import { StepTime } from "./step-time.ts";

/** Prompts of this picker that stand for those of others, the newest. */
const remembered = 256;

/** Milliseconds over which the fewest requests without an answer are taken for none: counters may not agree for ever. */
const memory = 10_000;

/** Milliseconds after which metrics that say the same are of another step of the engine. */
const longestStep = 500;

/** What a model server's counters say of requests whose answers have not begun, but for a number that stays the same. */
interface Counted {
  readonly at: number;
  readonly firstTokens: number;
  readonly open: number;
}

/** The least `open` of this stretch of `memory`, and of the one before. */
interface Least {
  readonly since: number;
  readonly now: number;
  readonly before: number;
}

/** A prompt that a server computes now. */
interface Head {
  readonly since: number;
  /** Tokens of this picker that were in front of it then. */
  readonly ownTokens: number;
}

interface Server {
  last: Counted | undefined;
  least: Least;
  /** Others' requests whose answers have not begun. */
  requests: number;
  /** Their first one. */
  head: Head;
  readonly step: StepTime;
  /** The prompt that is computed in the step, if there is one. */
  inStep: Head;
  /** The step takes so long that there is one. */
  isLong: boolean;
}

/**
 * Prompt tokens that other replicas of the picker sent to a model server, and that it has not computed yet. The server says
 * how many requests it has, how many answers have begun and how many have ended: the rest have prompts to compute. How
 * long these are nobody tells, but a gateway gives every replica requests alike, so that others' prompts are as long as
 * this one's. And one that is computed for a while already has had so many tokens: it is as long as those of this one's
 * that have more. So a document is known soon after it came, and short prompts are not taken for one. What came during a step is
 * not counted before the next one ends, which may compute it: a step that takes long has such a prompt in it.
 */
export class OthersPrompts {
  readonly #servers = new Map<LiveState, Server>();
  readonly #sizes = new Float64Array(remembered);
  #sent = 0;

  /** This picker sent a prompt with so many tokens to compute. */
  sent(tokens: number): void {
    this.#sizes[this.#sent % remembered] = tokens;
    this.#sent += 1;
  }

  /**
   * A server's metrics were read. Writes `othersTokens`.
   * @param msPerToken milliseconds in which a server of the pool computes a prompt token
   */
  settle(live: LiveState, msPerToken: number): void {
    const { metrics, reading } = live;
    const counted = metrics && countedOf(metrics);
    if (metrics === undefined || counted === undefined || reading === undefined) {
      live.othersTokens = 0;
      return;
    }
    const server = this.#server(live);
    const { last, inStep, isLong } = server;
    server.isLong = server.step.read(metrics);
    if (server.step.since === counted.at)
      server.inStep = { since: counted.at, ownTokens: live.runningTokens };
    if (last === undefined || counted.at - last.at >= longestStep || !isAlike(counted, last)) {
      server.last = counted;
      server.least = leastOf(server.least, counted);
      const prefilling = counted.open - Math.min(server.least.now, server.least.before);
      const others = Math.max(0, prefilling - reading.prefillingBefore);
      const hasBegun = last?.firstTokens !== counted.firstTokens;
      if (server.requests === 0 || hasBegun)
        server.head = isLong && !hasBegun ? inStep : server.inStep;
      server.requests = Math.min(others, reading.othersNow);
    }
    live.othersTokens = this.#tokensOf(server, counted.at, msPerToken);
  }

  /** Forgets servers that are not among these. */
  retain(servers: ReadonlySet<LiveState>): void {
    for (const live of this.#servers.keys()) if (!servers.has(live)) this.#servers.delete(live);
  }

  #server(live: LiveState): Server {
    let server = this.#servers.get(live);
    if (server === undefined) {
      server = {
        ...{ last: undefined, requests: 0, step: new StepTime() },
        least: {
          since: Number.NEGATIVE_INFINITY,
          now: Number.POSITIVE_INFINITY,
          before: Number.POSITIVE_INFINITY,
        },
        head: { since: 0, ownTokens: 0 },
        inStep: { since: 0, ownTokens: 0 },
        isLong: false,
      };
      this.#servers.set(live, server);
    }
    return server;
  }

  #tokensOf({ requests, head, inStep, isLong }: Server, at: number, msPerToken: number): number {
    const computed = ({ since, ownTokens }: Head) => (at - since) / msPerToken - ownTokens;
    if (requests > 0)
      return this.#beyond(Math.max(0, computed(head))) + (requests - 1) * this.#beyond(0);
    const untold = isLong ? computed(inStep) : 0;
    return untold > 0 ? this.#beyond(untold) : 0;
  }

  /** What is left on the average of this picker's prompts that have more than so many tokens; as many again where none has. */
  #beyond(tokens: number): number {
    let [sum, count] = [0, 0];
    for (const size of this.#sizes.subarray(0, Math.min(this.#sent, remembered))) {
      if (size <= tokens) continue;
      sum += size;
      count += 1;
    }
    return count === 0 ? tokens : sum / count - tokens;
  }
}

/** Undefined where the server does not count answers. */
function countedOf({
  at,
  runningRequests,
  waitingRequests,
  firstTokens,
  endedRequests,
}: ModelServerMetrics): Counted | undefined {
  if (firstTokens === undefined || endedRequests === undefined) return undefined;
  const open = runningRequests + waitingRequests + endedRequests - firstTokens;
  return { at, firstTokens, open };
}

/** Both are of the same step of the engine, or nothing happened between them. */
const isAlike = (one: Counted, other: Counted): boolean =>
  one.firstTokens === other.firstTokens && one.open === other.open;

/** With each answer that breaks off `open` is one less for good, as servers do not count it among those that ended. */
function leastOf({ since, now, before }: Least, { at, open }: Counted): Least {
  if (at - since > memory) return { since: at, now: open, before: now };
  return { since, now: Math.min(now, open), before };
}
