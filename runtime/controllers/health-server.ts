import { Server, ServerCredentials } from "@grpc/grpc-js";
import { healthDefinition, healthService, healthStatus } from "../process/health-service.ts";

/**
 * The health service in plain text, as probes ask it: `readiness` is for who has read the clusters, all else for who
 * lives.
 */
export async function serveHealth(port: number, isReady: () => boolean) {
  const server = new Server();
  server.addService(
    healthDefinition,
    healthService((service) =>
      service !== "readiness" || isReady() ? healthStatus.serving : healthStatus.notServing,
    ),
  );
  const bind = (host: string) =>
    new Promise<number>((resolve, reject) =>
      server.bindAsync(`${host}:${port}`, ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    );
  return { server, port: await bind("[::]").catch(() => bind("0.0.0.0")) };
}
