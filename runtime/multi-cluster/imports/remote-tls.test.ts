import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createSecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { reachOf } from "../../../sdk/spec/reachable-address.ts";
import type { Certificate } from "../../manager/tls/certificate.ts";
import { selfSignedCertificate } from "../../manager/tls/self-signed.ts";
import { PickerConnection } from "./picker-connection.ts";
import { secured } from "./remote-security.ts";
import { type RemoteTlsOptions, readRemoteTls, watchRemoteTls } from "./remote-tls.ts";

/** Real TLS connections to pickers. */

const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-remote-tls-"));
const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const nothing: RemoteTlsOptions = {
  caFile: undefined,
  certificateDirectory: undefined,
  serverName: undefined,
  insecure: false,
};
const caFile = join(folder, "ca.crt");
const trusting = { ...nothing, caFile };
let service: Certificate;
beforeAll(() => {
  service = selfSignedCertificate("epp.ns.svc", new Date());
  writeFileSync(caFile, service.cert);
});

/** Starts a server and returns its port. */
async function picker(options: object = {}): Promise<number> {
  const server = createSecureServer({ ...service, ...options });
  server.on("sessionError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** Pings the picker. */
async function probe(
  port: number,
  options: RemoteTlsOptions,
  name = "epp",
  cluster = "a",
): Promise<void> {
  const files = await readRemoteTls(options);
  const connection = new PickerConnection({
    addresses: [{ host: "127.0.0.1", port }],
    ...{ service: name, cluster, reach: reachOf({ networks: undefined, loopback: true }) },
    security: secured(options, () => files, "ns"),
    onLost: () => {},
  });
  cleanups.push(() => connection.close());
  await connection.probe(5_000);
}

describe("a picker", () => {
  it("is accepted if its certificate is signed by the CA and names its Service", async () => {
    await expect(probe(await picker(), trusting)).resolves.toBeUndefined();
  });

  it("is accepted under the configured server name", async () => {
    const named = { ...trusting, serverName: "epp.ns.svc" };
    await expect(probe(await picker(), named, "another")).resolves.toBeUndefined();
  });

  it("a picker of one cluster is not accepted as the picker of another cluster (B4)", async () => {
    const named = { ...trusting, serverName: "epp.{cluster}.svc" };
    await expect(probe(await picker(), named, "epp", "ns")).resolves.toBeUndefined();
    await expect(probe(await picker(), named, "epp", "west")).rejects.toThrow(
      "the certificate is for DNS:epp.ns.svc, not for epp.west.svc",
    );
  });

  it("a picker with an unknown CA is refused, with advice", async () => {
    await expect(probe(await picker(), nothing)).rejects.toThrow(
      /give --remote-ca-file with the certificate of its CA/,
    );
  });

  it("a picker with a certificate for another name is refused", async () => {
    await expect(probe(await picker(), trusting, "another")).rejects.toThrow(
      "the certificate is for DNS:epp.ns.svc, not for another.ns.svc",
    );
  });

  it("is accepted without verification if this is configured", async () => {
    const unseen = { ...nothing, insecure: true };
    await expect(probe(await picker(), unseen, "another")).resolves.toBeUndefined();
  });

  it("a picker that requests a client certificate gets the one in the directory", async () => {
    // The server certificate is valid only for servers.
    execFileSync(
      "openssl",
      [
        ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"],
        ...["-subj", "/CN=client", "-out", "tls.crt", "-keyout", "tls.key"],
      ],
      { cwd: folder, stdio: "ignore" },
    );
    const ca = readFileSync(join(folder, "tls.crt"));
    const port = await picker({ ca, requestCert: true, rejectUnauthorized: true });
    await expect(probe(port, trusting)).rejects.toThrow(
      /requires a client certificate; give --remote-cert-path/,
    );
    const known = { ...trusting, certificateDirectory: folder };
    await expect(probe(port, known)).resolves.toBeUndefined();
  });
});

describe("files", () => {
  it("files without a certificate are refused, with the name of their flag", async () => {
    const broken = join(folder, "broken.crt");
    writeFileSync(broken, "no certificate");
    await expect(readRemoteTls({ ...nothing, caFile: broken })).rejects.toThrow(
      `--remote-ca-file ${broken}: give certificates of CAs, PEM`,
    );
    await expect(readRemoteTls({ ...nothing, caFile: "/none" })).rejects.toThrow(
      /--remote-ca-file/,
    );
  });

  it("files are read again when they change, and an incomplete file is ignored", async () => {
    const file = join(folder, "changing.crt");
    writeFileSync(file, service.cert);
    const options = { ...nothing, caFile: file };
    const seen: string[] = [];
    const stop = watchRemoteTls({
      options,
      current: await readRemoteTls(options),
      everyMs: 5,
      onChange: ({ ca }) => seen.push(String(ca)),
      onError: () => seen.push("wrong"),
    });
    cleanups.push(stop);
    writeFileSync(file, "-----BEGIN");
    await expect.poll(() => seen.at(-1)).toBe("wrong");
    const next = selfSignedCertificate("epp.ns.svc", new Date()).cert;
    writeFileSync(file, next);
    await expect.poll(() => seen.at(-1)).toBe(String(next));
  });
});
