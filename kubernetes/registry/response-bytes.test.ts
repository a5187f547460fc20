import { expect, it } from "vitest";
import { bytesOf, readBytes } from "./response-bytes.ts";

/** A response that sends these parts, and then nothing more without an end. */
function stalled(...parts: string[]) {
  let isCancelled = false;
  const body = new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(Buffer.from(part));
    },
    cancel() {
      isCancelled = true;
    },
  });
  return { response: new Response(body), isCancelled: () => isCancelled };
}

async function read(response: Response, most: number): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of bytesOf(response, most, 20)) parts.push(part);
  return Buffer.concat(parts).toString();
}

it("bytesOf refuses a response that stops, and closes it", async () => {
  const { response, isCancelled } = stalled("a");
  await expect(read(response, 10)).rejects.toThrow("sent nothing for 0.02 s");
  expect(isCancelled()).toBe(true);
});

it("bytesOf refuses more bytes than permitted, and closes the response", async () => {
  const { response, isCancelled } = stalled("abc", "def");
  await expect(read(response, 5)).rejects.toThrow("sent more than 5 bytes");
  expect(isCancelled()).toBe(true);
});

it.each([
  ["abc", 3],
  ["", 0],
])("readBytes returns %j within %i bytes", async (text, most) => {
  expect(String(Buffer.from(await readBytes(new Response(text), most)))).toBe(text);
});

it("readBytes returns nothing for a response without a body", async () => {
  expect(await readBytes(new Response(null), 0)).toHaveLength(0);
});
