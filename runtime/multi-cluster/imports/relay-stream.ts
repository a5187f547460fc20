import { constants, type ServerHttp2Stream } from "node:http2";
import { status as grpcCodes } from "@grpc/grpc-js";
import { RequestError } from "../../../scheduling/requests/request-error.ts";
import { hopsHeader } from "../../../sdk/topology/multi-cluster-names.ts";
import type { BodyBudget } from "../../epp/request-path/body-budget.ts";
import { endAtOnce } from "../../epp/server/end-at-once.ts";
import { GrowingBody } from "../../epp/server/growing-body.ts";
import type { LimitedStream } from "../../epp/server/open-streams.ts";
import { refusalAnswer } from "../../epp/server/refusal-answer.ts";
import { frames, grpcStatus } from "../../manager/grpc/grpc-frames.ts";
import { PausedInput } from "../../manager/grpc/paused-input.ts";
import { peerAddress } from "../../manager/grpc/peer-address.ts";
import type { HeldBytes, Holder, Holding } from "../../manager/held-bytes.ts";
import type { NextStep } from "./cluster-route.ts";
import { firstMessage, hopsOfRequest } from "./hop-mark.ts";
import { parentStream } from "./parent-stream.ts";
import { pickerStream } from "./picker-stream.ts";
import type { StreamStatus, UpstreamEvents, UpstreamStream } from "./upstream-stream.ts";

/** A cluster to which a stream may be relayed. */
export interface Destination {
  readonly name: string;
  readonly usable: boolean;
  /** Whether it does not respond to probes. It is then tried after all clusters that respond. */
  readonly isLastResort?: boolean;
  next(): NextStep | undefined;
  /** Called when its picker has no endpoints for the request. */
  declined(): void;
}

/** Events of a relayed stream. */
export interface RelayEvents {
  /** The stream is sent to a cluster; undefined if no cluster can serve it. */
  sent(cluster: string | undefined): void;
  /** A cluster could not be reached or had no endpoints, before the stream had any response. */
  failedOver(cluster: string, error: Error): void;
  /** A cluster was lost when the stream could no longer fail over. */
  lost(cluster: string, error: Error): void;
}

export interface RelayOptions {
  /** Returns the clusters for a request with this hop count, in the order in which they are tried. */
  readonly destinations: (hops: number) => readonly Destination[];
  /** How often the stream was relayed before. */
  readonly hops: number;
  /** Name of the import, for error messages to clients. */
  readonly importName: string;
  /** Maximum size of a message that is parsed here, in bytes; -1 for no limit. */
  readonly maxReceiveBytes: number;
  /** Memory budget shared by all streams. */
  readonly budget: BodyBudget;
  /** Memory budget shared by all streams for bytes that wait for proxies and pickers. */
  readonly held: HeldBytes;
  /** Whether the proxy continues without its stream after the stream ends with OK. */
  readonly proxyGoesOn: boolean;
  readonly events: RelayEvents;
}

/**
 * Maximum bytes of a stream that are buffered until its cluster responds. A request that exceeds this, or the budget of
 * all streams, cannot fail over: if its cluster is lost before it responds, the stream fails.
 */
export const maxKeptBytes = 8 * 2 ** 20;

/**
 * Relays a proxy's stream to a cluster. Until the cluster responds, the proxy's bytes are buffered, so that the next
 * cluster can get them if this one is unreachable. After the first response, the stream ends as the cluster ends it.
 */
export class RelayStream implements LimitedStream, Holder {
  readonly #proxy: ServerHttp2Stream;
  readonly #options: RelayOptions;
  readonly #input: PausedInput;
  readonly #holding: Holding;
  #attempts: Destination[] = [];
  /** Names of the clusters that the request was sent to. */
  readonly #tried = new Set<string>();
  /** Undefined until the request headers have arrived. */
  #hops: number | undefined;
  #upstream: UpstreamStream | undefined;
  /** Undefined after the first response, and for a request that is too large to buffer. */
  #kept: GrowingBody | undefined;
  #answered = false;
  /** First refusal by a cluster without endpoints, sent to the client if no other cluster can serve the request. */
  #refusal: Buffer | undefined;
  /** Last responses, held until the cluster's stream ends, so that both reach the proxy in one write. */
  #last: Buffer[] | undefined;
  #proxyEnded = false;
  #over = false;
  #status: StreamStatus = { code: grpcStatus.ok, message: "" };

  constructor(proxy: ServerHttp2Stream, options: RelayOptions) {
    this.#proxy = proxy;
    this.#options = options;
    this.#input = new PausedInput(proxy, this.#count);
    this.#holding = options.held.enter(peerAddress(proxy), this);
    this.#kept = new GrowingBody(options.budget, () => this.#letGo());
    proxy.on("data", (bytes: Buffer) => this.#receive(bytes));
    proxy.on("end", () => {
      this.#proxyEnded = true;
      if (this.#hops === undefined && !this.#over) this.#begin(undefined);
      else this.#upstream?.end();
    });
    proxy.on("wantTrailers", () => this.#sendTrailers());
    // `close` follows each error, and ends the relay.
    proxy.on("error", () => {});
  }

  /** Status name with which the gRPC stream ended. */
  get outcome(): string {
    if (this.#status.code !== grpcStatus.ok) return statusName(this.#status.code);
    return this.#proxy.rstCode === constants.NGHTTP2_NO_ERROR ? "OK" : "CANCELLED";
  }

  /** Whether the cluster has not responded yet. */
  get waits(): boolean {
    return !this.#answered;
  }

  /** The headers were sent to a picker, which may queue the request. */
  get mayBeQueued(): boolean {
    return this.#hops !== undefined;
  }

  /** Called when the proxy's stream is closed. */
  close(): void {
    this.#over = true;
    this.#letGo();
    this.#upstream?.close();
    this.#holding.leave();
  }

  /** The bytes of the stream are needed for others. */
  evict(): void {
    this.#status = { code: grpcStatus.resourceExhausted, message: "" };
    this.#proxy.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    this.#proxy.destroy();
  }

  giveUpWaiting(seconds: number): void {
    const message = `the request was not complete, or got no response, within ${seconds} s`;
    this.#answerDirectly(frames([refusalAnswer(new RequestError("RequestTimeout", message))]));
  }

  /** Ends a stream that has been open for too long. */
  expire(): void {
    this.#end({ code: grpcStatus.deadlineExceeded, message: "" });
  }

  #receive(bytes: Buffer): void {
    if (this.#over) return;
    this.#relay(bytes);
    this.#count();
  }

  /** Updates the bytes that wait for the proxy to read them, or for the cluster. */
  readonly #count = (): void => {
    const last = this.#last?.reduce((sum, { length }) => sum + length, 0) ?? 0;
    const upstream = this.#upstream?.heldBytes() ?? 0;
    this.#holding.hold(this.#proxy.writableLength + last + upstream + this.#input.bytes);
  };

  #relay(bytes: Buffer): void {
    const before = this.#kept?.bytes.length;
    this.#keep(bytes);
    if (this.#hops !== undefined) this.#write(bytes);
    else if (this.#kept !== undefined) this.#beginOnceWhole(this.#kept.bytes);
    else if (before === 0) {
      // The budget is exhausted, so the request cannot fail over.
      this.#begin(firstMessage(bytes));
      this.#write(bytes);
    } else this.#end({ code: grpcStatus.resourceExhausted, message: "" });
  }

  #write(bytes: Buffer): void {
    if (this.#upstream?.write(bytes) === false) this.#input.pause();
  }

  #beginOnceWhole(bytes: Buffer): void {
    const message = firstMessage(bytes);
    if (message !== undefined) this.#begin(message);
  }

  /** Starts the attempts. The request headers contain the hop count, which limits the destinations. */
  #begin(headers: Buffer | undefined): void {
    const { hops } = this.#options;
    this.#hops = Math.max(hops, headers === undefined ? 0 : hopsOfRequest(headers));
    this.#attempts = this.#attemptsNow();
    this.#tryNext();
  }

  #keep(bytes: Buffer): void {
    try {
      this.#kept?.append(bytes, false);
    } catch {
      this.#letGo();
    }
  }

  #letGo(): void {
    this.#kept?.release();
    this.#kept = undefined;
  }

  #attemptsNow(): Destination[] {
    const found = this.#options.destinations(this.#hops ?? 0);
    const first = found.filter(({ isLastResort }) => !isLastResort);
    const last = found.filter(({ isLastResort }) => isLastResort);
    // Each is tried twice: a restarted picker, or another replica of it, responds on a new connection.
    return [...first, ...first, ...last, ...last];
  }

  #tryNext(): void {
    const next = this.#next();
    if (next === undefined) this.#refuse();
    else this.#send(next);
  }

  /**
   * Returns the next attempt. If no cluster is left, tries clusters that stopped responding since the request arrived,
   * as a last resort.
   */
  #next(): Attempt | undefined {
    const planned = firstUsable(this.#attempts);
    if (planned !== undefined || this.#tried.size === 0) return planned;
    this.#attempts = this.#attemptsNow().filter(({ name }) => !this.#tried.has(name));
    return firstUsable(this.#attempts);
  }

  #send({ to, step }: Attempt): void {
    const { events, maxReceiveBytes, proxyGoesOn } = this.#options;
    const own = this.#eventsOf(to);
    this.#tried.add(to.name);
    const hops = (this.#hops ?? 0) + 1;
    try {
      this.#upstream =
        step.kind === "picker"
          ? pickerStream(step.open(proxyGoesOn, hops), step.reach, own)
          : parentStream({ address: step.address, hops }, maxReceiveBytes, proxyGoesOn, own);
    } catch (error) {
      own.unavailable(error as Error);
      return;
    }
    events.sent(to.name);
    const kept = this.#kept?.bytes;
    const hasCapacity = kept === undefined || kept.length === 0 || this.#upstream.write(kept);
    if (this.#proxyEnded) this.#upstream.end();
    if (hasCapacity) this.#input.resume();
    else this.#input.pause();
  }

  #eventsOf(to: Destination): UpstreamEvents {
    return {
      answered: (bytes) => {
        if (this.#last === undefined) this.#answer(bytes);
        else this.#last.push(bytes);
        this.#count();
      },
      leaving: () => {
        if (this.#options.proxyGoesOn) this.#last = [];
      },
      drained: () => {
        this.#input.resume();
        this.#count();
      },
      ended: (status) => this.#end(status),
      declined: (answer) => this.#declined(to, answer),
      unavailable: (error) => this.#unavailable(to.name, error),
    };
  }

  /** Fails over to the next cluster. A cluster without endpoints is not tried again. */
  #declined(by: Destination, answer: Buffer): void {
    by.declined();
    this.#attempts = this.#attempts.filter((each) => each !== by);
    const mayGoOn = this.#kept !== undefined && this.#last === undefined;
    const next = mayGoOn ? this.#next() : undefined;
    if (next === undefined) {
      this.#answer(this.#refusal ?? answer);
      return;
    }
    this.#refusal ??= answer;
    this.#upstream?.close();
    this.#options.events.failedOver(by.name, new Error("it has no endpoints"));
    this.#send(next);
  }

  #unavailable(cluster: string, error: Error): void {
    if (this.#over) return;
    this.#upstream?.close();
    this.#last = undefined;
    if (this.#kept !== undefined) {
      this.#options.events.failedOver(cluster, error);
      this.#tryNext();
      return;
    }
    this.#options.events.lost(cluster, error);
    const message = encodeURI(`cluster ${cluster}: ${error.message}`);
    this.#end({ code: grpcStatus.unavailable, message });
  }

  #refuse(): void {
    this.#options.events.sent(undefined);
    this.#upstream = undefined;
    this.#answerDirectly(this.#refusal ?? this.#ownRefusal());
  }

  #ownRefusal(): Buffer {
    const { importName } = this.#options;
    const message = this.#hops
      ? `another cluster has already forwarded the request (${hopsHeader}: ${this.#hops}), and it is not forwarded again; route such requests to the pool of this cluster, not to InferencePoolImport ${importName}`
      : `no cluster of InferencePoolImport ${importName} can serve the request`;
    const refusal = new RequestError("ServiceUnavailable", message, {
      reason: "rejected-no-endpoints",
    });
    return frames([refusalAnswer(refusal)]);
  }

  #answerDirectly(answer: Buffer): void {
    this.#last = undefined;
    this.#answer(answer);
    this.#end({ code: grpcStatus.ok, message: "" });
  }

  #answer(bytes: Buffer): void {
    this.#answered = true;
    this.#letGo();
    if (this.#proxy.destroyed || this.#proxy.writableEnded) return;
    this.#respond();
    if (this.#proxy.write(bytes, this.#count)) return;
    this.#upstream?.pause();
    this.#proxy.once("drain", () => this.#upstream?.resume());
  }

  #end(status: StreamStatus): void {
    if (this.#over) return;
    this.#over = true;
    this.#status = status;
    this.#upstream?.close();
    this.#letGo();
    if (this.#proxy.destroyed || this.#proxy.writableEnded) return;
    this.#respond();
    if (this.#last !== undefined && status.code === grpcStatus.ok)
      endAtOnce(this.#proxy, Buffer.concat(this.#last));
    else this.#proxy.end();
    // Reads and drops the remaining bytes, so that the proxy is not blocked.
    this.#input.resume();
    this.#count();
  }

  #respond(): void {
    if (this.#proxy.headersSent) return;
    this.#proxy.respond(
      { ":status": 200, "content-type": "application/grpc" },
      { waitForTrailers: true },
    );
  }

  #sendTrailers(): void {
    if (this.#last !== undefined && this.#status.code === grpcStatus.ok) return;
    const { code, message } = this.#status;
    this.#proxy.sendTrailers({
      "grpc-status": String(code),
      ...(message !== "" && { "grpc-message": message }),
    });
  }
}

interface Attempt {
  readonly to: Destination;
  readonly step: NextStep;
}

/** Removes the attempts up to and including the first attempt that is possible now, and returns that attempt. */
function firstUsable(attempts: Destination[]): Attempt | undefined {
  for (let to = attempts.shift(); to !== undefined; to = attempts.shift()) {
    const step = to.usable ? to.next() : undefined;
    if (step !== undefined) return { to, step };
  }
  return undefined;
}

const statusName = (code: number): string => grpcCodes[code] ?? "UNKNOWN";
