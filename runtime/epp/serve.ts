import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { type Server, ServerCredentials } from "@grpc/grpc-js";
import {
  type HealthRules,
  healthDefinition,
  healthService,
  statusOf as healthStatusOf,
} from "../manager/health/health-service.ts";
import type { Log } from "../manager/log.ts";
import { type Certificate, readCertificate, watchCertificate } from "../manager/tls/certificate.ts";
import { cipherList } from "../manager/tls/go-names.ts";
import { TlsCredentials } from "../manager/tls/grpc-credentials.ts";
import { selfSignedCertificate } from "../manager/tls/self-signed.ts";
import type { ServingOptions } from "./flags/serving.ts";
import type { TlsOptions } from "./flags/tls.ts";
import { type ExtProcService, extProcPath } from "./server/ext-proc-service.ts";
import { bind, newGrpcServer, type StreamHandler } from "./server/grpc-server.ts";

/** A server that accepts connections. */
export interface Listening {
  readonly server: Server;
  readonly port: number;
}

/** Serves ext_proc to proxies. */
export async function serveExtProc(
  service: Pick<ExtProcService, "serve">,
  {
    serving,
    tls,
  }: {
    readonly serving: Pick<ServingOptions, "port" | "healthOnPort">;
    readonly tls: TlsOptions;
  },
  rules: HealthRules,
  isReady: () => boolean,
  log: Log,
): Promise<Listening> {
  const server = newGrpcServer();
  if (serving.healthOnPort) {
    const statusOf = (service: string) =>
      healthStatusOf(rules, service, { alive: true, ready: isReady() });
    server.addService(healthDefinition, healthService(statusOf));
  }
  const handler = { path: extProcPath, serve: service.serve };
  const port = await bindAny(server, serving.port, await extProcCredentials(tls, log), handler);
  return { server, port };
}

/** Returns the certificate for proxies, which is reloaded when its files change. */
export const extProcCredentials = async (tls: TlsOptions, log: Log): Promise<ServerCredentials> =>
  tls.secure ? await tlsCredentials(tls, log) : ServerCredentials.createInsecure();

async function tlsCredentials(tls: TlsOptions, log: Log): Promise<TlsCredentials> {
  const { certificateDirectory: directory, clientCaFile } = tls;
  const certificate: Certificate =
    directory === undefined
      ? selfSignedCertificate(hostname(), new Date())
      : await readCertificate(directory);
  const credentials = new TlsCredentials(certificate, {
    minVersion: tls.minVersion,
    ciphers: cipherList(tls.cipherSuites),
    clientCa: clientCaFile === undefined ? undefined : await readFile(clientCaFile),
  });
  if (tls.reload && directory !== undefined)
    watchCertificate({
      directory,
      current: certificate,
      onChange: (changed) => {
        credentials.use(changed);
        log.info("certificate reloaded", { directory });
      },
      onError: (error) => log.error("certificate not reloaded", error),
    });
  return credentials;
}

/** Binds every address of the machine, or every IPv4 address if it has no IPv6. */
async function bindAny(
  server: Server,
  port: number,
  credentials: ServerCredentials,
  handler: StreamHandler,
): Promise<number> {
  try {
    return await bind(server, `[::]:${port}`, credentials, handler);
  } catch {
    return await bind(server, `0.0.0.0:${port}`, credentials, handler);
  }
}
