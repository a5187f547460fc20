import { once } from "node:events";
import { connect, createServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { canEndAtOnce, endAtOnce } from "./end-at-once.ts";

/** Opens a stream of a client, which the server answers with `answer`. Returns the body and the trailers. */
async function answered(answer: (stream: ServerHttp2Stream) => void) {
  const server = createServer();
  server.on("stream", (stream) => {
    stream.respond({ ":status": 200 }, { waitForTrailers: true });
    answer(stream);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const request = client.request({ ":method": "POST" });
  const trailers = once(request, "trailers");
  let body = "";
  request.setEncoding("utf8").on("data", (text: string) => {
    body += text;
  });
  await once(request.end(), "close");
  client.close();
  server.close();
  return { body, trailers: (await trailers)[0] as Record<string, string> };
}

it("this version of Node.js has the private handle of HTTP/2 streams", async () => {
  let can = false;
  await answered((stream) => {
    can = canEndAtOnce(stream);
    stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.end();
  });
  expect(
    can,
    `Node.js ${process.version} has no symbol kHandle with trailers() on HTTP/2 streams: adapt handleOf of end-at-once.ts`,
  ).toBe(true);
});

it("endAtOnce sends the bytes and gRPC status OK after earlier bytes", {
  timeout: 5_000,
}, async () => {
  const { body, trailers } = await answered((stream) => {
    stream.write("first ");
    endAtOnce(stream, Buffer.from("last"));
  });
  expect(body).toBe("first last");
  expect(trailers["grpc-status"]).toBe("0");
});

it("a stream without the handle cannot end at once", () => {
  expect(canEndAtOnce({} as ServerHttp2Stream)).toBe(false);
});
