import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FrameError, FrameReader, frames, grpcStatus } from "./grpc-frames.ts";

const read = (pieces: readonly Buffer[], maxBytes = -1): Buffer[] => {
  const reader = new FrameReader(maxBytes);
  const messages: Buffer[] = [];
  for (const piece of pieces)
    reader.push(piece, (message) => messages.push(Buffer.from(message)) > 0);
  return messages;
};

describe("messages", () => {
  it("messages are the same wherever the bytes are cut", () => {
    const list = fc.array(fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)));
    fc.assert(
      fc.property(list, fc.array(fc.nat(30), { maxLength: 40 }), (messages, cuts) => {
        const bytes = frames(messages);
        const pieces: Buffer[] = [];
        let at = 0;
        for (const cut of cuts) {
          pieces.push(bytes.subarray(at, at + cut));
          at += cut;
        }
        expect(read([...pieces, bytes.subarray(at)])).toEqual(messages);
      }),
    );
  });

  it("complete messages are views, not copies", () => {
    const bytes = frames([Buffer.from("abc"), Buffer.from("de")]);
    const reader = new FrameReader(-1);
    const messages: Buffer[] = [];
    reader.push(bytes, (message) => messages.push(message) > 0);
    expect(messages.every(({ buffer }) => buffer === bytes.buffer)).toBe(true);
  });

  it("messages are framed as gRPC prescribes", () => {
    expect(frames([Buffer.from("hi"), Buffer.alloc(0)])).toEqual(
      Buffer.from([0, 0, 0, 0, 2, 0x68, 0x69, 0, 0, 0, 0, 0]),
    );
  });
});

it.each([
  ["compressed", Buffer.from([1, 0, 0, 0, 0]), grpcStatus.unimplemented],
  ["longer than allowed", Buffer.from([0, 0, 0, 0, 11]), grpcStatus.resourceExhausted],
])("a message that is %s is refused before it arrives", (_, bytes, code) => {
  const refused = () => read([bytes], 10);
  expect(refused).toThrow(FrameError);
  expect(refused).toThrow(expect.objectContaining({ code }));
});
