import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request as forward } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { writeClientCertificate } from "../api/client-certificate.ts";
import type { Stoppable } from "../processes/stop-all.ts";
import { startImageRegistry } from "./image-registry.ts";

/** An image registry behind TLS and a login, as public registries are. */
export interface GuardedRegistry extends Stoppable {
  /** `localhost:PORT` */
  readonly address: string;
  /** File with the certificate, which is self-signed. */
  readonly certificate: string;
}

/** @param folder receives the certificate */
export async function startGuardedRegistry(
  folder: string,
  user: string,
  password: string,
): Promise<GuardedRegistry> {
  const registry = await startImageRegistry();
  const { cert, key } = writeClientCertificate(folder, "localhost");
  const credentials = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  const tls = { cert: readFileSync(cert), key: readFileSync(key) };
  const server = createServer(tls, (request, response) => {
    if (request.headers.authorization !== credentials) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="registry"' }).end();
      return;
    }
    const { method, url: path, headers } = request;
    const target = { host: "127.0.0.1", port: registry.port, method, path, headers };
    const forwarded = forward(target, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on("error", () => response.destroy());
    request.pipe(forwarded);
  }).listen(0, "localhost");
  await once(server, "listening");
  return {
    address: `localhost:${(server.address() as AddressInfo).port}`,
    certificate: cert,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await registry.stop();
    },
  };
}
