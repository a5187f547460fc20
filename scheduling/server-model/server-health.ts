import type { Endpoint, LiveState } from "../endpoint.ts";
import { constants } from "../load-constants.ts";
import type { Chance } from "../request.ts";
import { roleOf } from "../roles.ts";
import { PrefillSpeeds } from "./prefill-speeds.ts";

/**
 * Health of model servers, judged by the responses to their requests. A server whose requests fail always looks idle,
 * so it would attract most requests. It is ejected instead: after `failuresInARow` failures it gets one request at a
 * time as a probe, with a growing delay, until one succeeds. If only one model fails there, only that model is ejected.
 */

const { backoffFactor, backoffJitter, failingModels, failuresInARow, firstBackoffMs } = constants;
const { longestBackoffMs, stallFactor, stallMs, unreadMs, unseenReadings } = constants;

/**
 * Outcome of a request for its server. `busy`: refused for now (429). `unknown-model`: the server does not serve the
 * model (404). `failed`: any other failure that does not come from the client.
 */
export type AnswerOutcome = "succeeded" | "failed" | "busy" | "unknown-model";

/** Failures in a row of a server, or of one model on it, since the last success. */
interface Failures {
  inARow: number;
  /** Number of back-offs, 0 until there were enough failures. */
  backoffs: number;
  /** Time of the next probe, in ms. */
  until: number;
  isBusy: boolean;
}

interface Server {
  readonly endpoint: Endpoint;
  /** Undefined if its last request succeeded. */
  failures: Failures | undefined;
  readonly models: Map<string, Failures>;
  /** Dispatch time of each request without a response, in ms, oldest first. */
  readonly inFlight: Map<object, number>;
  /** Time of the last success, in ms. */
  answeredAt: number;
  /** Unobserved requests that the metrics do not show yet. */
  unseen: number;
  /** Time since which the first of them is unobserved, in ms. */
  unseenSince: number;
  /** Readings of the metrics since then. */
  unseenReadings: number;
  /** Time of the last sign of work, in ms: a response, or metrics with higher counters. */
  progressAt: number;
  /** Sum of the generated tokens, first tokens and ended responses at the last reading. */
  progress: number;
}

/** An ejected server or model, for operators. */
export interface EjectedServer {
  readonly endpoint: string;
  /** Undefined if the whole server is ejected. */
  readonly model?: string;
  readonly backoffs: number;
  /** Time until the next probe, in ms. */
  readonly remainingMs: number;
}

export class ServerHealth {
  readonly #servers = new Map<LiveState, Server>();
  readonly #failing = new Set<LiveState>();
  readonly #speeds: Pick<PrefillSpeeds, "msPerToken">;

  constructor(speeds: Pick<PrefillSpeeds, "msPerToken"> = new PrefillSpeeds()) {
    this.#speeds = speeds;
  }

  /**
   * Returns the endpoints that may get a request: all that are not ejected, and at least half of each role. The ejected
   * ones whose probe is due first complete the half.
   *
   * @param model undefined if only ejections of whole servers count
   */
  fit(endpoints: readonly Endpoint[], model: string | undefined, now: number): readonly Endpoint[] {
    if (this.#failing.size === 0) return endpoints;
    const untilOf = new Map(
      [...this.#failing]
        .map((live) => [live, this.#heldUntil(live, model)] as const)
        .filter(([, until]) => until > now),
    );
    if (untilOf.size === 0) return endpoints;
    const held = endpoints
      .filter(({ live }) => untilOf.has(live))
      .sort((a, b) => (untilOf.get(b.live) as number) - (untilOf.get(a.live) as number));
    const left = new Map<string, number>();
    for (const { labels } of endpoints) {
      const role = roleOf(labels);
      left.set(role, (left.get(role) ?? 0) + 0.5);
    }
    const out = new Set<Endpoint>();
    for (const endpoint of held) {
      const role = roleOf(endpoint.labels);
      const most = left.get(role) ?? 0;
      if (most < 1) continue;
      left.set(role, most - 1);
      out.add(endpoint);
    }
    return endpoints.filter((endpoint) => !out.has(endpoint));
  }

  /** Records a dispatched request. If a probe of the server is due, this request is the probe. */
  sent(endpoint: Endpoint, request: object, model: string, { now, random }: Chance): void {
    const server = this.#serverOf(endpoint);
    for (const failures of [server.failures, server.models.get(model)])
      if (failures !== undefined && failures.backoffs > 0 && now >= failures.until)
        holdBack(failures, now, random);
    this.#judgeStall(server, { now, random });
    server.inFlight.set(request, now);
  }

  /** Records that the request's response began. */
  answered({ live }: Endpoint, request: object, now: number): void {
    const server = this.#servers.get(live);
    if (server?.inFlight.delete(request) === true) server.progressAt = now;
  }

  /**
   * Records that the request ended or is no longer observed, so that no response is expected. If a client gave up on a
   * server without progress, the server is ejected.
   */
  left({ live }: Endpoint, request: object, chance: Chance): void {
    const server = this.#servers.get(live);
    if (server?.inFlight.has(request) !== true) return;
    this.#judgeStall(server, chance);
    server.inFlight.delete(request);
  }

  /** Records the outcome of a request. */
  ended(endpoint: Endpoint, model: string, outcome: AnswerOutcome, { now, random }: Chance): void {
    const { live } = endpoint;
    const server = this.#serverOf(endpoint);
    if (outcome === "succeeded") {
      server.answeredAt = now;
      server.unseen = 0;
      server.failures = undefined;
      server.models.delete(model);
      if (server.models.size === 0) this.#failing.delete(live);
      return;
    }
    this.#failing.add(live);
    // Clients choose model names, so an unknown name must not eject a server.
    if (outcome !== "unknown-model") {
      server.failures ??= newFailures();
      failed(server.failures, outcome, now, random);
    }
    const ofModel = server.models.get(model) ?? newFailures();
    server.models.set(model, ofModel);
    const [oldest = model] = server.models.keys();
    if (server.models.size > failingModels) server.models.delete(oldest);
    failed(ofModel, outcome, now, random);
  }

  /**
   * Whether the picker may leave a request unobserved. It observes the requests of failing servers, and of servers
   * whose metrics show none of the unobserved requests. An unobserved response does not break off when the picker
   * stops.
   */
  mayLeave({ live }: Endpoint, model: string, now: number): boolean {
    const server = this.#servers.get(live);
    if (server === undefined || server.failures !== undefined || server.models.has(model))
      return false;
    const isOverdue =
      server.unseenReadings >= unseenReadings || now - server.unseenSince > unreadMs;
    if (server.unseen >= failuresInARow && isOverdue) return false;
    if (server.unseen === 0) {
      server.unseenSince = now;
      server.unseenReadings = 0;
    }
    server.unseen += 1;
    return true;
  }

  /** Records a reading of the server's metrics. */
  read(live: LiveState): void {
    const server = this.#servers.get(live);
    const { metrics } = live;
    if (server === undefined || metrics === undefined) return;
    const { generatedTokens = 0, firstTokens = 0, endedRequests = 0 } = metrics;
    const progress = generatedTokens + firstTokens + endedRequests;
    if (progress !== server.progress) server.progressAt = metrics.at;
    const has = metrics.runningRequests + metrics.waitingRequests > 0;
    if (has || progress !== server.progress) server.unseen = 0;
    server.unseenReadings += 1;
    server.progress = progress;
  }

  /** Time of the server's last success, in ms; -Infinity if there was none. */
  answeredAt(live: LiveState): number {
    return this.#servers.get(live)?.answeredAt ?? Number.NEGATIVE_INFINITY;
  }

  retain(servers: ReadonlySet<LiveState>): void {
    for (const live of this.#servers.keys()) {
      if (servers.has(live)) continue;
      this.#servers.delete(live);
      this.#failing.delete(live);
    }
  }

  /** Servers and models that get no requests now because their requests failed. */
  ejected(now: number): EjectedServer[] {
    return [...this.#failing].flatMap((live) => {
      const { endpoint, failures, models } = this.#servers.get(live) as Server;
      const all = [[undefined, failures] as const, ...models];
      return all.flatMap(([model, each]) =>
        each === undefined || each.until <= now
          ? []
          : {
              ...{ endpoint: endpoint.id, ...(model !== undefined && { model }) },
              ...{ backoffs: each.backoffs, remainingMs: Math.round(each.until - now) },
            },
      );
    });
  }

  #heldUntil(live: LiveState, model: string | undefined): number {
    const server = this.#servers.get(live);
    const ofModel = model === undefined ? undefined : server?.models.get(model);
    return Math.max(server?.failures?.until ?? 0, ofModel?.until ?? 0);
  }

  #judgeStall(server: Server, { now, random }: Chance): void {
    if (!this.#isStalled(server, now)) return;
    server.failures ??= newFailures();
    if (server.failures.backoffs === 0) holdBack(server.failures, now, random);
    this.#failing.add(server.endpoint.live);
  }

  #isStalled({ endpoint: { live }, inFlight, progressAt }: Server, now: number): boolean {
    const [oldest = now] = inFlight.values();
    const prompts = live.runningTokens * live.slowness * this.#speeds.msPerToken;
    return now - Math.max(oldest, progressAt) > stallMs + stallFactor * prompts;
  }

  #serverOf(endpoint: Endpoint): Server {
    const known = this.#servers.get(endpoint.live);
    if (known !== undefined) return known;
    const server: Server = {
      ...{ endpoint, failures: undefined, models: new Map(), inFlight: new Map() },
      ...{ answeredAt: Number.NEGATIVE_INFINITY, unseen: 0, unseenSince: 0, unseenReadings: 0 },
      ...{ progressAt: Number.NEGATIVE_INFINITY, progress: 0 },
    };
    this.#servers.set(endpoint.live, server);
    return server;
  }
}

const newFailures = (): Failures => ({ inARow: 0, backoffs: 0, until: 0, isBusy: false });

/** Records a failure. Once the server is ejected, failures change nothing: the next probe is already scheduled. */
function failed(
  failures: Failures,
  outcome: AnswerOutcome,
  now: number,
  random: () => number,
): void {
  failures.isBusy = outcome === "busy";
  if (failures.backoffs > 0) return;
  failures.inARow += 1;
  if (failures.inARow >= failuresInARow) holdBack(failures, now, random);
}

/** Schedules the next probe. The delay of a busy server does not grow, because the server has capacity again soon. */
function holdBack(failures: Failures, now: number, random: () => number): void {
  const grown = firstBackoffMs * backoffFactor ** (failures.isBusy ? 0 : failures.backoffs);
  const delay = Math.min(grown, longestBackoffMs);
  failures.until = now + delay * (1 + backoffJitter * (2 * random() - 1));
  failures.backoffs += 1;
}
