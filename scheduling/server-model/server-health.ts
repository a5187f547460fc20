import type { Endpoint, LiveState } from "../endpoints/endpoint.ts";
import { roleOf } from "../endpoints/roles.ts";
import { constants } from "../load-constants.ts";
import type { Chance } from "../requests/request.ts";
import { FailingSources } from "./failing-sources.ts";
import {
  type AnswerOutcome,
  added,
  type Evidence,
  type Failures,
  failed,
  holdBack,
  newFailures,
  type Source,
  withdraw,
} from "./failures.ts";
import { PrefillSpeeds } from "./prefill-speeds.ts";

/**
 * Health of model servers, judged by the responses to their requests. A server whose requests fail always looks idle,
 * so it would attract most requests. It is ejected instead: after `inARow` failures it gets one request at a
 * time as a probe, with a growing delay, until one succeeds. If only one model fails there, only that model is ejected.
 *
 * A client or a model whose requests fail on most servers shows nothing about one of them. Each of its failures counts
 * as a part of a failure, and the failures that counted in full before are withdrawn.
 */

const { inARow, lagMs, listItems, mostNames, recentMs } = constants;
const { stallFactor, startMs, suspectPart, unreadMs } = constants;

interface Server {
  readonly endpoint: Endpoint;
  /** Undefined if its last request succeeded. */
  failures: Failures | undefined;
  readonly models: Map<string, Failures>;
  /** By client. */
  readonly clients: Map<string, Failures>;
  /** Requests without a response, with their dispatch time in ms, oldest first. */
  readonly inFlight: Map<object, { readonly at: number; readonly source: Source }>;
  /** Time of the last success, in ms. */
  answeredAt: number;
  /** Unobserved requests that the metrics do not show yet. */
  unseen: number;
  /** Time since which the first of them is unobserved, in ms. */
  unseenSince: number;
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
  readonly #failingClients = new FailingSources();
  readonly #listItems = new FailingSources();
  /** Models that some server served. Clients can make up other names. */
  readonly #knownModels = new Set<string>();

  constructor(speeds: Pick<PrefillSpeeds, "msPerToken"> = new PrefillSpeeds()) {
    this.#speeds = speeds;
  }

  /**
   * Returns the endpoints that may get a request: all that are not ejected, and at least half of each role. Ejected
   * endpoints are added until the half is complete; the endpoint whose probe is due first is added first.
   *
   * @param model undefined if only ejections of whole servers count
   * @param clients address and tenant of the client, as far as known
   */
  fit(
    endpoints: readonly Endpoint[],
    model: string | undefined,
    now: number,
    clients: readonly string[] = [],
  ): readonly Endpoint[] {
    if (this.#failing.size === 0) return endpoints;
    const untilOf = new Map(
      [...this.#failing]
        .map((live) => [live, this.#heldUntil(live, model, clients)] as const)
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
  sent(
    endpoint: Endpoint,
    request: object,
    model: string,
    { now, random }: Chance,
    clients: readonly string[] = [],
  ): void {
    const server = this.#serverOf(endpoint);
    const source = { model, clients };
    this.#judgeStall(server, { now, random });
    server.inFlight.set(request, { at: now, source });
    if (this.#isSuspect(source, now)) return;
    const ofClients = clients.map((client) => server.clients.get(client));
    for (const failures of [server.failures, server.models.get(model), ...ofClients])
      if (failures !== undefined && failures.backoffs > 0 && now >= failures.until)
        holdBack(failures, now, random);
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
  ended(
    endpoint: Endpoint,
    model: string,
    outcome: AnswerOutcome,
    { now, random }: Chance,
    clients: readonly string[] = [],
  ): void {
    const { live } = endpoint;
    const server = this.#serverOf(endpoint);
    if (outcome === "succeeded") {
      this.#succeeded(server, model, clients, now);
      return;
    }
    this.#failing.add(live);
    const source = { model, clients };
    // A server without the model does not fail. A busy server refuses all clients and models, whichever of them sent
    // too much.
    if (outcome === "failed") this.#blame(source, live, now);
    const part = outcome === "failed" && this.#isSuspect(source, now) ? suspectPart : 1;
    const failure = { part, source, now, random };
    // Clients choose model names, so an unknown name must not eject a server.
    if (outcome !== "unknown-model") {
      server.failures ??= newFailures();
      failed(server.failures, failure);
      for (const client of clients) failed(added(server.clients, client), failure);
    }
    failed(added(server.models, model, this.#knownModels), failure);
  }

  /**
   * Whether the picker may leave a request unobserved. It observes the requests of failing servers, and of servers
   * whose metrics show none of the unobserved requests. An unobserved response does not break off when the picker
   * stops.
   */
  mayLeave(
    { live }: Endpoint,
    model: string,
    now: number,
    clients: readonly string[] = [],
  ): boolean {
    const server = this.#servers.get(live);
    if (server === undefined || server.failures !== undefined || server.models.has(model))
      return false;
    if (this.#listItems.awaits(model, server.endpoint.live, now)) return false;
    if (clients.some((client) => this.#failingClients.awaits(client, server.endpoint.live, now)))
      return false;
    const readAt = live.metrics?.at ?? Number.NEGATIVE_INFINITY;
    const isOverdue = readAt - server.unseenSince >= lagMs || now - server.unseenSince > unreadMs;
    if (server.unseen >= inARow && isOverdue) return false;
    if (server.unseen === 0) server.unseenSince = now;
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
    server.progress = progress;
    const [oldest] = server.clients;
    if (oldest !== undefined && oldest[1].until + recentMs < metrics.at) {
      server.clients.delete(oldest[0]);
      this.#forgetIfWell(server);
    }
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

  #succeeded(server: Server, model: string, clients: readonly string[], now: number): void {
    const { live } = server.endpoint;
    server.answeredAt = now;
    server.unseen = 0;
    server.failures = undefined;
    server.models.delete(model);
    for (const client of clients) {
      server.clients.delete(client);
      this.#failingClients.succeeded(client, live, now);
    }
    this.#listItems.succeeded(model, live, now);
    if (!this.#knownModels.has(model) && this.#knownModels.size < mostNames)
      this.#knownModels.add(model);
    this.#forgetIfWell(server);
  }

  #forgetIfWell({ failures, models, clients, endpoint }: Server): void {
    if (failures === undefined && models.size + clients.size === 0)
      this.#failing.delete(endpoint.live);
  }

  #heldUntil(live: LiveState, model: string | undefined, clients: readonly string[]): number {
    const server = this.#servers.get(live);
    const ofModel = model === undefined ? undefined : server?.models.get(model);
    const ofClients = clients.map((client) => server?.clients.get(client)?.until ?? 0);
    return Math.max(server?.failures?.until ?? 0, ofModel?.until ?? 0, ...ofClients);
  }

  #isSuspect({ model, clients }: Source, now: number): boolean {
    return (
      (this.#listItems.isSuspect(model, now) && this.#servesOthers(model)) ||
      clients.some((client) => this.#failingClients.isSuspect(client, now))
    );
  }

  /** Whether servers serve other models: otherwise a model that fails on most of them shows that they fail. */
  #servesOthers(model: string): boolean {
    return this.#knownModels.size > (this.#knownModels.has(model) ? 1 : 0);
  }

  /** Records a failure of a source. If the source becomes suspect by it, its earlier failures count in part as well. */
  #blame({ model, clients }: Source, live: LiveState, now: number): void {
    for (const client of clients)
      if (this.#failingClients.failed(client, live, now))
        this.#withdraw(({ source }) => source.clients.includes(client));
    // The failures of a suspect client show nothing about its model.
    if (clients.some((client) => this.#failingClients.isSuspect(client, now))) return;
    if (this.#listItems.failed(model, live, now) && this.#servesOthers(model))
      this.#withdraw(({ source }) => source.model === model);
  }

  #withdraw(isSuspect: (evidence: Evidence) => boolean): void {
    for (const live of this.#failing) {
      const { failures, models, clients } = this.#servers.get(live) as Server;
      for (const each of [...(failures ? [failures] : []), ...models.values(), ...clients.values()])
        withdraw(each, isSuspect);
    }
  }

  #judgeStall(server: Server, { now, random }: Chance): void {
    const source = this.#stalledSource(server, now);
    if (source === undefined) return;
    if ((server.failures?.backoffs ?? 0) > 0) return;
    const { live } = server.endpoint;
    this.#blame(source, live, now);
    if (this.#isSuspect(source, now)) return;
    server.failures ??= newFailures();
    const evidence = { source, failures: inARow };
    server.failures.inARow += inARow;
    server.failures.evidence = [...server.failures.evidence, evidence];
    holdBack(server.failures, now, random);
    this.#failing.add(live);
  }

  /**
   * Returns the source of a request for which the server makes no progress, a suspect one if there is no other;
   * undefined if it makes progress.
   */
  #stalledSource(server: Server, now: number): Source | undefined {
    const { inFlight, progressAt } = server;
    const { live } = server.endpoint;
    const prompts = live.runningTokens * live.slowness * this.#speeds.msPerToken;
    const longest = startMs + stallFactor * prompts;
    if (now - progressAt <= longest) return undefined;
    let suspect: Source | undefined;
    let count = 0;
    for (const { at, source } of inFlight.values()) {
      if (now - at <= longest || count === listItems) break;
      if (!this.#isSuspect(source, now)) return source;
      suspect ??= source;
      count += 1;
    }
    return suspect;
  }

  #serverOf(endpoint: Endpoint): Server {
    const known = this.#servers.get(endpoint.live);
    if (known !== undefined) return known;
    const server: Server = {
      ...{ endpoint, failures: undefined, models: new Map(), clients: new Map() },
      inFlight: new Map(),
      ...{ answeredAt: Number.NEGATIVE_INFINITY, unseen: 0, unseenSince: 0 },
      ...{ progressAt: Number.NEGATIVE_INFINITY, progress: 0 },
    };
    this.#servers.set(endpoint.live, server);
    return server;
  }
}
