import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { StreamedBody } from "./streamed-body.ts";
import { type Writer, WriteTurns } from "./write-turns.ts";

let server: Server | undefined;

afterEach(() => server?.close());

/** Returns all bytes that a client receives for the requests in `text`. */
async function answersTo(
  text: string,
  serve: (response: ServerResponse, body: () => StreamedBody) => void,
): Promise<string> {
  const turns = new WriteTurns();
  server = createServer((_, response) =>
    serve(response, () => {
      response.writeHead(response.statusCode, { date: "now" });
      response.flushHeaders();
      return new StreamedBody(response, turns);
    }),
  );
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server?.once("listening", resolve));
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(text);
  let got = "";
  for await (const bytes of socket) got += bytes;
  return got;
}

const bodiesIn = (answers: string) =>
  answers.split(/HTTP\/1\.1 .*?\r\n\r\n/s).filter((body) => body !== "");
const request = (method: string, ...headers: readonly string[]) =>
  [`${method} / HTTP/1.1`, "host: a", ...headers, "", ""].join("\r\n");
const get = request("GET", "connection: close");

describe("StreamedBody", () => {
  it("writes all bytes since its last turn as one chunk, and ends the message", async () => {
    const got = await answersTo(get, (_, begin) => {
      const body = begin();
      body.write(Buffer.from("one "));
      body.write(Buffer.from("x".repeat(20)));
      setTimeout(() => {
        body.write(Buffer.from("two"));
        body.end();
      }, 20);
    });
    expect(bodiesIn(got)).toEqual([`18\r\none ${"x".repeat(20)}\r\n3\r\ntwo\r\n0\r\n\r\n`]);
  });

  it("ends a message without data", async () => {
    expect(bodiesIn(await answersTo(get, (_, begin) => begin().end()))).toEqual(["0\r\n\r\n"]);
  });

  it("keeps the responses of pipelined requests in order", async () => {
    const bodies: StreamedBody[] = [];
    const got = await answersTo(request("GET") + get, (_, begin) => {
      bodies.push(begin());
      if (bodies.length < 2) return;
      bodies[1]?.write(Buffer.from("second"));
      bodies[1]?.end();
      setTimeout(() => {
        bodies[0]?.write(Buffer.from("first"));
        bodies[0]?.end();
      }, 20);
    });
    expect(bodiesIn(got)).toEqual(["5\r\nfirst\r\n0\r\n\r\n", "6\r\nsecond\r\n0\r\n\r\n"]);
  });

  it.each([
    ["HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", 200, "hi"],
    ["HEAD", request("HEAD", "connection: close"), 200, ""],
    ["a response without a body", get, 204, ""],
  ])("writes no chunks for %s", async (_, text, status, expected) => {
    const got = await answersTo(text, (response, begin) => {
      response.statusCode = status;
      const body = begin();
      body.write(Buffer.from("hi"));
      body.end();
    });
    expect(bodiesIn(got).join("")).toBe(expected);
  });

  it("writes a long piece immediately and returns false", async () => {
    let enough = false;
    const length = 4 * 2 ** 20;
    const got = await answersTo(get, (_, begin) => {
      const body = begin();
      enough = !body.write(Buffer.alloc(length, "x"));
      body.end();
    });
    expect(enough).toBe(true);
    expect(bodiesIn(got)[0]?.length).toBe(length + "400000\r\n\r\n0\r\n\r\n".length);
  });
});

describe("WriteTurns", () => {
  it("lets the event loop run between writes, and gives every writer a turn", async () => {
    const turns = new WriteTurns();
    const order: string[] = [];
    const writer = (name: string): Writer => ({ takeTurn: () => order.push(name) });
    for (let at = 0; at < 100; at += 1) turns.add(writer("write"));
    await new Promise<void>((resolve) => {
      setImmediate(() => order.push("a request"));
      turns.add({ takeTurn: () => resolve() });
    });
    expect(order.filter((each) => each === "write")).toHaveLength(100);
    expect(order.slice(0, 50)).toContain("a request");
  });
});
