/**
 * Reads only the fields of a picker's replies that a load driver needs, without decoding the rest: the phase of a
 * reply, and whether it is the last of a body. Field numbers are defined in ext_proc.proto.
 */

/** The fields of ProcessingResponse's oneof. */
export const replyPhase = {
  requestHeaders: 1,
  responseHeaders: 2,
  requestBody: 3,
  responseBody: 4,
  immediateResponse: 7,
} as const;

const lengthPrefixBytes = 5;

/** Takes a stream's bytes as they come and hands over whole messages, without the prefix of gRPC. */
export class MessageSplitter {
  readonly #onMessage: (message: Buffer) => void;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(onMessage: (message: Buffer) => void) {
    this.#onMessage = onMessage;
  }

  push(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes < lengthPrefixBytes) return;
    const first = this.#pieces[0] as Buffer;
    // Joined only when the message is there, so that a long one is copied once.
    if (first.length >= lengthPrefixBytes && this.#bytes < end(first)) return;
    let rest = this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
    while (rest.length >= lengthPrefixBytes && rest.length >= end(rest)) {
      this.#onMessage(rest.subarray(lengthPrefixBytes, end(rest)));
      rest = rest.subarray(end(rest));
    }
    this.#pieces = rest.length === 0 ? [] : [rest];
    this.#bytes = rest.length;
  }
}

const end = (message: Buffer) => lengthPrefixBytes + message.readUInt32BE(1);

/** A message with the length prefix of gRPC, not compressed. */
export function grpcFrame(message: Buffer): Buffer {
  const frame = Buffer.alloc(lengthPrefixBytes + message.length);
  frame.writeUInt32BE(message.length, 1);
  message.copy(frame, lengthPrefixBytes);
  return frame;
}

/** The field of the oneof that the reply sets; 0 where it sets none. */
export function phaseOf(reply: Buffer): number {
  let phase = 0;
  forEachField(reply, 0, reply.length, (field) => {
    if (field <= replyPhase.immediateResponse) phase = field;
  });
  return phase;
}

/** The piece of a full-duplex body that a body reply carries. */
export interface BodyPiece {
  bytes: number;
  endOfStream: boolean;
}

/** Undefined if the reply contains no piece. */
export function bodyPieceOf(reply: Buffer, phase: number): BodyPiece | undefined {
  // BodyResponse.response, CommonResponse.body_mutation, BodyMutation.streamed_response
  let span: Span | undefined = { start: 0, end: reply.length };
  for (const field of [phase, 1, 3, 3]) span = span && lastField(reply, span, field);
  if (span === undefined) return undefined;
  const piece: BodyPiece = { bytes: 0, endOfStream: false };
  forEachField(reply, span.start, span.end, (field, start, end) => {
    if (field === 1) piece.bytes = end - start;
    if (field === 2) piece.endOfStream = reply[start] === 1;
  });
  return piece;
}

interface Span {
  start: number;
  end: number;
}

function lastField(bytes: Buffer, { start, end }: Span, wanted: number): Span | undefined {
  let found: Span | undefined;
  forEachField(bytes, start, end, (field, start, end) => {
    if (field === wanted) found = { start, end };
  });
  return found;
}

/** Calls for each field of a message with where its value starts and ends. */
function forEachField(
  bytes: Buffer,
  start: number,
  end: number,
  call: (field: number, start: number, end: number) => void,
): void {
  let at = start;
  const varint = () => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  while (at < end) {
    const tag = varint();
    const valueStart = at;
    if ((tag & 7) === 0) {
      varint();
      call(tag >> 3, valueStart, at);
      continue;
    }
    if ((tag & 7) !== 2) throw new Error(`a reply has a field of wire type ${tag & 7}`);
    const length = varint();
    call(tag >> 3, at, at + length);
    at += length;
  }
}
