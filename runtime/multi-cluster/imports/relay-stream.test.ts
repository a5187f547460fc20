import type { ServerHttp2Stream } from "node:http2";
import { Metadata, status } from "@grpc/grpc-js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hopsHeader } from "../../../sdk/topology/multi-cluster-names.ts";
import { leavingNotice, streamedBody } from "../../epp/protocol/processing-response.ts";
import { body, post, toBytes } from "../../epp/server/conversation.fixture.ts";
import { envoyHeader } from "../../epp/server/ext-proc-service.ts";
import { frames } from "../../manager/grpc/grpc-frames.ts";
import { unreadableHops } from "./hop-mark.ts";
import { prompt, RelayScene, served, soon } from "./relay-scene.fixture.ts";

let relay: RelayScene;
beforeEach(async () => {
  relay = await RelayScene.start();
});
afterEach(() => relay.stop());

describe("a stream", () => {
  it("passes messages to its cluster and back", async () => {
    const events = await relay.cluster("a");
    expect(await relay.ask()).toMatchObject(served);
    expect(relay.told).toEqual(["to a"]);
    expect(events.completed).toHaveLength(1);
    await expect.poll(() => relay.outcomes, soon).toEqual(["OK"]);
  });

  it("a stream that the proxy cancels is cancelled at the picker", async () => {
    const events = await relay.cluster("a");
    const { call, received } = relay.open(post(), body(prompt));
    await received(2);
    expect(events.running).toBe(1);
    call.cancel();
    await expect.poll(() => events.running, soon).toBe(0);
    expect(relay.outcomes).toEqual(["CANCELLED"]);
  });

  it("a stream that the picker refuses ends with the picker's refusal", async () => {
    await relay.cluster("a");
    await relay.cluster("b");
    const { answers, ended } = relay.open(post(), body("{"));
    expect(await ended).toMatchObject({ code: status.OK });
    expect(answers).toMatchObject([{ to: "immediateResponse", status: 400 }]);
    expect(relay.told).toEqual(["to a"]);
  });

  it("a stream of several megabytes arrives complete", async () => {
    await relay.cluster("a");
    const text = JSON.stringify({ model: "m", prompt: "x".repeat(3 * 2 ** 20) });
    const { call, answers, ended } = relay.open(post(), body(text));
    call.end();
    await ended;
    expect(
      answers
        .slice(1)
        .map(({ body }) => body)
        .join("") === text,
    ).toBe(true);
  });

  it("a stream waits while the proxy does not read", async () => {
    const written: number[] = [];
    const chunk = Buffer.alloc(2 ** 16);
    // One message: a flag, then the length of the rest.
    chunk.writeUInt32BE(chunk.length - 5, 1);
    await relay.faultyCluster("a", (stream) => {
      stream.respond({ ":status": 200, "content-type": "application/grpc" });
      const write = () => {
        while (written.length < 2_000) {
          written.push(chunk.length);
          if (!stream.write(chunk)) return;
        }
      };
      stream.on("drain", write);
      write();
    });
    const { call } = relay.open();
    // Until a client starts reading, it buffers everything; a paused client does not.
    call.once("data", () => call.pause());
    call.write(toBytes(post()));
    await expect.poll(() => written.length, soon).toBeGreaterThan(10);
    // Windows and buffers in between hold some megabytes; the remaining bytes wait.
    const settled = async () => {
      const before = written.length;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return written.length === before;
    };
    await expect.poll(settled, soon).toBe(true);
    expect(written.length).toBeLessThan(200);
    call.cancel();
  });
});

describe("a proxy that continues without its stream", () => {
  const going = new Metadata();
  going.set(envoyHeader, "true");

  it("gets the picker's answers, and its stream ends when the picker leaves", async () => {
    const events = await relay.cluster("a");
    const { answers, ended } = relay.openWith(going, post(), body(prompt));
    expect(await ended).toMatchObject({ code: status.OK });
    expect(answers).toMatchObject(served.slice(0, 2));
    expect(events.unwatched).toHaveLength(1);
    await expect.poll(() => relay.outcomes, soon).toEqual(["OK"]);
  });

  it("keeps its stream if the cluster's picker observes the response", async () => {
    const events = await relay.cluster("a", { responseHeaders: [["x-session-token", "t"]] });
    const { call, received, ended } = relay.openWith(going, post(), body(prompt));
    await received(2);
    call.write(toBytes({ responseHeaders: {} }));
    await received(3);
    call.end();
    await ended;
    expect(events.unwatched).toEqual([]);
  });

  /** Adds a picker that announces its last answer. The test ends the returned streams. */
  async function leavingCluster() {
    const streams: ServerHttp2Stream[] = [];
    await relay.faultyCluster("a", (stream) => {
      stream.respond(
        { ":status": 200, "content-type": "application/grpc" },
        { waitForTrailers: true },
      );
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      stream.write(
        frames([
          streamedBody("requestBody", Buffer.from("first"), false),
          leavingNotice,
          streamedBody("requestBody", Buffer.from("last"), true),
        ]),
      );
      streams.push(stream);
    });
    return streams;
  }

  it("gets the last answer together with the end of the stream, and no announcement", async () => {
    const streams = await leavingCluster();
    const { answers, received, ended } = relay.openWith(going, post());
    await received(1);
    // Once another stream has received its messages, the earlier messages of this stream have been read.
    await relay.open(post()).received(2);
    expect(answers).toMatchObject([{ body: "first" }]);
    streams[0]?.end();
    expect(await ended).toMatchObject({ code: status.OK });
    expect(answers).toMatchObject([{ body: "first" }, { body: "last" }]);
  });

  it("gets UNAVAILABLE if the cluster is lost between its last answer and the end of the stream", async () => {
    const streams = await leavingCluster();
    await relay.cluster("b");
    const { received, ended } = relay.openWith(going, post());
    await received(1);
    streams[0]?.close(2);
    expect(await ended).toMatchObject({ code: status.UNAVAILABLE });
    expect(relay.told).toEqual(["to a", "lost a"]);
  });
});

describe("a stream that another cluster forwarded", () => {
  const marks: ReadonlyArray<readonly [Record<string, string>, Record<string, string>, number]> = [
    [{}, {}, 0],
    [{ [hopsHeader]: "0" }, {}, 0],
    [{ [hopsHeader]: "1" }, {}, 1],
    [{ [hopsHeader]: "3" }, { [hopsHeader]: "2" }, 3],
    [{}, { [hopsHeader]: "2" }, 2],
    [{ [hopsHeader]: "-1" }, {}, unreadableHops],
    [{ [hopsHeader]: "0, 0" }, {}, unreadableHops],
  ];
  it.each(marks)(
    "has the larger hop count of request headers %j and stream headers %j",
    async (...mark) => {
      const [ofRequest, ofStream, hops] = mark;
      await relay.cluster("a");
      const metadata = new Metadata();
      for (const [name, value] of Object.entries(ofStream)) metadata.set(name, value);
      const { answers, call, received } = relay.openWith(metadata, post(ofRequest), body(prompt));
      await received(1);
      call.cancel();
      expect(relay.asked).toEqual([hops]);
      expect(answers[0]).toMatchObject(
        hops === 0 ? { to: "requestHeaders" } : { to: "immediateResponse", status: 503 },
      );
      expect(relay.told).toEqual([hops === 0 ? "to a" : "to undefined"]);
    },
  );

  it("sends its hop count to the next picker", async () => {
    const marks: unknown[] = [];
    await relay.faultyCluster("a", (_, __, headers) => marks.push(headers[hopsHeader]));
    relay.open(post());
    await expect.poll(() => marks[0], soon).toBe("1");
  });
});
