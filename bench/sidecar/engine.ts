import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** STAND-IN for an engine: streams a token every 20 ms, or answers immediately if the request asks for no stream. */
const events = 50;
const intervalMs = 20;
const event = `data: {"id":"d","choices":[{"delta":{"content":"token "}}]}\n\n`;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request
    .on("data", (chunk: Buffer) => chunks.push(chunk))
    .on("end", () => {
      if (!Buffer.concat(chunks).includes('"stream":true'))
        return void response.end('{"id":"d","kv_transfer_params":{"remote_block_ids":[[1]]}}');
      response.writeHead(200, { "content-type": "text/event-stream" });
      let sent = 0;
      const timer = setInterval(() => {
        response.write(event);
        sent += 1;
        if (sent < events) return;
        clearInterval(timer);
        response.end();
      }, intervalMs);
    });
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
