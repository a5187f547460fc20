import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { GrpcServer } from "../manager/grpc/grpc-server.ts";
import {
  type HealthRules,
  healthMethods,
  statusOf as healthStatusOf,
} from "../manager/health/health-service.ts";
import type { Log } from "../manager/log.ts";
import { type Certificate, readCertificate, watchCertificate } from "../manager/tls/certificate.ts";
import { cipherList } from "../manager/tls/go-names.ts";
import { selfSignedCertificate } from "../manager/tls/self-signed.ts";
import { ServerTls } from "../manager/tls/server-tls.ts";
import type { ServingOptions } from "./flags/serving.ts";
import type { TlsOptions } from "./flags/tls.ts";
import { type ExtProcService, extProcPath } from "./server/ext-proc-service.ts";

/** A server that accepts connections. */
export interface Listening {
  readonly server: GrpcServer;
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
  const statusOf = (service: string) =>
    healthStatusOf(rules, service, { alive: true, ready: isReady() });
  const server = new GrpcServer(
    { [extProcPath]: service.serve, ...(serving.healthOnPort && healthMethods(statusOf)) },
    { tls: await extProcTls(tls, log) },
  );
  return { server, port: await server.listen(serving.port) };
}

/** Returns the certificate for proxies, which is reloaded when its files change; undefined for plain text. */
export async function extProcTls(tls: TlsOptions, log: Log): Promise<ServerTls | undefined> {
  if (!tls.secure) return undefined;
  const { certificateDirectory: directory, clientCaFile } = tls;
  const certificate: Certificate =
    directory === undefined
      ? selfSignedCertificate(hostname(), new Date())
      : await readCertificate(directory);
  const served = new ServerTls(certificate, {
    minVersion: tls.minVersion,
    ciphers: cipherList(tls.cipherSuites),
    clientCa: clientCaFile === undefined ? undefined : await readFile(clientCaFile),
  });
  if (tls.reload && directory !== undefined)
    watchCertificate({
      directory,
      current: certificate,
      onChange: (changed) => {
        served.use(changed);
        log.info("certificate reloaded", { directory });
      },
      onError: (error) => log.error("certificate not reloaded", error),
    });
  return served;
}
