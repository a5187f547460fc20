import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { HttpConnection, type HttpOutcome, postRequest } from "./http-connection.ts";

it("reads successive responses of either framing, and reports a closed connection", async () => {
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    if (request.url === "/whole") response.writeHead(200, { "content-length": 4 }).end("done");
    if (request.url === "/gone") request.socket.destroy();
    if (request.url !== "/chunked") return;
    response.writeHead(503).write("first");
    await turn();
    response.end("second");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const connection = new HttpConnection("127.0.0.1", (server.address() as AddressInfo).port);
  const send = (path: string) =>
    new Promise<HttpOutcome>((resolve) =>
      connection.send(postRequest("test", path, Buffer.from("{}")), resolve),
    );
  expect(await send("/whole")).toEqual({ status: 200 });
  expect(await send("/chunked")).toEqual({ status: 503 });
  expect(await send("/whole")).toEqual({ status: 200 });
  expect(await send("/gone")).toEqual({ failure: "the connection was closed" });
  expect(connection.usable).toBe(false);
  server.close();
});
