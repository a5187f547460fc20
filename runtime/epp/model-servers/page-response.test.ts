import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PageResponse } from "./page-response.ts";

const maxBytes = 1_000;

/** Passes all pieces to a response in one shared buffer, as sockets do. */
function read(pieces: readonly string[], response = new PageResponse(maxBytes)) {
  const shared = Buffer.alloc(100_000);
  for (const piece of pieces) {
    const length = shared.write(piece, "latin1");
    const outcome = response.read(shared.subarray(0, length));
    if (outcome !== undefined)
      return outcome instanceof Error ? outcome.message : outcome.toString("latin1");
  }
  return response.end()?.toString("latin1");
}

const chunked = (chunks: readonly string[]) =>
  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${[...chunks, ""]
    .map((chunk) => `${chunk.length.toString(16)};x=1\r\n${chunk}\r\n`)
    .join("")}`;

const whole = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

const body = fc.string({ unit: fc.constantFrom("a", "\r", "\n", "0", " "), maxLength: 300 });

describe("PageResponse", () => {
  it("a response is read the same for any split into pieces", () => {
    const response = fc.oneof(
      body.map((text) => [text, whole(text)] as const),
      fc
        .array(fc.string({ minLength: 1, maxLength: 60, unit: "binary-ascii" }), { maxLength: 9 })
        .map((chunks) => [chunks.join(""), chunked(chunks)] as const),
      body.map((text) => [text, `HTTP/1.0 200 OK\r\nserver: x\r\n\r\n${text}`] as const),
    );
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(response, cuts, ([text, bytes], lengths) => {
        const pieces: string[] = [];
        for (let at = 0, cut = 0; at < bytes.length; cut += 1) {
          const length = lengths[cut % lengths.length] as number;
          pieces.push(bytes.slice(at, at + length));
          at += length;
        }
        expect(read(pieces)).toBe(text);
      }),
    );
  });

  it.each([
    ["of another status", "HTTP/1.1 503 No\r\n\r\n", "HTTP status 503"],
    ["that switches protocols", "HTTP/1.1 101 X\r\n\r\n", "HTTP status 101"],
    ["of another protocol", `${"x".repeat(20_000)}`, "the page is longer than 1000 bytes"],
    ["without a status", "SSH-2.0-x\r\n\r\n", "no HTTP response"],
    [
      "whose length is beyond the limit",
      "HTTP/1.1 200 OK\r\ncontent-length: 1001\r\n\r\n",
      "the page is longer than 1000 bytes",
    ],
    [
      "with a chunk beyond the limit",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3e9\r\n",
      "the page is longer than 1000 bytes",
    ],
    [
      "with a chunk size that is no number",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n",
      "the page's chunks are malformed",
    ],
    [
      "with a chunk longer than its size",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nabcd\r\n",
      "the page's chunks are malformed",
    ],
  ])("a response %s is rejected", (_, bytes, error) => {
    expect(read([bytes])).toBe(error);
  });

  it("an incomplete response has no page", () => {
    expect(read([whole("abc").slice(0, -1)])).toBeUndefined();
    expect(read([chunked(["abc"]).slice(0, -1)])).toBeUndefined();
  });

  it("an informational response is skipped", () => {
    expect(read([`HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${whole("m 1")}`])).toBe("m 1");
  });

  it.each([
    ["HTTP/1.1", "", "", true],
    ["HTTP/1.1", "Connection: close\r\n", "", false],
    ["HTTP/1.0", "", "", false],
    ["HTTP/1.0", "connection: keep-alive\r\n", "", true],
    ["HTTP/1.1", "", "HTTP/1.1 200 OK\r\n", false],
  ])(
    "a response of %s with header %j and then %j keeps the connection open: %s",
    (version, header, rest, isOpen) => {
      const response = new PageResponse(maxBytes);
      read([`${version} 200 OK\r\n${header}content-length: 1\r\n\r\n1${rest}`], response);
      expect(response.keepsOpen).toBe(isOpen);
    },
  );
});

it("PageResponse does not throw for any bytes", () => {
  const head = fc.constantFrom(
    "",
    "HTTP/1.1 200 OK\r\n\r\n",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
  );
  fc.assert(
    fc.property(
      head,
      fc.array(fc.string({ unit: "binary-ascii", maxLength: 200 })),
      (start, rest) => {
        read([start, ...rest]);
      },
    ),
  );
});
