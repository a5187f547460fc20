import { Client, credentials } from "@grpc/grpc-js";
import { afterEach, expect, it, type Mock, vi } from "vitest";
import { built } from "../../../scheduling/picker-configs.fixture.ts";
import { BlockHasher } from "../../../scheduling/prefix-cache/block-hash.ts";
import { bytesPerToken } from "../../../scheduling/requests/text-tokens.ts";
import { GrpcServer } from "../../manager/grpc/grpc-server.ts";
import { readProcessingRequest } from "../protocol/processing-request.ts";
import { type AdmissionPolicy, shedSheddable } from "../request-path/admit.ts";
import type { EndpointPicker } from "../request-path/route.ts";
import {
  type Answer,
  body,
  newEvents,
  post,
  standInPicker,
  toAnswer,
  toBytes,
} from "./conversation.fixture.ts";
import { Exchange } from "./exchange.ts";
import { prompt, trailers } from "./exchange-messages.fixture.ts";
import { extProcPath, extProcService } from "./ext-proc-service.ts";

/** Prompts that are hashed in slices before their requests are admitted. */

const KiB = 1024;
const chat = (bytes: number) => {
  const messages = [{ role: "user", content: "some text ".repeat(bytes / 10) }];
  return JSON.stringify({ model: "m", messages });
};
const chatHeaders = post({ ":path": "/v1/chat/completions" });
const long = body(chat(4_000_000));

const { scheduler } = built(`plugins:
- {type: approx-prefix-cache-producer, parameters: {maxPrefixTokensToMatch: 1048576}}
- {type: prefill-cost-scorer}
schedulingProfiles: [{name: default, plugins: [{pluginRef: prefill-cost-scorer}]}]`);

afterEach(() => {
  vi.restoreAllMocks();
});

/** An exchange, its answers, and its remaining steps. */
function begun(change: Partial<EndpointPicker>, ...messages: object[]) {
  const events = newEvents();
  const picker: EndpointPicker = { ...standInPicker({}, events), ...change };
  const answers: Answer[] = [];
  const reported: unknown[] = [];
  const exchange = new Exchange(
    picker,
    (bytes) => answers.push(toAnswer(bytes)),
    (error) => reported.push(error),
  );
  const say = (message: object) => exchange.receive(readProcessingRequest(toBytes(message)));
  for (const message of messages) {
    while (exchange.readsOn) exchange.readOn();
    say(message);
  }
  return { exchange, answers, events, picker, reported, say };
}

/** The kinds of the answers, in order. A long body is sent in many messages. */
const kinds = (answers: readonly Answer[]) => [...new Set(answers.map(({ to }) => to))];

/** Counts the bytes hashed since the last call. */
function hashedBytes(): () => number {
  const block = vi.spyOn(BlockHasher.prototype, "block");
  return () => {
    const bytes = block.mock.calls.reduce((sum, [, from, to]) => sum + to - from, 0);
    block.mockClear();
    return bytes * bytesPerToken;
  };
}

const withTokens: AdmissionPolicy = {
  queues: true,
  admit(pending) {
    pending.useTokens([[1, 2, 3]]);
    return pending.dispatch();
  },
};

it.each([
  ["sends requests immediately", shedSheddable],
  ["learns the tokens of a request", withTokens],
])("a step hashes at most 512 KiB of a body of 4 MB if admission %s", (_, admission) => {
  const hashed = hashedBytes();
  const { exchange, answers } = begun({ scheduler, admission }, chatHeaders, long);
  const steps = [hashed()];
  while (exchange.readsOn) {
    exchange.readOn();
    steps.push(hashed());
  }
  expect(kinds(answers)).toEqual(["requestHeaders", "requestBody"]);
  const all = steps.reduce((a, b) => a + b);
  expect(all).toBeGreaterThan(3_999_000);
  expect(all).toBeLessThan(4_001_000);
  // The last block of a slice may have begun in the slice before it.
  expect(Math.max(...steps)).toBeLessThanOrEqual(512 * KiB + 64 * bytesPerToken);
});

it("a body of up to 512 KiB is picked in the step that reads its end", () => {
  const { exchange, answers } = begun({ scheduler }, chatHeaders, body(chat(500_000)));
  const parts = Math.ceil(500_000 / (128 * KiB));
  for (let part = 1; part < parts; part += 1) {
    expect(answers).toEqual([]);
    exchange.readOn();
  }
  expect(kinds(answers)).toEqual(["requestHeaders", "requestBody"]);
});

/** A stand-in for the scheduler that hashes without end. */
function hashing(more: () => boolean = () => true) {
  const events = newEvents();
  const { scheduler: standIn } = standInPicker({}, events);
  const schedule = vi.fn(standIn.schedule.bind(standIn));
  const slices = vi.fn();
  const prepare = function* () {
    while (more()) {
      slices();
      yield 1;
    }
  };
  return { slices, schedule, scheduler: { ...standIn, schedule, prepare } };
}

/** Parses the body, and hashes three slices of its prompt. */
function hashThree(exchange: Exchange, slices: Mock): void {
  for (let step = 0; step < 100 && slices.mock.calls.length < 3; step += 1) exchange.readOn();
  expect(slices).toHaveBeenCalledTimes(3);
}

it("a request that is cancelled while its prompt is hashed frees its body, and is not scheduled", () => {
  const { slices, schedule, scheduler: endless } = hashing();
  const { exchange, events, picker, answers } = begun({ scheduler: endless }, chatHeaders, long);
  hashThree(exchange, slices);
  expect(picker.bodies.bytes).toBeGreaterThan(4_000_000);
  exchange.close();
  expect(exchange.readsOn).toBe(false);
  exchange.readOn();
  expect(slices).toHaveBeenCalledTimes(3);
  expect(schedule).not.toHaveBeenCalled();
  expect(picker.bodies.bytes + picker.bodies.briefBytes).toBe(0);
  expect({ running: events.running, sent: events.sent, answers }).toEqual({
    ...{ running: 0, sent: [], answers: [] },
  });
});

it("a body that is evicted while its prompt is hashed is refused with 503", () => {
  const { slices, schedule, scheduler: endless } = hashing();
  const { exchange, picker, answers } = begun({ scheduler: endless }, chatHeaders, long);
  hashThree(exchange, slices);
  const critical = { priority: 1, giveWay() {} };
  picker.bodies.hold(critical, picker.bodies.maxTotal);
  expect(answers).toMatchObject([{ to: "immediateResponse", status: 503 }]);
  expect(exchange.readsOn).toBe(false);
  expect(schedule).not.toHaveBeenCalled();
  picker.bodies.release(critical);
  expect(picker.bodies.bytes).toBe(0);
});

it.each([
  ["immediately", false],
  ["later", true],
])("trailers that end a long body are answered after it if it is sent %s", (_, queues) => {
  let send = () => {};
  const admission: AdmissionPolicy = {
    queues,
    admit(pending, waiter) {
      if (!queues) return pending.dispatch();
      send = () => waiter.routed(pending.dispatch());
      return { cancel() {} };
    },
  };
  const { exchange, answers } = begun(
    { scheduler, admission },
    ...[chatHeaders, body(chat(4_000_000), false), trailers("requestTrailers")],
  );
  while (exchange.readsOn) exchange.readOn();
  expect(exchange.queued).toBe(queues);
  send();
  const expected = ["requestHeaders", "requestBody", "requestTrailers"];
  expect(kinds(answers)).toEqual(expected);
});

it("a short request is answered while a long prompt is hashed", async () => {
  const answered: string[] = [];
  const deadline = performance.now() + 10_000;
  const { slices, scheduler: busy } = hashing(
    () => !answered.includes("short") && performance.now() < deadline,
  );
  const picker = { ...standInPicker({}, newEvents()), scheduler: busy };
  const { serve } = extProcService(picker, () => {}, { maxReceiveBytes: 5_000_000 });
  const server = new GrpcServer({ [extProcPath]: serve });
  const port = await server.listen(0, "127.0.0.1");
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const ask = (name: string, ...messages: object[]) => {
    const identity = (bytes: Buffer): Buffer => bytes;
    const call = client.makeBidiStreamRequest(extProcPath, identity, identity);
    call.on("error", () => {});
    call.once("data", () => answered.push(name));
    for (const message of messages) call.write(toBytes(message));
  };
  try {
    ask("long", chatHeaders, long);
    await expect.poll(() => slices.mock.calls.length).toBeGreaterThan(0);
    ask("short", post(), body(prompt));
    await expect.poll(() => answered, { timeout: 12_000 }).toEqual(["short", "long"]);
  } finally {
    client.close();
    server.abort();
  }
}, 20_000);
