import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { type Server, ServerCredentials } from "@grpc/grpc-js";
import {
  type HealthStatus,
  healthDefinition,
  healthService,
} from "../../manager/health/health-service.ts";
import type { Log } from "../../manager/log.ts";
import type { ReviewApi } from "../../manager/pages/access-review.ts";
import type { OperatorPages, OperatorServer } from "../../manager/pages/operator-server.ts";
import { pageServer } from "../../manager/pages/serve-pages.ts";
import {
  type Certificate,
  readCertificate,
  watchCertificate,
} from "../../manager/tls/certificate.ts";
import { TlsCredentials } from "../../manager/tls/grpc-credentials.ts";
import { selfSignedCertificate } from "../../manager/tls/self-signed.ts";
import type { ServingOptions, ServingTls } from "../../programs/endpoint-picker/options.ts";
import { type ExtProcService, extProcPath } from "./ext-proc-stream.ts";
import { bind, newGrpcServer, type StreamHandler } from "./grpc-server.ts";

/** A server that listens. */
export interface Listening<Listener> {
  readonly server: Listener;
  readonly port: number;
}

type StatusOf = (service: string) => HealthStatus;

/** Serves ext_proc to proxies. */
export async function serveExtProc(
  { serve }: ExtProcService,
  { serving, tls }: ServingOptions,
  statusOf: StatusOf,
  log: Log,
): Promise<Listening<Server>> {
  const server = newGrpcServer();
  if (serving.healthOnPort) server.addService(healthDefinition, healthService(statusOf));
  const credentials = tls ? await tlsCredentials(tls, log) : ServerCredentials.createInsecure();
  const handler = { path: extProcPath, serve };
  return { server, port: await bindAny(server, serving.port, credentials, handler) };
}

/** Serves metrics and debug pages to operators. */
export async function serveOperators(
  pages: OperatorPages,
  { metrics }: ServingOptions,
  reviews: ReviewApi | undefined,
  log: Log,
): Promise<Listening<OperatorServer>> {
  const { certificateDirectory: directory, clientCaFile } = metrics;
  const certificate = directory === undefined ? undefined : await readCertificate(directory);
  const server = pageServer({
    pages,
    reviews: metrics.auth ? reviews : undefined,
    tls: certificate && {
      certificate,
      clientCa: clientCaFile === undefined ? undefined : await readFile(clientCaFile),
    },
    log,
  });
  if (directory !== undefined && certificate !== undefined)
    watchCertificate({
      directory,
      current: certificate,
      onChange: (changed) => server.use(changed),
      onError: (error) => log.error("certificate of the metrics not reloaded", error),
    });
  return { server, port: await server.listen(metrics.port) };
}

async function tlsCredentials(tls: ServingTls, log: Log): Promise<TlsCredentials> {
  const { certificateDirectory: directory, clientCaFile } = tls;
  const certificate: Certificate =
    directory === undefined
      ? selfSignedCertificate(hostname(), new Date())
      : await readCertificate(directory);
  const credentials = new TlsCredentials(certificate, {
    ...tls,
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

/** On every address of the machine; where it has no IPv6, on every IPv4 address. */
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
