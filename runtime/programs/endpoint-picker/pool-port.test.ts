import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { createConnection } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { freePorts } from "../../../testing/processes/free-ports.ts";
import { type ExtProcService, extProcPath } from "../../epp/server/ext-proc-service.ts";
import { limits } from "../../limits.ts";
import { selfSignedCertificate } from "../../manager/tls/self-signed.ts";
import { ServerTls } from "../../manager/tls/server-tls.ts";
import { PoolPort } from "./pool-port.ts";

const opened: Array<{ close(within: number): Promise<void> }> = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((port) => port.close(0)));
});

/** A service that responds to each stream with its name. */
const named = (name: string): Pick<ExtProcService, "serve"> => ({
  serve(stream) {
    stream.on("error", () => {});
    stream.respond({ ":status": 200, name });
    stream.resume().once("end", () => stream.end());
  },
});

const plain = { scheme: "http", tls: undefined } as const;
const secure = {
  scheme: "https",
  tls: new ServerTls(selfSignedCertificate("picker", new Date()), {
    minVersion: undefined,
    ciphers: undefined,
  }),
} as const;

async function open(name: string, { scheme, tls }: typeof plain | typeof secure = plain) {
  const [number] = (await freePorts(1)) as [number];
  const port = await PoolPort.open(number, named(name), tls);
  opened.push(port);
  const session = () => {
    const session = connect(`${scheme}://127.0.0.1:${number}`, { rejectUnauthorized: false });
    session.on("error", () => {});
    return session;
  };
  return { port, number, session };
}

/** Opens a stream. Returns it with the name of the service that responded. */
async function ask(session: ClientHttp2Session) {
  const stream = session.request({ ":method": "POST", ":path": extProcPath });
  stream.on("error", () => {});
  const [headers] = (await once(stream, "response")) as [{ name?: string }];
  return { stream, name: headers.name };
}

describe("PoolPort", () => {
  it("connections beyond the limit of an address are closed", async () => {
    const { number } = await open("one");
    let closed = 0;
    const more = 20;
    const sockets = [];
    // In sequence, because a listener's backlog is smaller than the number of connections.
    for (let at = 0; at < limits.connectionsOfAddress.value + more; at += 1) {
      const socket = createConnection(number, "127.0.0.1").resume();
      socket
        .on("error", () => {})
        .on("close", () => {
          closed += 1;
        });
      await once(socket, "connect");
      sockets.push(socket);
    }
    await expect.poll(() => closed, { timeout: 10_000 }).toBe(more);
    for (const socket of sockets) socket.destroy();
  });

  it("a new stream is served by the current service, and open ones by their first", async () => {
    const { port, session } = await open("one");
    const client = session();
    const first = await ask(client);
    port.use(named("two"));
    const second = await ask(client);
    expect([first.name, second.name]).toEqual(["one", "two"]);
    // The first stream continues with its first service.
    first.stream.resume().end();
    await once(first.stream, "close");
    client.destroy();
  });

  it("a port has the flow control windows of the picker's gRPC servers", async () => {
    const { session } = await open("one");
    const client = session();
    const [settings] = (await once(client, "remoteSettings")) as [{ initialWindowSize?: number }];
    expect(settings.initialWindowSize).toBe(2 ** 18);
    const { stream } = await ask(client);
    await new Promise((resolve) => client.ping(resolve));
    expect(client.state.remoteWindowSize).toBe(2 ** 24);
    stream.close();
    client.destroy();
  });

  it("a closed port without connections is free immediately", async () => {
    const { port, number } = await open("one");
    await port.close(60_000);
    await expect(
      PoolPort.open(number, named("next"), plain.tls).then((next) => {
        opened.push(next);
      }),
    ).resolves.toBeUndefined();
  });

  it.each([
    ["plain text", plain],
    ["TLS", secure],
  ])("a port in %s closes when its streams have ended", async (_, security) => {
    const { port, number, session } = await open("one", security);
    const client = session();
    const { stream } = await ask(client);
    let isClosed = false;
    const closed = port.close(60_000).then(() => {
      isClosed = true;
    });
    const refused = createConnection(number, "127.0.0.1");
    const [error] = (await once(refused, "error")) as [NodeJS.ErrnoException];
    expect(error.code).toBe("ECONNREFUSED");
    expect(isClosed).toBe(false);
    stream.resume().end();
    await closed;
  });

  it("close ends streams after the timeout, and connections without data", async () => {
    const { port, number, session } = await open("one");
    const client = session();
    const { stream } = await ask(client);
    const silent = createConnection(number, "127.0.0.1");
    await once(silent, "connect");
    // This connection is accepted after the other two, so the port has accepted all.
    const later = session();
    await once(later, "remoteSettings");
    const ends = Promise.all([once(stream, "close"), once(silent.resume(), "close")]);
    await port.close(10);
    await ends;
    later.destroy();
  });

  it("open fails with EADDRINUSE on a port in use", async () => {
    const { number } = await open("one");
    await expect(PoolPort.open(number, named("two"), plain.tls)).rejects.toThrow(/EADDRINUSE/);
  });
});
