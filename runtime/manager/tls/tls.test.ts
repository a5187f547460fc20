import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { afterEach, describe, expect, it, vi } from "vitest";
import { writeClientCertificate } from "../../../testing/api/client-certificate.ts";
import { GrpcServer } from "../grpc/grpc-server.ts";
import { readCertificate, watchCertificate } from "./certificate.ts";
import { cipherList } from "./go-names.ts";
import { selfSignedCertificate } from "./self-signed.ts";
import { ServerTls, type TlsSettings } from "./server-tls.ts";

const now = new Date("2026-01-01T00:00:00Z");
const plain: TlsSettings = { minVersion: undefined, ciphers: undefined };
const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

describe("a self-signed certificate", () => {
  const { cert, key } = selfSignedCertificate("epp.example", now);
  const parsed = new X509Certificate(cert);

  it("the certificate is signed with its own key, valid for ten years, for its hostname and server authentication only", () => {
    expect(parsed.verify(parsed.publicKey)).toBe(true);
    expect(parsed.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: "prime256v1" });
    expect(parsed.validFromDate.toISOString()).toBe("2025-12-31T23:00:00.000Z");
    expect(parsed.validToDate.toISOString()).toBe("2036-01-01T00:00:00.000Z");
    expect(parsed.checkHost("epp.example")).toBe("epp.example");
    expect(parsed.ca).toBe(false);
    expect(parsed.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
    expect(key.toString()).toContain("BEGIN PRIVATE KEY");
  });

  it("the certificate passes the strict check of OpenSSL", async () => {
    const directory = await mkdtemp(join(tmpdir(), "tls-"));
    cleanups.push(() => rm(directory, { recursive: true }));
    const file = join(directory, "tls.crt");
    await writeFile(file, selfSignedCertificate("epp.example", new Date()).cert);
    const args = ["verify", "-x509_strict", "-check_ss_sig", "-CAfile", file, file];
    expect(execFileSync("openssl", args, { encoding: "utf8" })).toBe(`${file}: OK\n`);
  });

  it.each(["2026-01-01T00:00:00Z", "2044-06-30T12:34:56Z"])(
    "the certificate is valid for ten years from %s",
    (start) => {
      const made = new X509Certificate(selfSignedCertificate("h", new Date(start)).cert);
      expect(made.validToDate.getUTCFullYear()).toBe(new Date(start).getUTCFullYear() + 10);
    },
  );

  it("each certificate has a different serial number", () => {
    const serials = Array.from({ length: 50 }, () => {
      const { serialNumber } = new X509Certificate(selfSignedCertificate("h", now).cert);
      return serialNumber;
    });
    expect(new Set(serials).size).toBe(50);
    expect(serials.every((serial) => serial.length === 32)).toBe(true);
  });
});

function listen(tls: ServerTls): Promise<number> {
  const server = new GrpcServer({}, { tls });
  cleanups.push(() => server.abort());
  return server.listen(0, "127.0.0.1");
}

async function clientCertificate(): Promise<{ cert: Buffer; key: Buffer }> {
  const directory = await mkdtemp(join(tmpdir(), "tls-client-"));
  cleanups.push(() => rm(directory, { recursive: true }));
  const { cert, key } = writeClientCertificate(directory);
  return { key: await readFile(key), cert: await readFile(cert) };
}

async function handshake(port: number, options: object = {}): Promise<TLSSocket> {
  const socket = connect({
    port,
    host: "127.0.0.1",
    ALPNProtocols: ["h2"],
    rejectUnauthorized: false,
    ...options,
  });
  cleanups.push(() => socket.destroy());
  await new Promise((resolve, reject) =>
    socket.once("secureConnect", resolve).once("error", reject),
  );
  return socket;
}
const served = (socket: TLSSocket) => socket.getPeerX509Certificate()?.fingerprint256;
const fingerprint = ({ cert }: { cert: Buffer }) => new X509Certificate(cert).fingerprint256;

describe("gRPC over TLS", () => {
  it("the server uses HTTP/2 with the given certificate", async () => {
    const certificate = selfSignedCertificate("h", new Date());
    const socket = await handshake(await listen(new ServerTls(certificate, plain)), {
      ca: certificate.cert,
      servername: "h",
      rejectUnauthorized: true,
    });
    expect(socket.alpnProtocol).toBe("h2");
    expect(served(socket)).toBe(fingerprint(certificate));
  });

  it("a new certificate is used, and open connections stay open", async () => {
    const [first, second] = [1, 2].map(() => selfSignedCertificate("h", new Date()));
    if (first === undefined || second === undefined) throw new Error("unreachable");
    const tls = new ServerTls(first, plain);
    const port = await listen(tls);
    const session: ClientHttp2Session = connectHttp2(`https://127.0.0.1:${port}`, {
      rejectUnauthorized: false,
    });
    cleanups.push(() => session.destroy());
    await new Promise((resolve) => session.once("connect", resolve));
    tls.use(second);
    expect(served(await handshake(port))).toBe(fingerprint(second));
    await new Promise<void>((resolve, reject) =>
      session.ping((error) => (error ? reject(error) : resolve())),
    );
    expect(session.closed).toBe(false);
  });

  it("version and suites are kept with a new certificate", async () => {
    const tls = new ServerTls(selfSignedCertificate("h", new Date()), {
      minVersion: "TLSv1.2",
      ciphers: cipherList(["TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"]),
    });
    const port = await listen(tls);
    const suite = async () =>
      (await handshake(port, { maxVersion: "TLSv1.2" })).getCipher().standardName;
    expect(await suite()).toBe("TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256");
    tls.use(selfSignedCertificate("h", new Date()));
    expect(await suite()).toBe("TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256");
    expect((await handshake(port)).getProtocol()).toBe("TLSv1.3");
  });

  it("only clients with a certificate are accepted if one is required", async () => {
    const certificate = selfSignedCertificate("h", new Date());
    const client = await clientCertificate();
    const stranger = await clientCertificate();
    const tls = new ServerTls(certificate, { ...plain, clientCa: client.cert });
    const port = await listen(tls);
    // With TLS 1.2 the handshake fails; with TLS 1.3 the connection is closed after it.
    const with12 = (given: object) => handshake(port, { maxVersion: "TLSv1.2", ...given });
    expect(served(await with12(client))).toBe(fingerprint(certificate));
    await expect(with12({})).rejects.toThrow();
    await expect(with12(stranger)).rejects.toThrow();
    tls.use(selfSignedCertificate("h", new Date()));
    await expect(with12({})).rejects.toThrow();
  });

  it("versions below the minimum are rejected", async () => {
    const certificate = selfSignedCertificate("h", new Date());
    const port = await listen(new ServerTls(certificate, { ...plain, minVersion: "TLSv1.3" }));
    await expect(handshake(port, { maxVersion: "TLSv1.2" })).rejects.toThrow(/protocol version/);
  });
});

describe("certificate files", () => {
  async function directoryWith(certificate: { cert: Buffer; key: Buffer }): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), "tls-"));
    cleanups.push(() => rm(directory, { recursive: true }));
    await writeFile(join(directory, "tls.crt"), certificate.cert);
    await writeFile(join(directory, "tls.key"), certificate.key);
    return directory;
  }

  it("readCertificate rejects missing files and a key of another certificate", async () => {
    const directory = await directoryWith({
      cert: selfSignedCertificate("h", now).cert,
      key: selfSignedCertificate("h", now).key,
    });
    const message = /certificate of .*: give tls.crt and its tls.key/;
    await expect(readCertificate(directory)).rejects.toThrow(message);
    await expect(readCertificate(join(directory, "none"))).rejects.toThrow(message);
  });

  it("watchCertificate reports a half-written change as an error, then the new certificate", async () => {
    const [current, next] = [selfSignedCertificate("h", now), selfSignedCertificate("h", now)];
    const directory = await directoryWith(current);
    const changes: Array<string | undefined> = [];
    const errors: unknown[] = [];
    cleanups.push(
      watchCertificate({
        directory,
        current,
        everyMs: 1,
        onError: (error) => errors.push(error),
        onChange: (certificate) => changes.push(fingerprint(certificate)),
      }),
    );
    await writeFile(join(directory, "tls.crt"), next.cert);
    await vi.waitFor(() => expect(errors).not.toEqual([]));
    expect(changes).toEqual([]);
    await writeFile(join(directory, "tls.key"), next.key);
    await vi.waitFor(() => expect(changes).toEqual([fingerprint(next)]));
  });
});
