import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  getCACertificates,
  connect as openTls,
  setDefaultCACertificates,
  type TLSSocket,
} from "node:tls";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { newLog } from "../../manager/log.ts";
import { readCommandLine } from "../../manager/program.ts";
import type { Certificate } from "../../manager/tls/certificate.ts";
import { program } from "./program.ts";
import { type Answer, decoded, prefilled, RecordingEngine } from "./recording-engine.fixture.ts";
import { startPdSidecar } from "./start.ts";

/** The sidecar as a TLS server, and as a TLS client of engines. */

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const log = newLog({ verbosity: -1, write: () => {}, now: Date.now });

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "pd-sidecar-tls-"));
  cleanups.push(() => rmSync(made, { recursive: true }));
  return made;
}

/** Creates a self-signed certificate for 127.0.0.1. */
function certificate(): Certificate {
  const directory = folder();
  const [key, cert] = [join(directory, "tls.key"), join(directory, "tls.crt")];
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-keyout", key, "-out", cert, "-days", "1", "-subj", "/CN=engine"],
      ...["-addext", "subjectAltName=IP:127.0.0.1"],
    ],
    { stdio: "ignore" },
  );
  return { cert: readFileSync(cert), key: readFileSync(key) };
}

let first: Certificate;
let second: Certificate;
beforeAll(() => {
  [first, second] = [certificate(), certificate()];
});

async function engine(answer: Answer, certificate?: Certificate): Promise<RecordingEngine> {
  const started = await new RecordingEngine(answer, certificate).start();
  cleanups.push(() => started.stop());
  return started;
}

async function start(decoder: RecordingEngine, args: readonly string[]) {
  const invocation = readCommandLine(
    program,
    [
      ...["--port=0", "--metrics-port=0", "--health-port=0", "--enable-ssrf-protection=false"],
      ...["--model-server-host=127.0.0.1", `--model-server-port=${decoder.port}`, ...args],
    ],
    {},
  );
  if (invocation.kind !== "run") throw new Error(JSON.stringify(invocation));
  const sidecar = await startPdSidecar(invocation.options, log);
  cleanups.push(() => sidecar.stop("SIGINT"));
  return sidecar;
}

type Sidecar = Awaited<ReturnType<typeof start>>;

/** Sends a completion over HTTPS, with the prefiller if one is given. */
const send = ({ ports }: Sidecar, prefiller?: RecordingEngine) =>
  new Promise<{ status: number; prefilledBy: unknown; failed: unknown; text: string }>(
    (resolve, reject) => {
      const options = {
        ...{ host: "127.0.0.1", port: ports.serving[0], path: "/v1/completions", method: "POST" },
        ...{ rejectUnauthorized: false, agent: false },
        headers: {
          "content-type": "application/json",
          ...(prefiller && { "x-prefiller-host-port": prefiller.address }),
        },
      };
      httpsRequest(options, async (response) => {
        let text = "";
        for await (const chunk of response) text += chunk;
        resolve({
          ...{ status: response.statusCode as number, text },
          prefilledBy: response.headers["x-prefilled-by"],
          failed: response.headers["x-prefill-failed"],
        });
      })
        .on("error", reject)
        .end('{"model":"m","prompt":"hi"}');
    },
  );

async function handshake({ ports }: Sidecar): Promise<TLSSocket> {
  const socket = openTls({
    ...{ host: "127.0.0.1", port: ports.serving[0] },
    rejectUnauthorized: false,
  });
  cleanups.push(() => socket.destroy());
  await new Promise((resolve, reject) =>
    socket.once("secureConnect", resolve).once("error", reject),
  );
  return socket;
}
const served = (socket: TLSSocket) => socket.getPeerX509Certificate()?.fingerprint256;
const fingerprint = ({ cert }: Certificate) => new X509Certificate(cert).fingerprint256;

describe("a sidecar that serves TLS", () => {
  it("serves the certificate in its directory, and a renewed one without closing connections", async () => {
    const directory = folder();
    const write = ({ cert, key }: Certificate) => {
      writeFileSync(join(directory, "tls.crt"), cert);
      writeFileSync(join(directory, "tls.key"), key);
    };
    write(first);
    const decoder = await engine(decoded);
    const sidecar = await start(decoder, [`--cert-path=${directory}`]);
    const open = await handshake(sidecar);
    expect(served(open)).toBe(fingerprint(first));
    expect(await send(sidecar)).toMatchObject({ status: 200 });

    write(second);
    await vi.waitFor(
      async () => expect(served(await handshake(sidecar))).toBe(fingerprint(second)),
      { timeout: 60_000, interval: 250 },
    );
    const answered = new Promise<string>((resolve) => {
      open.once("data", (data) => resolve(data.toString()));
    });
    open.write("GET /health HTTP/1.1\r\nhost: sidecar\r\n\r\n");
    expect(await answered).toMatch(/^HTTP\/1\.1 200/);
    expect(await send(sidecar)).toMatchObject({ status: 200 });
  }, 90_000);

  it("creates a self-signed certificate if it has no directory", async () => {
    const sidecar = await start(await engine(decoded), []);
    expect(served(await handshake(sidecar))).toMatch(/^[0-9A-F:]+$/);
    expect(await send(sidecar)).toMatchObject({ status: 200 });
  });

  it("does not start if the key does not match the certificate", async () => {
    const directory = folder();
    writeFileSync(join(directory, "tls.crt"), first.cert);
    writeFileSync(join(directory, "tls.key"), second.key);
    await expect(start(await engine(decoded), [`--cert-path=${directory}`])).rejects.toThrow(
      /give tls.crt and its tls.key/,
    );
  });
});

describe("engines that serve TLS", () => {
  const dialing = "--enable-tls=prefiller,decoder";

  it("get requests if a trusted CA signed their certificates", async () => {
    const before = getCACertificates("default");
    cleanups.push(() => setDefaultCACertificates(before));
    setDefaultCACertificates([...before, first.cert.toString(), second.cert.toString()]);
    const decoder = await engine(decoded, first);
    const prefiller = await engine(prefilled, second);
    const sidecar = await start(decoder, [dialing]);
    expect(await send(sidecar, prefiller)).toMatchObject({
      status: 200,
      prefilledBy: prefiller.address,
    });
    expect(decoder.last.json).toHaveProperty("kv_transfer_params");
  });

  it("get no requests with self-signed certificates", async () => {
    const decoder = await engine(decoded, first);
    const prefiller = await engine(prefilled, second);
    const sidecar = await start(decoder, [dialing, "--tls-insecure-skip-verify=decoder"]);
    expect(await send(sidecar, prefiller)).toMatchObject({
      status: 200,
      prefilledBy: undefined,
      failed: `${prefiller.address} unreachable`,
    });
    expect(prefiller.requests).toEqual([]);
    const strict = await start(decoder, [dialing]);
    expect(await send(strict, prefiller)).toMatchObject({ status: 502 });
  });

  it("get requests with --tls-insecure-skip-verify, also after their certificate changes", async () => {
    const decoder = await engine(decoded, first);
    const prefiller = await engine(prefilled, second);
    const sidecar = await start(decoder, [dialing, "--tls-insecure-skip-verify=prefiller,decoder"]);
    const asked = () => send(sidecar, prefiller);
    expect(await asked()).toMatchObject({ status: 200, prefilledBy: prefiller.address });
    const { port } = prefiller;
    await prefiller.stop();
    const renewed = await new RecordingEngine(prefilled, certificate()).start(port);
    cleanups.push(() => renewed.stop());
    await vi.waitFor(async () =>
      expect(await send(sidecar, renewed)).toMatchObject({ prefilledBy: renewed.address }),
    );
    expect(renewed.requests.length).toBeGreaterThan(0);
  });

  it("a prefiller without TLS causes a local prefill, and the request succeeds", async () => {
    const decoder = await engine(decoded);
    const prefiller = await engine(prefilled);
    const sidecar = await start(decoder, [
      "--enable-tls=prefiller",
      "--tls-insecure-skip-verify=prefiller",
    ]);
    expect(await send(sidecar, prefiller)).toMatchObject({
      status: 200,
      failed: `${prefiller.address} unreachable`,
    });
  });
});
