import { connect as connectHttp2, constants } from "node:http2";
import { connect as connectTcp } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { toBytes } from "../../runtime/epp/server/conversation.fixture.ts";
import { frames } from "../../runtime/manager/grpc/grpc-frames.ts";
import { healthPaths } from "../../runtime/manager/health/health-service.ts";
import { connection, goesOn, method, open, requestBody, requestHeaders } from "./proxy-streams.ts";
import type { Attack } from "./stage.ts";

/** Attacks on the streams and the health of the picker by a client that reaches its own ports. */

const oneRequest = frames(
  [requestHeaders(), requestBody('{"model":"base","prompt":"hi"}')].map(toBytes),
);

export const streamAttacks: readonly Attack[] = [
  {
    finding: "B6",
    title: "100 proxies with a request each that neither answer nor end",
    async run({ ports }, signal) {
      const sockets = Array.from({ length: 100 }, () => {
        const socket = connectTcp(ports.grpc, "127.0.0.1");
        socket.on("error", () => {});
        const session = connectHttp2("http://picker", { createConnection: () => socket });
        session.on("error", () => {});
        open(session).write(oneRequest);
        return { socket, session };
      });
      await sleep(200);
      for (const { socket } of sockets) socket.pause();
      while (!signal.aborted) await sleep(100);
      for (const { session } of sockets) session.destroy();
      return "held";
    },
  },
  {
    finding: "B6+",
    title: "100 requests in one stream",
    async run(stage, signal) {
      const session = connection(stage.ports.grpc);
      let refused = 0;
      while (goesOn(session, stage, signal)) {
        const stream = open(session);
        stream.on("trailers", (trailers) => {
          if (trailers["grpc-status"] === "3") refused += 1;
        });
        for (let at = 0; at < 100; at += 1) stream.write(oneRequest);
        stream.end();
        await sleep(5);
      }
      session.destroy();
      return `${refused} refused`;
    },
  },
  {
    finding: "B6+",
    title: "RST_STREAM(NO_ERROR) while an answer waits, then GOAWAY",
    async run(stage, signal) {
      let rounds = 0;
      while (!signal.aborted && stage.ended() === undefined) {
        const session = connectHttp2(`http://127.0.0.1:${stage.ports.grpc}`, {
          settings: { initialWindowSize: 0 },
        });
        session.on("error", () => {});
        for (let at = 0; at < 20; at += 1) {
          const stream = open(session);
          stream.write(oneRequest, () => stream.close(constants.NGHTTP2_NO_ERROR));
        }
        await sleep(20);
        if (!session.destroyed) session.goaway(constants.NGHTTP2_NO_ERROR);
        await sleep(5);
        session.destroy();
        rounds += 1;
      }
      return `${rounds} connections`;
    },
  },
  {
    finding: "B6+",
    title: "streams opened and reset as fast as they can be",
    async run(stage, signal) {
      const session = connection(stage.ports.grpc);
      let resets = 0;
      while (goesOn(session, stage, signal)) {
        for (let at = 0; at < 100; at += 1) {
          const stream = open(session);
          stream.close(constants.NGHTTP2_CANCEL);
        }
        resets += 100;
        await sleep(5);
      }
      session.destroy();
      return `${resets} resets`;
    },
  },
  {
    finding: "B6+",
    title: "3,000 idle streams, and as many with a frame a second",
    async run(stage, signal) {
      const sessions = [connection(stage.ports.grpc), connection(stage.ports.grpc)];
      const slow = sessions.flatMap((session, which) =>
        Array.from({ length: 3_000 }, () => {
          const stream = open(session);
          if (which === 1) stream.write(frames([toBytes(requestHeaders())]));
          return which === 1 ? [stream] : [];
        }).flat(),
      );
      const piece = frames([toBytes(requestBody(" ", false))]);
      while (!signal.aborted && stage.ended() === undefined) {
        for (const stream of slow) if (!stream.destroyed) stream.write(piece);
        await sleep(1_000, undefined, { signal }).catch(() => {});
      }
      for (const session of sessions) session.destroy();
      return "held";
    },
  },
  {
    finding: "S5",
    title: "10,000 who watch the health service",
    async run(stage, signal) {
      const sessions = Array.from({ length: 100 }, () =>
        connection(stage.ports.health, "127.0.0.9"),
      );
      const ask = { ...method, ":path": healthPaths.watch };
      for (const session of sessions)
        for (let at = 0; at < 100; at += 1) {
          const stream = session.request(ask);
          stream.on("error", () => {});
          stream.resume();
          stream.end(frames([Buffer.alloc(0)]));
        }
      while (!signal.aborted && stage.ended() === undefined) await sleep(100);
      for (const session of sessions) session.destroy();
      return "held";
    },
  },
];
