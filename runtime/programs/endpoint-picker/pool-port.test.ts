import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { createConnection } from "node:net";
import { ServerCredentials } from "@grpc/grpc-js";
import { afterEach, describe, expect, it } from "vitest";
import { freePorts } from "../../../testing/free-ports.ts";
import { type ExtProcService, extProcPath } from "../../epp/server/ext-proc-service.ts";
import { limits } from "../../limits.ts";
import { selfSignedCertificate } from "../../manager/tls/self-signed.ts";
import { PoolPort } from "./pool-port.ts";

const opened: Array<{ close(within: number): Promise<void> }> = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((port) => port.close(0)));
});

/** Responds to each stream with its name. */
const named = (name: string): Pick<ExtProcService, "serve"> => ({
  serve(stream) {
    stream.on("error", () => {});
    stream.respond({ ":status": 200, name });
    stream.resume().once("end", () => stream.end());
  },
});

const plain = { scheme: "http", credentials: ServerCredentials.createInsecure() } as const;
const { cert, key } = selfSignedCertificate("picker", new Date());
const tls = {
  scheme: "https",
  credentials: ServerCredentials.createSsl(null, [{ cert_chain: cert, private_key: key }]),
} as const;

async function open(name: string, { scheme, credentials }: typeof plain | typeof tls = plain) {
  const [number] = (await freePorts(1)) as [number];
  const port = await PoolPort.open(number, named(name), credentials);
  opened.push(port);
  const session = () => {
    const session = connect(`${scheme}://127.0.0.1:${number}`, { rejectUnauthorized: false });
    session.on("error", () => {});
    return session;
  };
  return { port, number, session };
}

/** A stream, and who serves it. */
async function ask(session: ClientHttp2Session) {
  const stream = session.request({ ":method": "POST", ":path": extProcPath });
  stream.on("error", () => {});
  const [headers] = (await once(stream, "response")) as [{ name?: string }];
  return { stream, name: headers.name };
}

describe("a port of a pool", () => {
  it("closes connections of an address that has as many as it may", async () => {
    const { number } = await open("one");
    let closed = 0;
    const more = 20;
    const sockets = [];
    // One after the other: so many at once are more than a listener's backlog.
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

  it("is served by who has it when a stream comes", async () => {
    const { port, session } = await open("one");
    const client = session();
    const first = await ask(client);
    port.use(named("two"));
    const second = await ask(client);
    expect([first.name, second.name]).toEqual(["one", "two"]);
    // It goes on with whom it began.
    first.stream.resume().end();
    await once(first.stream, "close");
    client.destroy();
  });

  it("has the windows of every gRPC server of the picker", async () => {
    const { session } = await open("one");
    const client = session();
    const [settings] = (await once(client, "remoteSettings")) as [{ initialWindowSize?: number }];
    expect(settings.initialWindowSize).toBe(2 ** 18);
    await new Promise((resolve) => client.ping(resolve));
    expect(client.state.remoteWindowSize).toBe(2 ** 24);
    client.destroy();
  });

  it("is free again as soon as it is closed, and nobody has connected", async () => {
    const { port, number } = await open("one");
    await port.close(60_000);
    await expect(
      PoolPort.open(number, named("next"), plain.credentials).then((next) => {
        opened.push(next);
      }),
    ).resolves.toBeUndefined();
  });

  it.each([
    ["plain text", plain],
    ["TLS", tls],
  ])("closes when its streams have ended, in %s", async (_, security) => {
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

  it("ends streams that last longer than they may, and connections that said nothing", async () => {
    const { port, number, session } = await open("one");
    const client = session();
    const { stream } = await ask(client);
    const silent = createConnection(number, "127.0.0.1");
    await once(silent, "connect");
    // A connection that was accepted after this one: the port has taken both.
    const later = session();
    await once(later, "remoteSettings");
    const ends = Promise.all([once(stream, "close"), once(silent.resume(), "close")]);
    await port.close(10);
    await ends;
    later.destroy();
  });

  it("says where something else listens", async () => {
    const { number } = await open("one");
    await expect(PoolPort.open(number, named("two"), plain.credentials)).rejects.toThrow(
      /EADDRINUSE/,
    );
  });
});
