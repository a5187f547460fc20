import { once } from "node:events";
import { type ClientHttp2Session, connect, constants } from "node:http2";
import { connect as connectSocket } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { AuthorityCorrection } from "./authority.ts";
import { GrpcServer } from "./grpc-server.ts";
import { codeOf, encodedCharacters } from "./huffman-characters.ts";
import { respondWith } from "./unary.ts";

/** Clients are Node.js's HTTP/2 client, which sends the authority of Istio's Envoy as Envoy does. */

const server = new GrpcServer({
  "/authority": (stream, headers) => respondWith(stream, Buffer.from(headers[":authority"] ?? "")),
});
let port: number;
beforeAll(async () => {
  port = await server.listen(0, "127.0.0.1");
});
afterAll(() => server.abort());

async function withSession<T>(use: (session: ClientHttp2Session) => Promise<T>): Promise<T> {
  const session = connect(`http://127.0.0.1:${port}`);
  try {
    return await use(session);
  } finally {
    session.close();
  }
}

/** Returns the authority that the server read. */
async function readBy(
  session: ClientHttp2Session,
  authority: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const stream = session.request({
    ":method": "POST",
    ":path": "/authority",
    ":authority": authority,
    ...headers,
  });
  stream.end();
  const parts: Buffer[] = [];
  stream.on("data", (bytes: Buffer) => parts.push(bytes));
  await once(stream, "end");
  // The frame of a gRPC message has five bytes more.
  return Buffer.concat(parts).subarray(5).toString();
}

const istios = "outbound|9002||chat-epp.default.svc.cluster.local";

it("serves a client that sends the name of Istio's cluster as the authority", async () => {
  await withSession(async (session) => {
    expect(await readBy(session, istios)).toBe(istios.replaceAll("|", "+"));
    expect(await readBy(session, istios)).toBe(istios.replaceAll("|", "+"));
  });
});

it("serves such a client after its header table has lost the authority", async () => {
  await withSession(async (session) => {
    for (let at = 0; at < 60; at++)
      expect(await readBy(session, istios, { [`x-${at}`]: "v".repeat(200) + at })).toBe(
        istios.replaceAll("|", "+"),
      );
  });
});

it("survives streams that are reset with the bytes that open them", async () => {
  await withSession(async (session) => {
    await readBy(session, istios);
    for (let at = 0; at < 20; at++) {
      const stream = session.request({ ":method": "POST", ":path": "/authority" });
      stream.on("error", () => {});
      stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    }
    expect(await readBy(session, istios)).toBe(istios.replaceAll("|", "+"));
  });
});

it("leaves valid authorities as they are, and serves clients that request nothing at first", async () => {
  for (const authority of ["chat-epp.default:9002", istios])
    await withSession(async (session) => {
      await once(session, "remoteSettings");
      for (let at = 0; at < 2; at++)
        expect(await readBy(session, authority)).toBe(authority.replaceAll("|", "+"));
    });
});

it("corrects any authority, whatever its encoding and the pieces in which it arrives", async () => {
  const authority = fc.stringMatching(/^[a-zA-Z0-9.+|_-]{1,80}$/);
  await fc.assert(
    fc.asyncProperty(fc.array(authority, { maxLength: 5 }), async (authorities) => {
      await withSession(async (session) => {
        // The first request of a connection selects how it is read.
        for (const each of [istios, ...authorities])
          expect(await readBy(session, each)).toBe(each.replaceAll("|", "+"));
      });
    }),
    { numRuns: 60 },
  );
});

it("passes the same bytes in any pieces", () => {
  const chunk = fc.uint8Array({ minLength: 1, maxLength: 40 });
  const frame = fc
    .record({ type: fc.constantFrom(0, 1, 4, 9), flags: fc.nat(255), payload: chunk })
    .map(({ type, flags, payload }) =>
      Buffer.from([0, 0, payload.length, type, flags, 0, 0, 0, 1, ...payload]),
    );
  fc.assert(
    fc.property(fc.array(frame), fc.array(fc.integer({ min: 1, max: 30 })), (frames, sizes) => {
      const preface = Buffer.alloc(24, "p");
      const bytes = Buffer.concat([preface, ...frames]);
      const whole = new AuthorityCorrection().push(Buffer.from(bytes));
      const correction = new AuthorityCorrection();
      const passed: Buffer[] = [];
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const size = sizes[turn % Math.max(1, sizes.length)] ?? bytes.length;
        passed.push(Buffer.from(correction.push(Buffer.from(bytes.subarray(at, at + size)))));
        at += size;
      }
      expect(Buffer.concat(passed)).toEqual(whole);
      expect(whole.length).toBe(bytes.length);
    }),
  );
});

it("holds no bytes of a frame that is too long, which Node.js rejects by its header", () => {
  const preface = Buffer.alloc(24, "p");
  const header = Buffer.from([0xff, 0xff, 0xff, 1, 4, 0, 0, 0, 1]);
  const begun = Buffer.concat([preface, header, Buffer.alloc(100)]);
  expect(new AuthorityCorrection().push(begun)).toHaveLength(begun.length);
});

it("decodes the examples of RFC 7541, appendix C.4", () => {
  const decoded = (hex: string) =>
    [...encodedCharacters(Buffer.from(hex, "hex"))]
      .map(({ character }) => String.fromCharCode(character))
      .join("");
  expect(decoded("f1e3c2e5f23a6ba0ab90f4ff")).toBe("www.example.com");
  expect(decoded("25a849e95bb8e8b4bf")).toBe("custom-value");
  expect(codeOf("|".charCodeAt(0))).toEqual({ code: 0x7fc, length: 11 });
  expect(codeOf("+".charCodeAt(0))).toEqual({ code: 0x7fb, length: 11 });
});

it("ends connections that send nothing when the server stops", async () => {
  const stopping = new GrpcServer({});
  const socket = connectSocket(await stopping.listen(0, "127.0.0.1"), "127.0.0.1");
  await once(socket, "connect");
  const closed = once(socket, "close");
  await stopping.stop();
  await closed;
});
