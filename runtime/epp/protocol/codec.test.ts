import { join } from "node:path";
import { loadSync, type MethodDefinition, type ServiceDefinition } from "@grpc/proto-loader";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readProcessingRequest } from "./processing-request.ts";
import {
  bodyResponse,
  headersResponse,
  immediateResponse,
  maxChunkBytes,
  streamedBodies,
  streamedBody,
  trailersResponse,
} from "./processing-response.ts";
import { WireError } from "./wire-reader.ts";

/** The same messages as a protobuf library reads and writes them. */
const service = loadSync(join(import.meta.dirname, "ext_proc.proto"), {
  oneofs: true,
  defaults: true,
  arrays: true,
})["envoy.service.ext_proc.v3.ExternalProcessor"] as ServiceDefinition;
const { requestSerialize, responseDeserialize } = service.Process as MethodDefinition<
  object,
  object
>;
const request = (message: object) => readProcessingRequest(requestSerialize(message));
const response = (bytes: Buffer) => responseDeserialize(bytes);

const headerName = fc.string({ unit: "binary-ascii", maxLength: 40 });
const headerText = fc.string({ unit: "binary", maxLength: 40 });
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.string().map((text) => ({ json: text, wire: { stringValue: text } })),
    fc.double({ noNaN: true }).map((number) => ({ json: number, wire: { numberValue: number } })),
    fc.boolean().map((bool) => ({ json: bool, wire: { boolValue: bool } })),
    fc.constant({ json: null, wire: { nullValue: 0 } }),
    tie("struct").map((struct) => {
      const { json, wire } = struct as Pair;
      return { json, wire: { structValue: wire } };
    }),
    fc.array(tie("value"), { maxLength: 3 }).map((list) => ({
      json: list.map((item) => (item as Pair).json),
      wire: { listValue: { values: list.map((item) => (item as Pair).wire) } },
    })),
  ),
  struct: fc
    .dictionary(fc.string({ maxLength: 8 }), tie("value"), { maxKeys: 3, noNullPrototype: true })
    .map((fields) => ({
      json: mapValues(fields as Record<string, Pair>, ({ json }) => json),
      wire: { fields: mapValues(fields as Record<string, Pair>, ({ wire }) => wire) },
    })),
}));

interface Pair {
  json: unknown;
  wire: unknown;
}

const mapValues = <T, U>(record: Record<string, T>, change: (value: T) => U) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));

describe("requests that a protobuf library wrote", () => {
  it.each(["requestHeaders", "responseHeaders"] as const)(
    "the headers of a %s message are read",
    (kind) => {
      const headers = fc.uniqueArray(
        fc.record({ key: headerName, value: headerText, raw: headerText }),
        {
          selector: ({ key }) => key.toLowerCase(),
        },
      );
      fc.assert(
        fc.property(headers, fc.boolean(), (list, endOfStream) => {
          const wire = list.map(({ key, value, raw }) => ({
            key,
            value,
            rawValue: Buffer.from(raw),
          }));
          const message = request({ [kind]: { headers: { headers: wire }, endOfStream } });
          expect(message).toMatchObject({ kind, endOfStream });
          for (const { key, value, raw } of list)
            expect(message.headers.get(key.toLowerCase())).toBe(raw === "" ? value : raw);
          expect(message.headers.has("x-none-of-them")).toBe(false);
        }),
      );
    },
  );

  it.each(["requestBody", "responseBody"] as const)("the body of a %s message is read", (kind) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, endOfStream) => {
        const body = Buffer.from(bytes);
        expect(request({ [kind]: { body, endOfStream } })).toMatchObject({
          kind,
          body,
          endOfStream,
        });
      }),
    );
  });

  it("metadata of every shape is read", () => {
    fc.assert(
      fc.property(value.struct, fc.string(), (struct, namespace) => {
        const { json, wire } = struct as Pair;
        const message = request({
          responseTrailers: {},
          metadataContext: { filterMetadata: { [namespace]: wire } },
        });
        expect(message.kind).toBe("responseTrailers");
        expect({ ...message.metadata.get(namespace) }).toEqual(json);
      }),
    );
  });

  it("the announced modes are read", () => {
    const protocolConfig = {
      requestBodyMode: "BUFFERED",
      responseBodyMode: "FULL_DUPLEX_STREAMED",
      sendBodyWithoutWaitingForHeaderResponse: true,
    };
    expect(request({ requestHeaders: {}, protocolConfig }).protocolConfig).toEqual({
      requestBodyMode: 2,
      responseBodyMode: 4,
      sendsBodyAtOnce: true,
    });
    expect(request({ requestHeaders: {} }).protocolConfig).toBeUndefined();
  });

  it("the first value of a repeated header name is used", () => {
    const headers = [
      { key: "X-A", rawValue: Buffer.from("1") },
      { key: "x-a", rawValue: Buffer.from("2") },
    ];
    expect(request({ requestHeaders: { headers: { headers } } }).headers.get("x-a")).toBe("1");
  });

  it("unknown fields are skipped", () => {
    const known = requestSerialize({ requestTrailers: {} });
    const unknown = Buffer.from([
      0x50, 0x01, 0x4a, 0x02, 0x0a, 0x00, 0x65, 1, 2, 3, 4, 0x61, 1, 2, 3, 4, 5, 6, 7, 8,
    ]);
    expect(readProcessingRequest(Buffer.concat([unknown, known])).kind).toBe("requestTrailers");
  });
});

describe("bytes that are not a message", () => {
  it("random bytes cause a WireError and no other error", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          readProcessingRequest(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
        }
      }),
    );
  });

  it("cut messages are read up to their last whole field, or cause a WireError", () => {
    const whole = requestSerialize({
      requestHeaders: { headers: { headers: [{ key: "a", rawValue: Buffer.from("b") }] } },
      metadataContext: { filterMetadata: { n: { fields: { k: { stringValue: "v" } } } } },
    });
    for (let length = 1; length < whole.length; length += 1) {
      const cut = whole.subarray(0, length);
      try {
        expect(readProcessingRequest(cut).kind).toBe("requestHeaders");
      } catch (error) {
        expect(error).toBeInstanceOf(WireError);
      }
    }
  });

  it("metadata nested too deep for the stack is refused", () => {
    let bytes = Buffer.alloc(0);
    const wrap = (field: number, content: Buffer) => {
      const length = [];
      let rest = content.length;
      for (; rest > 0x7f; rest >>>= 7) length.push((rest & 0x7f) | 0x80);
      return Buffer.concat([Buffer.from([(field << 3) | 2, ...length, rest]), content]);
    };
    for (let depth = 0; depth < 5_000; depth += 1) bytes = wrap(1, wrap(2, wrap(5, bytes)));
    const message = wrap(8, wrap(1, wrap(2, bytes)));
    expect(() => readProcessingRequest(message)).toThrow(WireError);
  });
});

describe("answers that a protobuf library reads", () => {
  const raw = (key: string, value: string) => ({
    header: { key, value: "", rawValue: Buffer.from(value) },
    appendAction: 2,
  });

  it("headers to set and to remove, with the route cache and metadata", () => {
    const bytes = headersResponse("requestHeaders", {
      set: [
        ["x-gateway-destination-endpoint", "10.0.0.1:8000"],
        ["content-length", "12"],
      ],
      remove: ["x-prefiller-host-port"],
      clearRouteCache: true,
      dynamicMetadata: { "envoy.lb": { a: "b", scores: { "10.0.0.1:8000": 0.5 } } },
    });
    expect(response(bytes)).toMatchObject({
      requestHeaders: {
        response: {
          clearRouteCache: true,
          headerMutation: {
            setHeaders: [
              raw("x-gateway-destination-endpoint", "10.0.0.1:8000"),
              raw("content-length", "12"),
            ],
            removeHeaders: ["x-prefiller-host-port"],
          },
        },
      },
      dynamicMetadata: {
        fields: {
          "envoy.lb": {
            structValue: {
              fields: {
                a: { stringValue: "b" },
                scores: { structValue: { fields: { "10.0.0.1:8000": { numberValue: 0.5 } } } },
              },
            },
          },
        },
      },
    });
  });

  it("headers without a change give an empty answer", () => {
    expect(headersResponse("responseHeaders")).toEqual(Buffer.from([0x12, 0x00]));
  });

  it("headers of any text and number", () => {
    const list = fc.array(
      fc.tuple(fc.string({ unit: "grapheme" }), fc.string({ maxLength: 3_000 })),
    );
    fc.assert(
      fc.property(list, (set) => {
        expect(response(headersResponse("responseHeaders", { set }))).toMatchObject({
          responseHeaders:
            set.length === 0
              ? {}
              : { response: { headerMutation: { setHeaders: set.map(([k, v]) => raw(k, v)) } } },
        });
      }),
    );
  });

  it.each([0, 1, 127, 128, 20_000, maxChunkBytes])("a chunk of %i bytes", (length) => {
    const body = Buffer.alloc(length, "x");
    expect(response(streamedBody("responseBody", body, true))).toMatchObject({
      responseBody: {
        response: { bodyMutation: { streamedResponse: { body, endOfStream: true } } },
      },
    });
  });

  it.each([
    [0, [0]],
    [maxChunkBytes, [maxChunkBytes]],
    [maxChunkBytes + 1, [maxChunkBytes, 1]],
    [3 * maxChunkBytes, [maxChunkBytes, maxChunkBytes, maxChunkBytes]],
  ])("a body of %i bytes in chunks of %j, the last with the end", (length, expected) => {
    const chunks = streamedBodies("requestBody", Buffer.alloc(length, "y"), true).map(
      // biome-ignore lint/suspicious/noExplicitAny: the library's objects are untyped
      (bytes) => (response(bytes) as any).requestBody.response.bodyMutation.streamedResponse,
    );
    expect(chunks.map(({ body }) => body.length)).toEqual(expected);
    expect(chunks.map(({ endOfStream }) => endOfStream)).toEqual(
      expected.map((_, at) => at === expected.length - 1),
    );
  });

  it("a replaced, an emptied and an unchanged body", () => {
    const mutation = (body?: Buffer) => response(bodyResponse("requestBody", { body }));
    expect(mutation(Buffer.from("new"))).toMatchObject({
      requestBody: { response: { bodyMutation: { body: Buffer.from("new") } } },
    });
    expect(mutation(Buffer.alloc(0))).toMatchObject({
      requestBody: { response: { bodyMutation: { clearBody: true } } },
    });
    expect(bodyResponse("requestBody")).toEqual(Buffer.from([0x1a, 0x00]));
  });

  it("trailers and immediate responses", () => {
    expect(response(trailersResponse("requestTrailers"))).toMatchObject({ requestTrailers: {} });
    const set = [["x-llm-d-request-dropped-reason", "rejected-saturated"]] as const;
    expect(response(immediateResponse({ status: 429, body: "no", set }))).toMatchObject({
      immediateResponse: {
        status: { code: 429 },
        body: Buffer.from("no"),
        headers: { setHeaders: [raw("x-llm-d-request-dropped-reason", "rejected-saturated")] },
      },
    });
  });
});
