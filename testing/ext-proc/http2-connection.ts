import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/**
 * The part of HTTP/2 (RFC 9113) that a load driver needs, on a socket: node:http2 would spend about the same CPU on a
 * stream as the measured picker. Frames are sent unchanged; only the flags of received headers are read.
 */
export interface Http2Connection {
  /** Opens a stream with an HPACK block that uses no dynamic table. */
  open(headerBlock: Buffer, events: StreamEvents): Http2Stream;
  /** Whether streams may be opened: the other side has neither closed the connection nor announced that it will. */
  readonly usable: boolean;
  close(): void;
}

export interface Http2Stream {
  /** Sends one DATA frame, or several if the payload is longer than a frame may be. */
  write(payload: Buffer, endStream?: boolean): void;
  /** RST_STREAM with CANCEL. `events` hear nothing of the stream any more. */
  cancel(): void;
}

export interface StreamEvents {
  onData(payload: Buffer): void;
  /** The other side ended the stream: undefined with END_STREAM, else why it did not end well. */
  onEnd(failure: string | undefined): void;
}

/** `waitsForSettings`: streams are opened after the other side's settings arrive, as gRPC's clients do. */
export async function openHttp2(
  host: string,
  port: number,
  { tls = false, waitsForSettings = false }: { tls?: boolean; waitsForSettings?: boolean } = {},
): Promise<Http2Connection> {
  const socket = tls
    ? connectTls({ host, port, ALPNProtocols: ["h2"], rejectUnauthorized: false })
    : connectTcp({ host, port });
  await once(socket, tls ? "secureConnect" : "connect");
  socket.setNoDelay(true);
  const connection = new Connection(socket);
  if (waitsForSettings) await connection.met;
  return connection;
}

const frameType = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, window: 8 };
const flag = { endStream: 1, ack: 1, endHeaders: 4, padded: 8 };
const setting = { headerTableSize: 1, enablePush: 2, initialWindowSize: 4, maxFrameSize: 5 };

const headerBytes = 9;
const maxPayloadBytes = 16_384;
const defaultWindow = 65_535;
const maxWindow = 2 ** 31 - 1;
/** Received bytes are acknowledged to the sender in steps of this size. */
const windowStep = 2 ** 29;
const cancelCode = 8;

interface Outgoing {
  payload: Buffer;
  endStream: boolean;
}

/** The first bytes of a client (RFC 9113, 3.4). */
export const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

function frameHeader(type: number, flags: number, stream: number, length: number): Buffer {
  const header = Buffer.allocUnsafe(headerBytes);
  header.writeUIntBE(length, 0, 3);
  header[3] = type;
  header[4] = flags;
  header.writeUInt32BE(stream, 5);
  return header;
}

/** Returns a frame with its payload (RFC 9113, 4.1). */
export const frame = (type: number, flags: number, stream: number, payload: Buffer): Buffer =>
  Buffer.concat([frameHeader(type, flags, stream, payload.length), payload]);

class Connection implements Http2Connection {
  readonly #socket: Socket;
  readonly #streams = new Map<number, Stream>();
  /** Streams that wait for the connection's window. */
  readonly #blocked = new Set<Stream>();
  #rest: Buffer = Buffer.alloc(0);
  #nextId = 1;
  #received = 0;
  #corked = false;
  #meet: () => void = () => {};
  /** Resolves when the other side's settings are acknowledged, or the connection fails. */
  readonly met = new Promise<void>((resolve) => {
    this.#meet = resolve;
  });
  usable = true;
  /** Bytes that may be sent, on the whole connection and on a new stream. */
  window = defaultWindow;
  initialWindow = defaultWindow;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (bytes) => this.#read(bytes));
    socket.on("error", (error) => this.#fail(error.message));
    socket.on("close", () => this.#fail("the connection was closed"));
    this.#greet();
  }

  open(headerBlock: Buffer, events: StreamEvents): Http2Stream {
    const stream = new Stream(this, this.#nextId, events);
    this.#nextId += 2;
    this.#streams.set(stream.id, stream);
    this.frame(frameType.headers, flag.endHeaders, stream.id, headerBlock);
    return stream;
  }

  close(): void {
    this.#socket.end();
  }

  frame(type: number, flags: number, stream: number, payload: Buffer): void {
    this.#cork();
    this.#socket.write(frameHeader(type, flags, stream, payload.length));
    if (payload.length > 0) this.#socket.write(payload);
  }

  forget(stream: Stream): void {
    this.#streams.delete(stream.id);
    this.#blocked.delete(stream);
  }

  block(stream: Stream): void {
    this.#blocked.add(stream);
  }

  /** Everything of one turn of the event loop goes out at once. */
  #cork(): void {
    if (this.#corked) return;
    this.#corked = true;
    this.#socket.cork();
    process.nextTick(() => {
      this.#corked = false;
      this.#socket.uncork();
    });
  }

  /** The largest possible windows, so that only the picker's windows can delay a message. */
  #greet(): void {
    const values = [
      [setting.headerTableSize, 0],
      [setting.enablePush, 0],
      [setting.initialWindowSize, maxWindow],
    ] as const;
    const settings = Buffer.alloc(values.length * 6);
    for (const [at, [name, value]] of values.entries()) {
      settings.writeUInt16BE(name, at * 6);
      settings.writeUInt32BE(value, at * 6 + 2);
    }
    this.#cork();
    this.#socket.write(preface);
    this.frame(frameType.settings, 0, 0, settings);
    this.frame(frameType.window, 0, 0, uint32(maxWindow - defaultWindow));
  }

  #read(bytes: Buffer): void {
    const input = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    let at = 0;
    while (input.length - at >= headerBytes) {
      const end = at + headerBytes + input.readUIntBE(at, 3);
      if (end > input.length) break;
      const type = input[at + 3] ?? 0;
      const flags = input[at + 4] ?? 0;
      const id = input.readUInt32BE(at + 5);
      this.#receive(type, flags, id, input.subarray(at + headerBytes, end));
      at = end;
    }
    this.#rest = input.subarray(at);
  }

  #receive(type: number, flags: number, id: number, payload: Buffer): void {
    switch (type) {
      case frameType.data:
        this.#countReceived(payload.length);
        this.#streams.get(id)?.onData(payload, flags);
        break;
      case frameType.headers:
        if (flags & flag.endStream) this.#streams.get(id)?.onEnd(undefined);
        break;
      case frameType.reset:
        this.#streams.get(id)?.onEnd(`RST_STREAM with code ${payload.readUInt32BE(0)}`);
        break;
      case frameType.settings:
        if ((flags & flag.ack) === 0) this.#applySettings(payload);
        break;
      case frameType.ping:
        if ((flags & flag.ack) === 0) this.frame(frameType.ping, flag.ack, 0, payload);
        break;
      case frameType.goAway:
        this.#fail(`GOAWAY with code ${payload.readUInt32BE(4)}`, payload.readUInt32BE(0));
        break;
      case frameType.window:
        this.#widen(id, payload.readUInt32BE(0));
        break;
      default:
    }
  }

  #countReceived(bytes: number): void {
    this.#received += bytes;
    if (this.#received < windowStep) return;
    this.frame(frameType.window, 0, 0, uint32(this.#received));
    this.#received = 0;
  }

  #applySettings(payload: Buffer): void {
    for (let at = 0; at + 6 <= payload.length; at += 6) {
      if (payload.readUInt16BE(at) !== setting.initialWindowSize) continue;
      const value = payload.readUInt32BE(at + 2);
      for (const stream of this.#streams.values()) stream.widen(value - this.initialWindow);
      this.initialWindow = value;
    }
    this.frame(frameType.settings, flag.ack, 0, Buffer.alloc(0));
    this.#meet();
  }

  #widen(id: number, bytes: number): void {
    if (id !== 0) {
      this.#streams.get(id)?.widen(bytes);
      return;
    }
    this.window += bytes;
    for (const stream of [...this.#blocked]) {
      this.#blocked.delete(stream);
      stream.flush();
    }
  }

  /** Streams up to `lastId` go on. */
  #fail(failure: string, lastId = 0): void {
    this.usable = false;
    this.#meet();
    for (const stream of [...this.#streams.values()]) if (stream.id > lastId) stream.onEnd(failure);
  }
}

class Stream implements Http2Stream {
  readonly id: number;
  readonly #connection: Connection;
  readonly #events: StreamEvents;
  readonly #queue: Outgoing[] = [];
  #window: number;

  constructor(connection: Connection, id: number, events: StreamEvents) {
    this.id = id;
    this.#connection = connection;
    this.#events = events;
    this.#window = connection.initialWindow;
  }

  write(payload: Buffer, endStream = false): void {
    let at = 0;
    do {
      const end = Math.min(at + maxPayloadBytes, payload.length);
      const last = endStream && end === payload.length;
      this.#queue.push({ payload: payload.subarray(at, end), endStream: last });
      at = end;
    } while (at < payload.length);
    this.flush();
  }

  cancel(): void {
    this.#connection.frame(frameType.reset, 0, this.id, uint32(cancelCode));
    this.#connection.forget(this);
  }

  widen(bytes: number): void {
    this.#window += bytes;
    this.flush();
  }

  /** Sends what the windows have room for. */
  flush(): void {
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      const { payload, endStream } = next;
      if (payload.length > this.#window) return;
      if (payload.length > this.#connection.window) {
        this.#connection.block(this);
        return;
      }
      this.#window -= payload.length;
      this.#connection.window -= payload.length;
      this.#queue.shift();
      const flags = endStream ? flag.endStream : 0;
      this.#connection.frame(frameType.data, flags, this.id, payload);
    }
  }

  onData(payload: Buffer, flags: number): void {
    const padding = flags & flag.padded ? 1 + (payload[0] ?? 0) : 0;
    this.#events.onData(
      padding === 0 ? payload : payload.subarray(1, payload.length - padding + 1),
    );
    if (flags & flag.endStream) this.onEnd(undefined);
  }

  onEnd(failure: string | undefined): void {
    this.#connection.forget(this);
    this.#events.onEnd(failure);
  }
}

function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Fields that the static table of HPACK (RFC 7541) knows whole, and names that it knows. */
const indexedFields = new Map([
  [":method: POST", 0x83],
  [":scheme: http", 0x86],
  [":scheme: https", 0x87],
]);
const indexedNames = new Map([
  [":authority", 1],
  [":path", 4],
]);

/** An HPACK block of literal fields, valid at any time on any connection. Names and values of up to 126 bytes. */
export function headerBlock(fields: ReadonlyArray<readonly [name: string, value: string]>): Buffer {
  return Buffer.concat(
    fields.map(([name, value]) => {
      const whole = indexedFields.get(`${name}: ${value}`);
      if (whole !== undefined) return Buffer.from([whole]);
      const index = indexedNames.get(name);
      const start = index === undefined ? [Buffer.from([0]), text(name)] : [Buffer.from([index])];
      return Buffer.concat([...start, text(value)]);
    }),
  );
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  if (bytes.length > 126) throw new Error(`a header of ${bytes.length} bytes, at most 126 here`);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}
