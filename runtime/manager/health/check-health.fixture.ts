import { Client, credentials } from "@grpc/grpc-js";
import { type HealthStatus, healthCheck } from "./health-service.ts";

/** Sends a health check to a port of this machine, as a probe does. */
export function checkHealth(port: number, service: string): Promise<HealthStatus> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const { path, requestSerialize, responseDeserialize } = healthCheck;
  return new Promise<HealthStatus>((resolve, reject) =>
    client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      service,
      (error, response) =>
        response === undefined ? reject(error ?? new Error("no answer")) : resolve(response),
    ),
  ).finally(() => client.close());
}
