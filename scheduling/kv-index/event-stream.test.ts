import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EngineBlocks } from "./engine-blocks.ts";
import { EventStream } from "./event-stream.ts";
import { type EnginePrompt, PublishingEngine } from "./publishing-engine.fixture.ts";

const weights = [1, 1, 1];
const seed = 42;

const found = (blocks: EngineBlocks, prompt: EnginePrompt): number =>
  blocks.run(blocks.keysOf(prompt, 1000), weights);

/** Prompts that often share a prefix. */
const prompts: fc.Arbitrary<EnginePrompt> = fc.record({
  tokens: fc
    .array(fc.constantFrom(1, 2), { minLength: 0, maxLength: 6 })
    .map((parts) => parts.flatMap((part) => [part, 7, 7, 151_935])),
  adapter: fc.constantFrom("", "", "sql"),
  cacheSalt: fc.constantFrom("", "", "abc"),
});

const steps = fc.array(
  fc.oneof(
    { weight: 10, arbitrary: fc.record({ do: fc.constant("serve" as const), prompt: prompts }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("lose" as const), prompt: prompts }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("clear" as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("reconnect" as const) }) },
  ),
  { minLength: 1, maxLength: 60 },
);

/** A stream, and the engine that publishes to it. */
class Wire {
  readonly engine = new PublishingEngine();
  readonly blocks = new EngineBlocks(seed, 1000);
  readonly stream: EventStream;
  /** A message was lost since the stream last had all blocks of the engine. */
  missed = false;

  constructor(replays: boolean) {
    this.stream = new EventStream(this.blocks, replays);
    this.connect();
  }

  connect(): void {
    this.#replay(this.stream.connected());
  }

  deliver(sequence: number | undefined): void {
    const message = this.engine.history.find((each) => each.sequence === sequence);
    if (message === undefined) return;
    this.#replay(this.stream.message(message.sequence, message.batch));
    this.missed = false;
  }

  #replay(from: number | undefined): void {
    let next = from;
    for (let rounds = 0; next !== undefined; rounds += 1) {
      expect(rounds).toBeLessThan(10);
      const first = next;
      for (const { sequence, batch } of this.engine.history)
        if (sequence >= first) this.stream.replayed(sequence, batch);
      next = this.stream.replayEnded(true);
    }
    if (from !== undefined) this.missed = false;
  }
}

function run(wire: Wire, step: (typeof steps extends fc.Arbitrary<infer T> ? T : never)[number]) {
  if (step.do === "serve") wire.deliver(wire.engine.serve(step.prompt));
  else if (step.do === "lose") {
    if (wire.engine.serve(step.prompt) !== undefined) wire.missed = true;
  } else if (step.do === "clear") wire.deliver(wire.engine.clear());
  else {
    if (step.do === "restart") wire.engine.restart();
    wire.stream.disconnected();
    expect(wire.blocks.size).toBe(0);
    wire.connect();
  }
}

describe("EventStream", () => {
  it("never claims a block that the engine does not have, whatever messages are lost", () => {
    fc.assert(
      fc.property(steps, fc.boolean(), fc.array(prompts), (script, replays, asked) => {
        const wire = new Wire(replays);
        for (const step of script) {
          run(wire, step);
          if (wire.missed) continue;
          for (const prompt of asked)
            expect(found(wire.blocks, prompt)).toBeLessThanOrEqual(wire.engine.hits(prompt));
        }
      }),
    );
  });

  it("has exactly the engine's blocks if the publisher still has the lost messages", () => {
    fc.assert(
      fc.property(steps, fc.array(prompts), (script, asked) => {
        const wire = new Wire(true);
        let sinceKnown = 0;
        for (const step of script) {
          run(wire, step);
          sinceKnown = step.do === "restart" ? 0 : sinceKnown + 1;
          // The engine keeps six messages for replay.
          if (sinceKnown > 6 || wire.missed) continue;
          for (const prompt of asked) {
            // Blocks that were cached before the first message in the buffer are unknown.
            if (wire.engine.history[0]?.sequence === 0)
              expect(found(wire.blocks, prompt)).toBe(wire.engine.hits(prompt));
          }
        }
      }),
    );
  });

  it("fills several gaps in a row although no message between them arrives in order", () => {
    const wire = new Wire(true);
    const prompt = (first: number) => ({ tokens: [first, 1, 1, 1, 9], adapter: "", cacheSalt: "" });
    for (let first = 0; first < 5; first += 1) {
      wire.engine.serve(prompt(2 * first));
      wire.deliver(wire.engine.serve(prompt(2 * first + 1)));
    }
    expect(wire.stream.counts).toMatchObject({ gaps: 5, lost: 0 });
    expect(found(wire.blocks, prompt(0))).toBe(1);
  });

  it("removes all blocks at a gap that no replay can fill, and continues", () => {
    const wire = new Wire(false);
    const prompt = (first: number) => ({
      tokens: [first, 1, 1, 1, first, 2, 2, 2, 9],
      adapter: "",
      cacheSalt: "",
    });
    wire.deliver(wire.engine.serve(prompt(1)));
    wire.engine.serve(prompt(2));
    wire.deliver(wire.engine.serve(prompt(3)));
    expect([1, 2, 3].map((first) => found(wire.blocks, prompt(first)))).toEqual([0, 0, 2]);
    expect(wire.stream.counts).toMatchObject({ gaps: 1, lost: 1, messages: 2 });
  });

  it("treats numbers that begin again as another process", () => {
    const wire = new Wire(true);
    const prompt = (first: number) => ({ tokens: [first, 1, 1, 1, 9], adapter: "", cacheSalt: "" });
    wire.deliver(wire.engine.serve(prompt(1)));
    wire.deliver(wire.engine.serve(prompt(2)));
    wire.engine.restart();
    wire.deliver(wire.engine.serve(prompt(3)));
    expect([1, 2, 3].map((first) => found(wire.blocks, prompt(first)))).toEqual([0, 0, 1]);
  });

  it("ignores a message that a replay already contained", () => {
    const wire = new Wire(true);
    const prompt = (first: number) => ({ tokens: [first, 1, 1, 1, 9], adapter: "", cacheSalt: "" });
    const late = [wire.engine.serve(prompt(1)), wire.engine.serve(prompt(2))];
    wire.deliver(wire.engine.serve(prompt(3)));
    const { epochs } = wire.stream.counts;
    for (const sequence of late) {
      const message = wire.engine.history.find((each) => each.sequence === sequence);
      // The publisher sent these messages first, but the replay was faster.
      if (message) wire.stream.replayed(message.sequence, message.batch);
    }
    expect(wire.stream.counts.epochs).toBe(epochs);
    expect([1, 2, 3].map((first) => found(wire.blocks, prompt(first)))).toEqual([1, 1, 1]);
  });

  it("requests three replays from a publisher that replays nothing, and then continues without them", () => {
    const stream = new EventStream(new EngineBlocks(seed, 10), true);
    const none = { events: [], unknown: 0 };
    expect(stream.connected()).toBe(0);
    expect(stream.replayEnded(true)).toBeUndefined();
    expect(stream.message(7, none)).toBe(0);
    expect(stream.replayEnded(true)).toBe(0);
    expect(stream.replayEnded(true)).toBeUndefined();
    expect(stream).toMatchObject({ state: "live", last: 7 });
    expect(stream.message(8, none)).toBeUndefined();
  });
});
