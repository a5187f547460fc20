import { connect, type Socket } from "node:net";
import { WorkShare } from "./work-share.ts";

/**
 * The part of ZMTP 3.1 (ZeroMQ's protocol, RFC 37) that a SUB and a DEALER socket need, over TCP without encryption,
 * which is the only transport of engines. Memory is limited to the longest message and CPU time to a share, whatever
 * the peer sends.
 */
export interface ZmtpOptions {
  readonly host: string;
  readonly port: number;
  readonly socketType: "SUB" | "DEALER";
  /** Timeout until a connection is ready, in ms. */
  readonly connectTimeoutMs: number;
  /** Timeout for received data, in ms. A live peer responds to pings. */
  readonly idleTimeoutMs: number;
  /** Limit for all parts of a message, in bytes. */
  readonly maxMessageBytes: number;
  /** Called after the handshake. */
  readonly onReady: () => void;
  readonly onMessage: (parts: readonly Buffer[]) => void;
  /** Called once, when the connection ends without a call of `close`. */
  readonly onEnd: (reason: string) => void;
}

const more = 1;
const long = 2;
const command = 4;

const greetingBytes = 64;
/** Bytes of replies that a peer may leave unread. */
const mostUnread = 64 * 1024;
/** Pings that a peer may send between two pings of this side. Each reply is a system call. */
const mostPings = 100;
/** Enough for an envelope, a topic, a number and a payload. */
const maxParts = 16;

/** Work for one engine is limited to a fifth of the time. Excess messages wait at the engine. */
const work = { share: 0.2, burstMs: 50, longestRestMs: 2_000 };

/** Allowed socket types of the peer. */
const peers = { SUB: ["PUB", "XPUB"], DEALER: ["ROUTER", "DEALER", "REP"] } as const;

export class ZmtpConnection {
  readonly #options: ZmtpOptions;
  readonly #socket: Socket;
  readonly #heartbeat: NodeJS.Timeout;
  #deadline: NodeJS.Timeout;
  /** Received bytes that are not parsed yet, and the bytes that the next step needs. Pieces are joined only once. */
  #pieces: Buffer[] = [];
  #bytes = 0;
  #needed = greetingBytes;
  #greeted = false;
  #isReady = false;
  #paused = false;
  readonly #work = new WorkShare(work);
  /** Timer at the end of a rest; undefined without one. */
  #rest: NodeJS.Timeout | undefined;
  #ended = false;
  #received = true;
  #pings = 0;
  #parts: Buffer[] = [];
  #partBytes = 0;

  constructor(options: ZmtpOptions) {
    this.#options = options;
    const { host, port, connectTimeoutMs, idleTimeoutMs } = options;
    this.#socket = connect({ host, port, noDelay: true });
    this.#socket.on("connect", () => this.#socket.write(greeting()));
    this.#socket.on("data", (chunk: Buffer) => this.#read(chunk));
    this.#socket.on("error", (error) => this.#end(error.message));
    this.#socket.on("close", () => this.#end("the peer closed the connection"));
    this.#deadline = setTimeout(
      () => this.#end(`not ready within ${connectTimeoutMs} ms`),
      connectTimeoutMs,
    );
    this.#heartbeat = setInterval(() => this.#beat(), idleTimeoutMs / 2).unref();
  }

  /** Subscribes to messages whose first part starts with `topic`. */
  subscribe(topic: string): void {
    this.send([Buffer.concat([Buffer.of(1), Buffer.from(topic)])]);
  }

  send(parts: readonly Buffer[]): void {
    parts.forEach((part, at) => {
      this.#socket.write(frame(at < parts.length - 1 ? more : 0, part));
    });
  }

  /** Stops reading until `resume`. Messages wait at the peer. */
  pause(): void {
    this.#paused = true;
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#received = true;
    if (this.#rest === undefined) this.#socket.resume();
    this.#read(Buffer.alloc(0));
  }

  close(): void {
    this.#ended = true;
    clearTimeout(this.#deadline);
    clearInterval(this.#heartbeat);
    clearTimeout(this.#rest);
    this.#socket.destroy();
  }

  #end(reason: string): void {
    if (this.#ended) return;
    this.close();
    this.#options.onEnd(reason);
  }

  /** Sends a ping, or ends the connection if nothing arrived since the last one. */
  #beat(): void {
    this.#pings = 0;
    if (!this.#isReady || this.#paused || this.#rest !== undefined) return;
    if (!this.#received) this.#end(`nothing was received for ${this.#options.idleTimeoutMs} ms`);
    else this.#socket.write(frame(command, commandBody("PING", Buffer.alloc(2))));
    this.#received = false;
  }

  #read(chunk: Buffer): void {
    if (this.#ended) return;
    this.#received = true;
    if (chunk.length > 0) this.#pieces.push(chunk);
    this.#bytes += chunk.length;
    const since = performance.now();
    try {
      while (!this.#paused && !this.#ended && this.#step());
    } catch (error) {
      this.#end((error as Error).message);
    }
    const now = performance.now();
    this.#restFor(this.#work.restAfter(now - since, now));
  }

  #restFor(ms: number): void {
    if (ms === 0 || this.#ended || this.#rest !== undefined) return;
    this.#socket.pause();
    this.#rest = setTimeout(() => {
      this.#rest = undefined;
      this.#received = true;
      if (!this.#paused) this.#socket.resume();
    }, ms).unref();
  }

  /** Parses the next greeting or frame. Returns false if it is incomplete. */
  #step(): boolean {
    if (this.#bytes < this.#needed) return false;
    if (!this.#greeted) {
      checkGreeting(this.#take(greetingBytes));
      this.#greeted = true;
      this.#needed = 2;
      this.#socket.write(frame(command, ready(this.#options.socketType)));
      return true;
    }
    const unread = this.#joined();
    const [flags = 0, short = 0] = unread;
    const isLong = (flags & long) !== 0;
    const head = isLong ? 9 : 2;
    this.#needed = head;
    if (unread.length < head) return false;
    const length = isLong ? Number(unread.readBigUInt64BE(1)) : short;
    const { maxMessageBytes } = this.#options;
    if (length + this.#partBytes > maxMessageBytes)
      throw new Error(`a message is longer than ${maxMessageBytes} bytes`);
    this.#needed = head + length;
    if (unread.length < this.#needed) return false;
    this.#needed = 2;
    const body = this.#take(head + length).subarray(head);
    if ((flags & command) !== 0) this.#command(body);
    else this.#part(body, (flags & more) !== 0);
    return true;
  }

  /** Joins the received bytes into one buffer. */
  #joined(): Buffer {
    const joined =
      this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
    this.#pieces = [joined];
    return joined;
  }

  #take(length: number): Buffer {
    const joined = this.#joined();
    const rest = joined.subarray(length);
    this.#pieces = rest.length === 0 ? [] : [rest];
    this.#bytes = rest.length;
    return joined.subarray(0, length);
  }

  #part(body: Buffer, hasMore: boolean): void {
    if (!this.#isReady) throw new Error("a message arrived before READY");
    this.#parts.push(body);
    this.#partBytes += body.length;
    if (this.#parts.length > maxParts) throw new Error(`a message has more than ${maxParts} parts`);
    if (hasMore) return;
    const parts = this.#parts;
    this.#parts = [];
    this.#partBytes = 0;
    this.#options.onMessage(parts);
  }

  #command(body: Buffer): void {
    const length = body[0] ?? 0;
    const name = body.toString("latin1", 1, 1 + length);
    const data = body.subarray(1 + length);
    if (name === "READY") this.#becomeReady(data);
    else if (name === "PING") this.#pong(data.subarray(2, 18));
    else if (name === "ERROR")
      throw new Error(`the peer reported ${data.toString("latin1", 1, 200)}`);
  }

  #pong(context: Buffer): void {
    this.#pings += 1;
    if (this.#pings > mostPings || this.#socket.writableLength > mostUnread)
      throw new Error("the peer sends pings but does not read the replies");
    this.#socket.write(frame(command, commandBody("PONG", context)));
  }

  #becomeReady(properties: Buffer): void {
    const { socketType, onReady } = this.#options;
    const peer = property(properties, "socket-type");
    if (!(peers[socketType] as readonly string[]).includes(peer ?? ""))
      throw new Error(`the peer is a ${peer}, not a ${peers[socketType][0]}`);
    if (this.#isReady) return;
    this.#isReady = true;
    clearTimeout(this.#deadline);
    onReady();
  }
}

function greeting(): Buffer {
  const bytes = Buffer.alloc(greetingBytes);
  bytes[0] = 0xff;
  bytes[9] = 0x7f;
  // Version 3.1
  bytes[10] = 3;
  bytes[11] = 1;
  bytes.write("NULL", 12, "latin1");
  return bytes;
}

function checkGreeting(bytes: Buffer): void {
  if (bytes[0] !== 0xff || bytes[9] !== 0x7f) throw new Error("the peer does not speak ZMTP");
  if ((bytes[10] as number) < 3) throw new Error(`the peer speaks ZMTP ${bytes[10]}, older than 3`);
  const mechanism = bytes.toString("latin1", 12, 32).replace(/\0.*$/s, "");
  if (mechanism !== "NULL") throw new Error(`the peer requires mechanism ${mechanism}, not NULL`);
}

function frame(flags: number, body: Buffer): Buffer {
  if (body.length < 256) return Buffer.concat([Buffer.of(flags, body.length), body]);
  const head = Buffer.alloc(9);
  head[0] = flags | long;
  head.writeBigUInt64BE(BigInt(body.length), 1);
  return Buffer.concat([head, body]);
}

const commandBody = (name: string, data: Buffer): Buffer =>
  Buffer.concat([Buffer.of(name.length), Buffer.from(name), data]);

function ready(socketType: string): Buffer {
  const metadata = { "Socket-Type": socketType, ...(socketType === "DEALER" && { Identity: "" }) };
  const properties = Object.entries(metadata).map(([name, value]) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(value.length);
    return Buffer.concat([Buffer.of(name.length), Buffer.from(name), length, Buffer.from(value)]);
  });
  return commandBody("READY", Buffer.concat(properties));
}

/** @param name in lower case; property names are case-insensitive */
function property(bytes: Buffer, name: string): string | undefined {
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + (bytes[at] as number);
    if (nameEnd + 4 > bytes.length) return undefined;
    const end = nameEnd + 4 + bytes.readUInt32BE(nameEnd);
    if (bytes.toString("latin1", at + 1, nameEnd).toLowerCase() === name)
      return bytes.toString("latin1", nameEnd + 4, end);
    at = end;
  }
  return undefined;
}
