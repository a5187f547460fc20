import {
  Client,
  type ClientDuplexStream,
  credentials,
  Metadata,
  type StatusObject,
} from "@grpc/grpc-js";
import {
  type BodySendMode,
  type CommonResponse,
  fromStruct,
  type HeaderMutation,
  type HeaderStyle,
  headerMap,
  type ProcessingRequest,
  type ProcessingResponse,
  processMethod,
  toStruct,
} from "./messages.ts";

/** How a proxy speaks to a picker. */
export interface ExtProcClientOptions {
  /** Whether the connection is TLS; the certificate is taken unseen, as gateways do. Default false. */
  tls?: boolean;
}

/** One connection to a picker. */
export interface ExtProcClient {
  /** Opens a stream: one HTTP request. */
  open(options?: StreamOptions): ExtProcStream;
  close(): void;
}

export interface StreamOptions {
  /** Default `raw`. */
  headerStyle?: HeaderStyle;
  /** Sent with the stream's first message. Default: nothing is announced. */
  protocolConfig?: { requestBodyMode: BodySendMode; responseBodyMode: BodySendMode };
  /** Metadata of the stream, as Envoy's `x-envoy-internal`. Default: none. */
  metadata?: Readonly<Record<string, string>>;
}

/** Fields of a message besides its phase. */
export interface MessageOptions {
  endOfStream?: boolean;
  /** `filter_metadata` by namespace, as JSON. */
  metadata?: Readonly<Record<string, Record<string, unknown>>>;
}

/** The proxy's end of a stream: sends messages by phase, and reads the replies. */
export interface ExtProcStream {
  requestHeaders(headers: Readonly<Record<string, string>>, options?: MessageOptions): void;
  requestBody(body: string | Buffer, options?: MessageOptions): void;
  requestTrailers(trailers: Readonly<Record<string, string>>, options?: MessageOptions): void;
  responseHeaders(headers: Readonly<Record<string, string>>, options?: MessageOptions): void;
  responseBody(body: string | Buffer, options?: MessageOptions): void;
  responseTrailers(trailers: Readonly<Record<string, string>>, options?: MessageOptions): void;
  /** Sends any message, for fields that the methods above cannot set. */
  send(message: ProcessingRequest): void;
  /** Ends the sending direction. */
  halfClose(): void;
  /** Resets the stream. */
  cancel(): void;
  /**
   * The next reply that was not yet taken.
   * @throws Error with the stream's status if the stream ended without a reply
   */
  next(): Promise<Reply>;
  /** The next `count` replies. */
  take(count: number): Promise<Reply[]>;
  /** Every further reply, once the stream ended; `halfClose` or `cancel` comes before. */
  rest(): Promise<Reply[]>;
  /** How the stream ended. */
  readonly status: Promise<Pick<StatusObject, "code" | "details">>;
}

export type Phase = Exclude<keyof ProcessingResponse, "dynamicMetadata">;

/** A reply, laid flat. */
export interface Reply {
  readonly phase: Phase;
  /** The message as it came. */
  readonly message: ProcessingResponse;
  /** Set headers; of a value that came as raw_value and as value alike, raw_value. */
  readonly setHeaders: Readonly<Record<string, string>>;
  readonly removeHeaders: readonly string[];
  readonly clearRouteCache: boolean;
  /** The body mutation, if there is one. */
  readonly body: ReplyBody | undefined;
  /** Set if the phase is `immediateResponse`. */
  readonly immediate: { readonly status: number; readonly body: string } | undefined;
  readonly dynamicMetadata: Readonly<Record<string, unknown>> | undefined;
}

export interface ReplyBody {
  /** `streamed`: a piece of a full-duplex body; `whole`: the body is replaced; `clear`: it is emptied. */
  readonly kind: "streamed" | "whole" | "clear";
  readonly bytes: Buffer;
  readonly endOfStream: boolean;
}

/** Connects to a picker at `host:port`. The connection is made with the first stream. */
export function connectExtProc(
  address: string,
  { tls = false }: ExtProcClientOptions = {},
): ExtProcClient {
  const channelCredentials = tls
    ? credentials.createSsl(null, null, null, { rejectUnauthorized: false })
    : credentials.createInsecure();
  const client = new Client(address, channelCredentials, {
    "grpc.max_receive_message_length": -1,
    "grpc.max_send_message_length": -1,
    // TLS does not take an address as server name.
    ...(tls && { "grpc.ssl_target_name_override": "picker" }),
    // Each client is a proxy of its own.
    "grpc.use_local_subchannel_pool": 1,
  });
  return {
    open: (options = {}) =>
      streamOf(
        client.makeBidiStreamRequest(
          processMethod.path,
          processMethod.requestSerialize,
          processMethod.responseDeserialize,
          metadataOf(options),
        ),
        options,
      ),
    close: () => client.close(),
  };
}

function metadataOf({ metadata = {} }: StreamOptions): Metadata {
  const made = new Metadata();
  for (const [name, value] of Object.entries(metadata)) made.set(name, value);
  return made;
}

type Call = ClientDuplexStream<ProcessingRequest, ProcessingResponse>;

function streamOf(call: Call, { headerStyle, protocolConfig }: StreamOptions): ExtProcStream {
  const replies = collect(call);
  let first = true;
  const send = (message: ProcessingRequest, { metadata }: MessageOptions = {}) => {
    call.write({
      ...message,
      ...(metadata !== undefined && { metadataContext: metadataContext(metadata) }),
      ...(first && protocolConfig !== undefined && { protocolConfig }),
    });
    first = false;
  };
  const headers = (values: Readonly<Record<string, string>>, { endOfStream = false }) => ({
    headers: headerMap(values, headerStyle),
    endOfStream,
  });
  const body = (bytes: string | Buffer, { endOfStream = false }) => ({
    body: Buffer.from(bytes),
    endOfStream,
  });
  const trailers = (values: Readonly<Record<string, string>>) => ({
    trailers: headerMap(values, headerStyle),
  });
  return {
    requestHeaders: (values, options = {}) =>
      send({ requestHeaders: headers(values, options) }, options),
    requestBody: (bytes, options = {}) => send({ requestBody: body(bytes, options) }, options),
    requestTrailers: (values, options) => send({ requestTrailers: trailers(values) }, options),
    responseHeaders: (values, options = {}) =>
      send({ responseHeaders: headers(values, options) }, options),
    responseBody: (bytes, options = {}) => send({ responseBody: body(bytes, options) }, options),
    responseTrailers: (values, options) => send({ responseTrailers: trailers(values) }, options),
    send,
    halfClose: () => call.end(),
    cancel: () => call.cancel(),
    ...replies,
  };
}

const metadataContext = (metadata: Readonly<Record<string, Record<string, unknown>>>) => ({
  filterMetadata: Object.fromEntries(
    Object.entries(metadata).map(([namespace, value]) => [namespace, toStruct(value)]),
  ),
});

function collect(call: Call): Pick<ExtProcStream, "next" | "take" | "rest" | "status"> {
  const arrived: ProcessingResponse[] = [];
  let wake = () => {};
  let ended: StatusObject | undefined;
  const status = new Promise<StatusObject>((resolve) => {
    call.on("status", (value) => {
      ended = value;
      resolve(value);
      wake();
    });
  });
  // The status contains the same error.
  call.on("error", () => {});
  call.on("data", (message: ProcessingResponse) => {
    arrived.push(message);
    wake();
  });
  const change = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  const next = async () => {
    for (;;) {
      const message = arrived.shift();
      if (message !== undefined) return replyOf(message);
      if (ended !== undefined) {
        throw new Error(`the stream ended with status ${ended.code} ${ended.details} and no reply`);
      }
      await change();
    }
  };
  return {
    next,
    async take(count) {
      const taken: Reply[] = [];
      while (taken.length < count) taken.push(await next());
      return taken;
    },
    async rest() {
      await status;
      return arrived.splice(0).map(replyOf);
    },
    status,
  };
}

function replyOf(message: ProcessingResponse): Reply {
  const phases = Object.keys(message).filter((key) => key !== "dynamicMetadata") as Phase[];
  const [phase] = phases;
  if (phase === undefined || phases.length > 1) {
    throw new Error(`a reply answers one phase, this one has [${phases.join(", ")}]`);
  }
  const { response, mutation } = partsOf(message);
  const { immediateResponse: immediate, dynamicMetadata } = message;
  return {
    phase,
    message,
    setHeaders: Object.fromEntries(
      (mutation?.setHeaders ?? []).map(({ header }) => [
        header?.key ?? "",
        header?.rawValue?.length ? header.rawValue.toString() : (header?.value ?? ""),
      ]),
    ),
    removeHeaders: mutation?.removeHeaders ?? [],
    clearRouteCache: response?.clearRouteCache ?? false,
    body: bodyOf(response),
    immediate: immediate && {
      status: immediate.status?.code ?? 0,
      body: (immediate.body ?? Buffer.alloc(0)).toString(),
    },
    dynamicMetadata: dynamicMetadata && fromStruct(dynamicMetadata),
  };
}

interface Parts {
  response: CommonResponse | undefined;
  mutation: HeaderMutation | undefined;
}

function partsOf(message: ProcessingResponse): Parts {
  const { requestHeaders, responseHeaders, requestBody, responseBody } = message;
  const response = (requestHeaders ?? responseHeaders ?? requestBody ?? responseBody)?.response;
  const trailers = message.requestTrailers ?? message.responseTrailers;
  const mutation =
    response?.headerMutation ?? trailers?.headerMutation ?? message.immediateResponse?.headers;
  return { response, mutation };
}

function bodyOf(response: CommonResponse | undefined): ReplyBody | undefined {
  const mutation = response?.bodyMutation;
  if (mutation === undefined) return undefined;
  const { streamedResponse, body, clearBody } = mutation;
  const empty = Buffer.alloc(0);
  if (streamedResponse !== undefined) {
    const { body: bytes = empty, endOfStream = false } = streamedResponse;
    return { kind: "streamed", bytes, endOfStream };
  }
  if (body !== undefined) return { kind: "whole", bytes: body, endOfStream: false };
  return clearBody === true ? { kind: "clear", bytes: empty, endOfStream: false } : undefined;
}
