import { createServer, type Server, type Socket } from "node:net";

/**
 * STAND-IN for an engine's publisher: ZMTP 3.1 (https://rfc.zeromq.org/spec/37) without security. Every connected
 * client gets every message, whatever it subscribed to.
 */
export class ZmtpPublisher {
  readonly #topic: Buffer;
  readonly #subscribers = new Set<Socket>();
  readonly #server: Server = createServer((socket) => this.#greet(socket));
  #sequence = 0;

  constructor(topic: string) {
    this.#topic = Buffer.from(topic);
  }

  listen(host: string, port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject).listen(port, host, resolve);
    });
  }

  /** Whether a client is connected. */
  get isHeard(): boolean {
    return this.#subscribers.size > 0;
  }

  /** Sends three parts: the topic, the number of the message in eight bytes, and the payload. */
  publish(payload: Uint8Array): void {
    const sequence = Buffer.alloc(8);
    sequence.writeBigUInt64BE(BigInt(this.#sequence));
    this.#sequence += 1;
    const message = Buffer.concat([
      ...frame(flag.more, this.#topic),
      ...frame(flag.more, sequence),
      ...frame(flag.last, payload),
    ]);
    for (const socket of this.#subscribers) socket.write(message);
  }

  close(): Promise<void> {
    for (const socket of this.#subscribers) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #greet(socket: Socket): void {
    this.#subscribers.add(socket);
    socket.on("error", () => {}).on("close", () => this.#subscribers.delete(socket));
    socket.write(Buffer.concat([greeting, ...frame(flag.command, readyCommand)]));
    let rest: Buffer = Buffer.alloc(0);
    let isGreeted = false;
    socket.on("data", (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes]);
      if (!isGreeted && rest.length < greeting.length) return;
      if (!isGreeted) rest = rest.subarray(greeting.length);
      isGreeted = true;
      const { frames, left } = framesOf(rest);
      rest = left;
      for (const { isCommand, body } of frames)
        if (isCommand && body.subarray(0, ping.length).equals(ping))
          socket.write(Buffer.concat(frame(flag.command, pongOf(body))));
    });
  }
}

const flag = { last: 0, more: 1, command: 4 } as const;
const longFlag = 2;

const greeting = Buffer.alloc(64);
greeting.set([0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 3, 1]);
greeting.write("NULL", 12);

/** A name that stands behind its length. */
const named = (name: string) => Buffer.concat([Buffer.of(name.length), Buffer.from(name)]);

const readyCommand = Buffer.concat([
  ...[named("READY"), named("Socket-Type")],
  ...[Buffer.of(0, 0, 0, 3), Buffer.from("PUB")],
]);
const ping = named("PING");

/** A ping contains its time to live in two bytes, then the context that the pong must return. */
const pongOf = (body: Buffer) => Buffer.concat([named("PONG"), body.subarray(ping.length + 2)]);

function frame(flags: number, body: Uint8Array): Uint8Array[] {
  if (body.length < 256) return [Buffer.of(flags, body.length), body];
  const head = Buffer.alloc(9);
  head[0] = flags | longFlag;
  head.writeBigUInt64BE(BigInt(body.length), 1);
  return [head, body];
}

/** Frames that have come whole, and what is left. */
function framesOf(bytes: Buffer) {
  const frames: Array<{ readonly isCommand: boolean; readonly body: Buffer }> = [];
  let left = bytes;
  while (left.length >= 2) {
    const flags = left[0] as number;
    const isLong = (flags & longFlag) !== 0;
    const headLength = isLong ? 9 : 2;
    if (left.length < headLength) break;
    const length = isLong ? Number(left.readBigUInt64BE(1)) : (left[1] as number);
    if (left.length < headLength + length) break;
    const body = left.subarray(headLength, headLength + length);
    frames.push({ isCommand: (flags & flag.command) !== 0, body });
    left = left.subarray(headLength + length);
  }
  return { frames, left };
}
