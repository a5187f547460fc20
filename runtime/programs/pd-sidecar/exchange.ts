import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  encoderHeader,
  prefilledByHeader,
  prefillerHeader,
  prefillFailedHeader,
} from "../../../scheduling/requests/routing-headers.ts";
import { mayBeJson } from "../../epp/payload/json-type.ts";
import { cachedTokensRewriter, isEventStream, isReadable } from "./cached-tokens.ts";
import type { Legs } from "./connectors/connector.ts";
import { discard } from "./discard.ts";
import { encode } from "./encode.ts";
import { answered, type EngineRequest, EngineUnreachable, Leg } from "./engine.ts";
import { Refusal } from "./errors.ts";
import { engineHeaders, passedHeaders, requestIdHeader, type TraceHeaders } from "./headers.ts";
import type { LegSpans } from "./leg-spans.ts";
import { multimodalParts } from "./multimodal-parts.ts";
import { type PrefillRequest, type PrefillResult, prefill } from "./prefill.ts";
import { ReceivedBody } from "./received-body.ts";
import { type RelayOptions, refuseWith, relay } from "./relay.ts";
import { type DisaggregatedApi, disaggregatedApi } from "./request-apis.ts";
import type { Members, RequestBody } from "./request-body.ts";
import type { Sidecar } from "./sidecar.ts";
import type { LocalReason } from "./sidecar-metrics.ts";
import type { StageResult } from "./stage-request.ts";
import { readTarget, readTargets, type Target } from "./targets.ts";

/** A request whose prompt a prefiller computes. */
interface Disaggregation {
  readonly api: DisaggregatedApi;
  readonly body: RequestBody;
  readonly prefiller: Target;
  /** Headers added to both legs. */
  readonly added: Readonly<Record<string, string>>;
}

type Unfinished = Exclude<StageResult<unknown>, { kind: "done" }>;

/** A client's request and the requests to engines that serve it. */
export class Exchange {
  readonly #sidecar: Sidecar;
  readonly #decoder: Target;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #prefillLeg = new Leg();
  readonly #decodeLeg = new Leg();
  readonly #encodeLegs: Leg[] = [];
  #gone = false;
  /** The failed prefiller and the reason, as in the `x-prefill-failed` header. */
  #failed: string | undefined;
  #received: ReceivedBody | undefined;
  /** Undefined if no spans are recorded. */
  #spans: LegSpans | undefined;

  constructor(
    sidecar: Sidecar,
    decoder: Target,
    request: IncomingMessage,
    response: ServerResponse,
  ) {
    this.#sidecar = sidecar;
    this.#decoder = decoder;
    this.#request = request;
    this.#response = response;
    response.once("close", () => {
      this.#gone = true;
      this.#received?.release();
      for (const leg of [...this.#encodeLegs, this.#prefillLeg, this.#decodeLeg]) leg.cancel();
      this.#spans?.end(response.writableFinished ? response.statusCode : undefined);
    });
  }

  /** @throws Refusal if the sidecar must respond with an error */
  async serve(): Promise<void> {
    const { method = "", url = "" } = this.#request;
    const api = disaggregatedApi(method, url);
    if (api === undefined && !carriesJson(this.#request)) return this.#passThrough();
    if (api !== undefined) this.#spans = this.#sidecar.spansOf?.(this.#request, api.name);
    this.#received = new ReceivedBody(this.#request, this.#sidecar.budget, api !== undefined);
    const { bytes, body } = await this.#received.whole();
    const prefiller = api && this.#prefiller();
    if (body === undefined) return this.#decode(bytes);
    if (api === undefined) return this.#decode(body.plain);
    this.#sidecar.metrics.asked(api.name, prefiller !== undefined);
    this.#spans?.prefilledBy(prefiller?.address);
    const encoders = this.#encoders(api);
    if (prefiller === undefined && encoders.length === 0) return this.#decode(body.plain);
    const given = this.#request.headers[requestIdHeader];
    const id = typeof given === "string" ? given : randomUUID();
    const encoded = encoders.length === 0 ? body : await this.#encode(body, encoders, id);
    if (encoded === undefined || this.#gone) return;
    const added = { [requestIdHeader]: id };
    if (prefiller === undefined) return this.#decode(encoded.plain, added);
    return this.#disaggregate({ api, body: encoded, prefiller, added });
  }

  /** Returns the encoders for the images and sounds of a chat; empty if the other engines encode them. */
  #encoders({ name }: DisaggregatedApi): Target[] {
    const named = this.#request.headers[encoderHeader];
    const { encoderConnector, allowedEncoders, metrics, log } = this.#sidecar;
    if (named === undefined || encoderConnector === undefined || name !== "chat") return [];
    const targets = readTargets(named).flatMap((address) => readTarget(address) ?? []);
    const allowed = targets.filter((target) => allowedEncoders.has(target));
    if (allowed.length > 0) return allowed;
    metrics.encodedLocally("not-allowed");
    log.warn("encoders not allowed", { encoders: String(named) });
    return [];
  }

  /** Returns the body with the encoders' transfer parameters; undefined if the client has its response. */
  async #encode(
    body: RequestBody,
    encoders: readonly Target[],
    id: string,
  ): Promise<RequestBody | undefined> {
    const parts = multimodalParts(body);
    if (parts.length === 0) return body;
    const result = await encode(this.#sidecar, {
      ...{ body, parts, encoders },
      requestOf: (encoder, bytes, at) =>
        this.#engineRequest(encoder, bytes, { [requestIdHeader]: `${id}-enc-${at}` }, undefined),
      onLeg: (leg) => this.#encodeLegs.push(leg),
    });
    if (result.kind === "done") return body.carrying(result.answer ?? {});
    if (this.#gone) return undefined;
    const reason = await this.#handOn(result);
    if (reason === undefined) return undefined;
    if (this.#sidecar.prefillFallback === "fail")
      throw new Refusal(502, "BadGateway", "An encoder did not respond.");
    this.#sidecar.metrics.encodedLocally(reason);
    return body;
  }

  /**
   * Relays a refusal, and also a failure unless the prefill fallback is `local`. Returns the reason of the failure if
   * the client has no response yet.
   */
  async #handOn(result: Unfinished): Promise<LocalReason | undefined> {
    if (result.kind === "refused") {
      refuseWith(result.message, result.body, this.#response);
      return undefined;
    }
    const { message, reason } = result;
    if (message === undefined) return reason;
    if (this.#sidecar.prefillFallback === "local") {
      discard(message);
      return reason;
    }
    await relay(message, this.#response, this.#sidecar.turns);
    return undefined;
  }

  /** Returns the prefiller; undefined if the decoder prefills. */
  #prefiller(): Target | undefined {
    const named = this.#request.headers[prefillerHeader];
    if (named === undefined) return undefined;
    const { podIp, allowed, choosePrefiller } = this.#sidecar;
    const address = choosePrefiller(readTargets(named));
    if (address === undefined) return undefined;
    const target = readTarget(address);
    if (target?.host === podIp) return this.#locally("same-pod", address);
    if (target !== undefined && allowed.has(target)) return target;
    this.#sidecar.log.warn("prefiller not allowed", { prefiller: address });
    const denied = "Forbidden: prefill target not allowed by SSRF protection";
    return this.#locally("not-allowed", address, new Refusal(403, "Forbidden", denied));
  }

  /**
   * Counts a request that the decoder prefills although it named a prefiller.
   *
   * @throws Refusal if `refusal` is given and the prefill fallback is `fail`
   */
  #locally(reason: LocalReason, address: string, refusal?: Refusal): undefined {
    if (reason !== "same-pod") this.#failed = `${address} ${reason}`;
    if (refusal !== undefined && this.#sidecar.prefillFallback === "fail") {
      this.#response.setHeader(prefillFailedHeader, `${address} ${reason}`);
      throw refusal;
    }
    this.#sidecar.metrics.prefilledLocally(reason);
    return undefined;
  }

  async #disaggregate(asked: Disaggregation): Promise<void> {
    const legs = await this.#legs(asked);
    if (legs === undefined) return this.#decode(asked.body.plain, asked.added);
    return this.#sidecar.connector.order === "at-once"
      ? this.#atOnce(asked, legs)
      : this.#prefillFirst(asked, legs);
  }

  async #legs({ prefiller }: Disaggregation): Promise<Legs | undefined> {
    try {
      return await this.#sidecar.connector.legs(prefiller);
    } catch (error) {
      const { address } = prefiller;
      this.#sidecar.log.warn("no transfer", { prefiller: address, error: String(error) });
      return this.#locally("unreachable", address, noPrefiller(address));
    }
  }

  async #prefillFirst(asked: Disaggregation, legs: Legs): Promise<void> {
    const result = await this.#prefill(asked, legs);
    if (this.#gone) return;
    if (result.kind !== "done") return this.#withoutPrefill(asked, result);
    const members = legs.decode(result.answer, (field) =>
      this.#sidecar.refusedTransfers.add(asked.prefiller.address, field),
    );
    if (members !== undefined)
      return this.#relayTransferred(asked, result.answer.cachedTokens, () =>
        this.#askDecoder(asked.body.with(members), asked.added),
      );
    this.#locally("no-transfer", asked.prefiller.address);
    return this.#decode(asked.body.plain, asked.added);
  }

  /** Runs both legs concurrently. A failed leg ends the other leg, whose engine would otherwise wait for its peer. */
  async #atOnce(asked: Disaggregation, legs: Legs): Promise<void> {
    const members = legs.decode({ transfer: undefined }, () => {}) as Members;
    const prefilled = this.#prefill(asked, legs);
    const decoded = this.#askDecoder(asked.body.with(members), asked.added);
    const decoderFailed = decoded.then(
      ({ statusCode = 0 }) => statusCode >= 400,
      () => true,
    );
    const prefillIsDone = prefilled.then(() => false);
    if (
      !(await Promise.race([
        decoderFailed.then((failed) => failed || prefillIsDone),
        prefillIsDone,
      ]))
    ) {
      const result = await prefilled;
      if (this.#gone) return;
      if (result.kind !== "done") {
        decoded.then((message) => message.destroy()).catch(() => {});
        this.#decodeLeg.abandon();
        return this.#withoutPrefill(asked, result);
      }
    }
    await this.#relayTransferred(asked, undefined, () => decoded);
    this.#prefillLeg.cancel();
  }

  async #prefill(asked: Disaggregation, legs: Legs): Promise<PrefillResult> {
    const span = this.#spans?.prefill(asked.prefiller.address);
    const request = this.#prefillRequest(asked, legs, span?.headers);
    const result = await prefill(this.#sidecar, request);
    span?.end(result);
    return result;
  }

  #prefillRequest(
    { api, body, prefiller, added }: Disaggregation,
    legs: Legs,
    trace: TraceHeaders | undefined,
  ): PrefillRequest {
    const { order, oneToken } = this.#sidecar.connector;
    const bytes = oneToken
      ? body.with({ stream: "false", ...api.oneToken(body), ...legs.prefill }, ["stream_options"])
      : body.with(legs.prefill);
    return {
      request: this.#engineRequest(prefiller, bytes, { ...added, ...legs.prefillHeaders }, trace),
      body: bytes,
      leg: this.#prefillLeg,
      readsAnswer: order === "prefill-first",
      onBroken: () => this.#decodeLeg.cancel(),
    };
  }

  /** Relays the prefiller's refusal; after another failure, the decoder prefills. */
  async #withoutPrefill(
    { body, prefiller, added }: Disaggregation,
    result: Unfinished,
  ): Promise<void> {
    const reason = await this.#handOn(result);
    if (reason === undefined) return;
    this.#locally(reason, prefiller.address, noPrefiller(prefiller.address));
    return this.#decode(body.plain, added);
  }

  /**
   * Relays the decoder's response, with the prefiller's number of cached tokens if it is known. The transfer may be the
   * cause of a 5xx response: the request is then sent to the decoder once more, without the transfer.
   */
  async #relayTransferred(
    { body, prefiller, added }: Disaggregation,
    cachedTokens: number | undefined,
    ask: () => Promise<IncomingMessage>,
  ): Promise<void> {
    const message = await ask();
    if ((message.statusCode as number) >= 500) {
      discard(message);
      this.#prefillLeg.cancel();
      this.#sidecar.metrics.repeated();
      this.#failed = `${prefiller.address} transfer`;
      return this.#decode(body.plain, added);
    }
    const { headers } = message;
    const rewriter =
      cachedTokens === undefined || !isReadable(headers)
        ? undefined
        : cachedTokensRewriter(cachedTokens, isEventStream(headers));
    return this.#relay(message, { rewriter, added: [prefilledByHeader, prefiller.address] });
  }

  /** Lets the decoder serve the whole request. */
  async #decode(body: Buffer, added: Readonly<Record<string, string>> = {}): Promise<void> {
    return this.#relay(await this.#askDecoder(body, added));
  }

  async #relay(message: IncomingMessage, options?: RelayOptions): Promise<void> {
    const since = performance.now();
    const { metrics, turns } = this.#sidecar;
    const bytes = await relay(message, this.#response, turns, this.#reporting(message, options));
    metrics.moved("decode", "received", bytes);
    metrics.ended("decode", message.complete ? "ok" : "failed", since);
    this.#spans?.decoded(message.statusCode, message.complete);
  }

  /** Reports the failed prefiller to the picker if the decoder succeeded without it: the request was not the cause. */
  #reporting(
    { statusCode = 0 }: IncomingMessage,
    options: RelayOptions | undefined,
  ): RelayOptions | undefined {
    if (this.#failed === undefined || statusCode >= 400) return options;
    return { ...options, added: [...(options?.added ?? []), prefillFailedHeader, this.#failed] };
  }

  async #askDecoder(
    body: Buffer,
    added: Readonly<Record<string, string>>,
  ): Promise<IncomingMessage> {
    const { decoders, metrics } = this.#sidecar;
    metrics.moved("decode", "sent", body.length);
    const { host, port } = this.#decoder;
    const trace = this.#spans?.decode(`${host}:${port}`);
    const request = this.#engineRequest(this.#decoder, body, added, trace);
    return decoders.send(request, body, this.#decodeLeg).catch(refuseFor);
  }

  #engineRequest(
    { host, port }: Target,
    body: Buffer,
    added: Readonly<Record<string, string>>,
    trace: TraceHeaders | undefined,
  ): EngineRequest {
    const { method, url: path } = this.#request;
    const headers = engineHeaders(this.#request, body, added, trace);
    return { host, port, method, path, headers };
  }

  /** Streams a request without JSON to the decoder unchanged. */
  async #passThrough(): Promise<void> {
    const { method, url: path } = this.#request;
    const { host, port } = this.#decoder;
    const headers = passedHeaders(this.#request);
    const sent = this.#sidecar.decoders.begin({ host, port, method, path, headers });
    this.#decodeLeg.follow(sent);
    const answer = new Promise<IncomingMessage>((resolve, reject) => {
      answered(sent, resolve, (error) => reject(new EngineUnreachable(error)));
    });
    this.#request.pipe(sent);
    // If the engine stops reading, the sidecar reads the rest of the body, so that the client gets to the response.
    sent.once("close", () => this.#request.resume());
    return this.#relay(await answer.catch(refuseFor));
  }
}

const bodiless: ReadonlySet<string | undefined> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Whether an engine may parse the body as JSON: one of its content types is JSON or empty, or it has none. */
function carriesJson({ method, headersDistinct }: IncomingMessage): boolean {
  if (bodiless.has(method)) return false;
  const { "content-type": types = [undefined] } = headersDistinct;
  return types.some(mayBeJson);
}

/** @throws Refusal always */
function refuseFor(error: unknown): never {
  if (!(error instanceof EngineUnreachable)) throw error;
  if (error.refused)
    throw new Refusal(503, "ServiceUnavailable", "The decoder's engine is not listening yet.");
  throw new Refusal(502, "BadGateway", `The decoder's engine did not respond: ${error.message}.`);
}

const noPrefiller = (address: string) =>
  new Refusal(502, "BadGateway", `The prefiller ${address} did not respond.`);
