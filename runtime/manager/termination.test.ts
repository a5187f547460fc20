import { EventEmitter } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { Server, ServerCredentials, type ServerDuplexStream } from "@grpc/grpc-js";
import { describe, expect, it } from "vitest";
import { newLog } from "./log.ts";
import { drain, stopServer, terminationSignal } from "./termination.ts";

const silent = newLog({ verbosity: -1, write: () => {}, now: () => 0 });

describe("termination signals", () => {
  it.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)(
    "the first %s is reported, and a second ends the process with %i",
    async (signal, code) => {
      const process = new EventEmitter();
      const exits: number[] = [];
      const first = terminationSignal(process, (code) => exits.push(code));
      process.emit(signal);
      expect(await first).toBe(signal);
      expect(exits).toEqual([]);
      process.emit(signal);
      expect(exits).toEqual([code]);
    },
  );
});

describe("drain", () => {
  function steps(releaseLease: () => Promise<void> = async () => {}) {
    const done: string[] = [];
    return {
      done,
      input: {
        timeoutMs: 5,
        log: silent,
        running: () => 0,
        markNotServing: () => done.push("not serving"),
        releaseLease: () => {
          done.push("release lease");
          return releaseLease();
        },
        stop: async () => {
          done.push("stop");
        },
      },
    };
  }

  it("drain reports not serving, releases the lease, and stops after its window", async () => {
    const { done, input } = steps();
    const draining = drain("SIGTERM", input);
    expect(done).toEqual(["not serving", "release lease"]);
    await draining;
    expect(done).toEqual(["not serving", "release lease", "stop"]);
  });

  it("drain stops even if the lease could not be released", async () => {
    const { done, input } = steps(() => Promise.reject(new Error("no API server")));
    await drain("SIGTERM", input);
    expect(done.at(-1)).toBe("stop");
  });

  it("drain has no window after SIGINT", async () => {
    const { done, input } = steps();
    await drain("SIGINT", { ...input, timeoutMs: 3_600_000 });
    expect(done.at(-1)).toBe("stop");
  });
});

const identity = (bytes: Buffer): Buffer => bytes;
const echo = {
  path: "/test.Echo/Echo",
  requestStream: true,
  responseStream: true,
  requestSerialize: identity,
  requestDeserialize: identity,
  responseSerialize: identity,
  responseDeserialize: identity,
} as const;

async function start(): Promise<{ server: Server; session: ClientHttp2Session; port: number }> {
  const server = new Server();
  server.addService(
    { Echo: echo },
    {
      Echo(call: ServerDuplexStream<Buffer, Buffer>) {
        call.on("data", (bytes) => call.write(bytes));
        call.on("end", () => call.end());
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return { server, session: connect(`http://127.0.0.1:${port}`), port };
}

it("stopServer rejects new connections and lets open streams end", async () => {
  const { server, session, port } = await start();
  const message = Buffer.from([0, 0, 0, 0, 1, 7]);
  const stream = session.request({
    ":method": "POST",
    ":path": echo.path,
    "content-type": "application/grpc",
    te: "trailers",
  });
  const echoed = () => new Promise((resolve) => stream.once("data", resolve));
  stream.write(message);
  await echoed();
  let stopped = false;
  const stopping = stopServer(server).then(() => {
    stopped = true;
  });
  await new Promise((resolve) => session.once("goaway", resolve));
  const refused = connect(`http://127.0.0.1:${port}`);
  await expect(new Promise((_, reject) => refused.once("error", reject))).rejects.toThrow(
    "ECONNREFUSED",
  );
  stream.write(message);
  expect(await echoed()).toEqual(message);
  expect(stopped).toBe(false);
  const status = new Promise((resolve) =>
    stream.once("trailers", (trailers) => resolve(trailers["grpc-status"])),
  );
  stream.end();
  expect(await status).toBe("0");
  await stopping;
});
