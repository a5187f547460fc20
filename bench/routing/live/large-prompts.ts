import { setTimeout as sleep } from "node:timers/promises";
import { connectExtProc } from "../../../testing/ext-proc/client.ts";

/**
 * `large-prompts.ts ADDRESS RATE`: asks a picker for prompts of 800 KB, RATE times per second, and leaves each when it has an
 * endpoint, so that no engine computes it. Runs until it is ended, or until the picker fails a request.
 */
const [address = "", rate] = process.argv.slice(2);
const client = connectExtProc(address, { tls: true });
const text = " large".repeat(800_000 / 6);
/** No two prompts share a prefix. */
const bodyOf = (number: number) =>
  Buffer.from(`{"model":"base","max_tokens":1,"stream":true,"prompt":"${number}${text}"}`);
const chunkBytes = 64 * 1024;

async function ask(number: number): Promise<void> {
  const body = bodyOf(number);
  const stream = client.open({
    protocolConfig: {
      requestBodyMode: "FULL_DUPLEX_STREAMED",
      responseBodyMode: "FULL_DUPLEX_STREAMED",
    },
  });
  stream.requestHeaders({
    ":method": "POST",
    ":path": "/v1/completions",
    ":authority": "gateway.example.com",
    "content-type": "application/json",
    "x-request-id": `large-${number}`,
  });
  for (let at = 0; at < body.length; at += chunkBytes)
    stream.requestBody(body.subarray(at, at + chunkBytes), {
      endOfStream: at + chunkBytes >= body.length,
    });
  await stream.next();
  stream.cancel();
}

for (let number = 0; ; number += 1) {
  void ask(number);
  await sleep(1_000 / Number(rate));
}
