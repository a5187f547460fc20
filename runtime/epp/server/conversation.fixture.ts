import { join } from "node:path";
import { loadSync, type MethodDefinition, type ServiceDefinition } from "@grpc/proto-loader";
import type { Scheduler } from "../../../scheduling/profiles/scheduler.ts";
import { SchedulerState } from "../../../scheduling/profiles/scheduler-state.ts";
import type { InFlightRequest } from "../../../scheduling/requests/request.ts";
import type { RequestError } from "../../../scheduling/requests/request-error.ts";
import { ServerModels } from "../../../scheduling/server-model/server-models.ts";
import { Datastore } from "../datastore/datastore.ts";
import { objects, pod } from "../datastore/objects.fixture.ts";
import type { PoolObjects } from "../datastore/pool-objects.ts";
import type { DecisionRing } from "../decisions/decision-ring.ts";
import type { Observer, RequestLabels, ResponseSummary, SentRequest } from "../observer.ts";
import { readProcessingRequest } from "../protocol/processing-request.ts";
import { shedSheddable } from "../request-path/admit.ts";
import { BodyBudget, type BodyBudgetOptions } from "../request-path/body-budget.ts";
import type { PickerOptions } from "../request-path/picker-services.ts";
import type { EndpointPicker } from "../request-path/route.ts";
import { Tenants } from "../request-path/tenants.ts";
import { Exchange } from "./exchange.ts";

/** A fake proxy: exchanges messages with an `Exchange` as objects of the protobuf library. */

const service = loadSync(join(import.meta.dirname, "..", "protocol", "ext_proc.proto"), {
  oneofs: true,
})["envoy.service.ext_proc.v3.ExternalProcessor"] as ServiceDefinition;
const { requestSerialize, responseDeserialize } = service.Process as MethodDefinition<
  object,
  object
>;

/** Serializes a message of the proxy. */
export const toBytes = (message: object): Buffer => requestSerialize(message);

/** Reads an answer of the picker with the protobuf library. */
export const toAnswer = (bytes: Buffer): Answer => simplify(responseDeserialize(bytes));

/** An answer with byte strings as text and headers as a plain object. */
export interface Answer {
  readonly to: string;
  readonly set?: Record<string, string>;
  readonly remove?: string[];
  /** Replaced body, or chunk in full duplex mode. */
  readonly body?: string;
  readonly endOfStream?: boolean;
  readonly cleared?: boolean;
  readonly status?: number;
  readonly metadata?: unknown;
}

export interface ConversationOptions {
  /** Records of decisions. Default: none. */
  readonly decisions?: DecisionRing;
  /** The picker's clock, in ms. Default: always 0. */
  readonly now?: () => number;
  readonly objects?: Partial<PoolObjects>;
  readonly options?: Partial<PickerOptions>;
  readonly saturation?: number;
  /** Number of endpoints picked per request. Default 1. */
  readonly picks?: number;
  /** Whether the proxy continues on its own when the picker ends the stream with status OK. Default false. */
  readonly goesOn?: boolean;
  /** Whether model servers report how many requests they have. Default true. */
  readonly reportsRequests?: boolean;
  /** Response headers that plugins set. */
  readonly responseHeaders?: InFlightRequest["responseHeaders"];
  readonly bodies?: Partial<BodyBudgetOptions>;
  /** Header in which the gateway names the tenant. Default: none. */
  readonly tenantHeader?: string;
}

export interface Events {
  readonly received: RequestLabels[];
  readonly sent: SentRequest[];
  readonly completed: Array<ResponseSummary | undefined>;
  readonly refused: RequestError[];
  readonly reported: unknown[];
  /** Functions that complete the requests whose responses the picker does not observe. */
  readonly unwatched: Array<() => void>;
  running: number;
}

export const newEvents = (): Events => ({
  received: [],
  sent: [],
  completed: [],
  refused: [],
  reported: [],
  unwatched: [],
  running: 0,
});

export class Conversation {
  readonly #exchange: Exchange;
  readonly #answers: Answer[] = [];
  readonly events: Events = newEvents();

  constructor(options: ConversationOptions = {}) {
    this.#exchange = new Exchange(
      standInPicker(options, this.events),
      (bytes) => this.#answers.push(toAnswer(bytes)),
      (error) => this.events.reported.push(error),
      options.goesOn ?? false,
    );
  }

  /** Sends messages and returns the answers since the last call. */
  say(...messages: object[]): Answer[] {
    for (const message of messages) {
      this.#exchange.receive(readProcessingRequest(toBytes(message)));
      while (this.#exchange.readsOn) this.#exchange.readOn();
    }
    return this.#answers.splice(0);
  }

  get over(): boolean {
    return this.#exchange.over;
  }

  close(): void {
    this.#exchange.close();
  }
}

/** A picker of two pods with a fake scheduler; it records events in `events`. */
export function standInPicker(
  {
    objects: change,
    options,
    saturation = 0,
    picks = 1,
    responseHeaders = [],
    bodies = {},
    tenantHeader,
    reportsRequests = true,
    decisions,
    now = () => 0,
  }: ConversationOptions,
  events: Events,
): EndpointPicker {
  const datastore = new Datastore();
  datastore.update(objects({ pods: [pod("a"), pod("b", { ip: "10.0.0.2" })], ...change }));
  return {
    datastore,
    scheduler: firstCandidates(events, saturation, picks, responseHeaders, reportsRequests),
    admission: shedSheddable,
    bodies: new BodyBudget({ now: () => 0, ...bodies }),
    tenants: new Tenants({ header: tenantHeader }),
    observer: recorder(events),
    clock: { now, random: () => 0 },
    ...(decisions && { decisions }),
    options: {
      trustModelNameHeader: false,
      modelRewriteHeader: true,
      emitEndpointScores: false,
      subsetFilter: true,
      conformanceHeaders: true,
      servedEndpointHeader: true,
      engineFields: "strip",
      followResponses: false,
      ...options,
    },
  };
}

/** A fake scheduler: picks the first candidates and counts only running requests. */
function firstCandidates(
  events: Events,
  saturation: number,
  picks: number,
  responseHeaders: InFlightRequest["responseHeaders"],
  reportsRequests: boolean,
): Scheduler {
  const dispatch = () => {
    let running = true;
    events.running += 1;
    return {
      responseHeaders,
      answered() {},
      firstToken() {},
      unobserve: (_now: number, completed: () => void) => {
        if (reportsRequests) events.unwatched.push(completed);
        return reportsRequests;
      },
      end() {
        if (running) events.running -= 1;
        running = false;
      },
    };
  };
  return {
    parsers: ["openai-parser", "anthropic-parser", "passthrough-parser"],
    promptCosts: (_, endpoints) => endpoints.map(() => 0),
    evictsWorkingSet: () => false,
    detector: { saturation: () => saturation },
    state: new SchedulerState(new ServerModels()),
    canAnswer: (endpoints) => endpoints.length > 0,
    schedule: (_request, endpoints) => ({
      endpoints: endpoints.slice(0, picks),
      headers: [],
      scores: () => new Map(endpoints.map(({ address }) => [address, 0.5])),
      dispatch,
    }),
    scheduleUnread: (_headers, endpoints) => ({
      endpoints: endpoints.slice(0, 1),
      headers: [],
    }),
    *prepare() {},
  };
}

const recorder = (events: Events): Observer => ({
  streamOpened() {},
  streamClosed() {},
  requestReceived: (labels) => events.received.push(labels),
  scheduled() {},
  responseBegan() {},
  rewritten() {},
  requestProcessed() {},
  chunksOf: () => () => {},
  requestDispatched: (_labels, _bytes, sent) => events.sent.push(sent),
  requestCompleted: (_labels, response) => events.completed.push(response),
  refused: (_labels, error) => events.refused.push(error),
});

export const headers = (
  values: Record<string, string>,
  more: { endOfStream?: boolean; metadata?: Record<string, Record<string, unknown>> } = {},
  kind = "requestHeaders",
) => ({
  [kind]: {
    headers: {
      headers: Object.entries(values).map(([key, value]) => ({
        key,
        rawValue: Buffer.from(value),
      })),
    },
    endOfStream: more.endOfStream ?? false,
  },
  ...(more.metadata && { metadataContext: { filterMetadata: structs(more.metadata) } }),
});

export const post = (more: Record<string, string> = {}) =>
  headers({ ":method": "POST", ":path": "/v1/completions", "x-request-id": "id", ...more });

export const body = (text: string, endOfStream = true) => ({
  requestBody: { body: Buffer.from(text), endOfStream },
});

export const responseBody = (text: string, endOfStream = false) => ({
  responseBody: { body: Buffer.from(text), endOfStream },
});

/** The body modes that a proxy announces in its first message. */
export const announcing = (
  request: string,
  response = request,
  sendBodyWithoutWaitingForHeaderResponse = false,
) => ({
  protocolConfig: {
    requestBodyMode: request,
    responseBodyMode: response,
    sendBodyWithoutWaitingForHeaderResponse,
  },
});

const structs = (namespaces: Record<string, Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(namespaces).map(([name, fields]) => [
      name,
      { fields: Object.fromEntries(Object.entries(fields).map(([k, v]) => [k, wireValue(v)])) },
    ]),
  );

const wireValue = (value: unknown): object =>
  Array.isArray(value)
    ? { listValue: { values: value.map(wireValue) } }
    : { stringValue: String(value) };

interface Wire {
  readonly response: string;
  readonly dynamicMetadata?: { fields: Record<string, WireValue> };
  readonly [field: string]: unknown;
}

interface WireValue {
  readonly kind: "stringValue" | "numberValue" | "structValue";
  readonly stringValue?: string;
  readonly numberValue?: number;
  readonly structValue?: { fields: Record<string, WireValue> };
}

interface WireMutation {
  readonly setHeaders?: Array<{ header: { key: string; rawValue: Buffer } }>;
  readonly removeHeaders?: string[];
}

function simplify(message: object): Answer {
  const wire = message as Wire;
  const to = wire.response;
  const content = wire[to] as Record<string, unknown>;
  if (to === "immediateResponse") {
    const {
      status,
      body: text,
      headers: mutation,
    } = content as {
      status: { code: number };
      body: Buffer;
      headers?: WireMutation;
    };
    return { to, status: status.code, body: text.toString(), ...mutated(mutation) };
  }
  const common = (content.response ?? {}) as {
    headerMutation?: WireMutation;
    bodyMutation?: {
      body?: Buffer;
      clearBody?: boolean;
      streamedResponse?: { body?: Buffer; endOfStream?: boolean };
    };
  };
  const { bodyMutation, headerMutation } = common;
  const streamed = bodyMutation?.streamedResponse;
  return {
    to,
    ...mutated(headerMutation),
    ...(streamed && {
      body: streamed.body?.toString() ?? "",
      endOfStream: streamed.endOfStream ?? false,
    }),
    ...(bodyMutation?.body && { body: bodyMutation.body.toString() }),
    ...(bodyMutation?.clearBody && { cleared: true }),
    ...(wire.dynamicMetadata && { metadata: plain(wire.dynamicMetadata) }),
  };
}

const mutated = (mutation: WireMutation | undefined) => ({
  ...(mutation?.setHeaders && {
    set: Object.fromEntries(
      mutation.setHeaders.map(({ header }) => [header.key, header.rawValue.toString()]),
    ),
  }),
  ...(mutation?.removeHeaders && { remove: mutation.removeHeaders }),
});

const plain = ({ fields }: { fields: Record<string, WireValue> }): unknown =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      value.structValue ? plain(value.structValue) : (value.stringValue ?? value.numberValue),
    ]),
  );
