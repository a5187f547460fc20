import { Server, ServerCredentials } from "@grpc/grpc-js";
import type { EngineService } from "./engine-service.ts";
import { type Answer, answer, handlersOf } from "./handlers.ts";
import type { Monitor } from "./monitor.ts";
import { engineGrpc, resourceGrpc, type UntypedServiceImplementation } from "./protos.ts";

export interface MonitorServer extends AsyncDisposable {
  /** Address of both services: `127.0.0.1:<port>`. */
  address: string;
}

/** Serves the monitor and the engine on a free port of this machine. */
export async function serveMonitor(
  monitor: Monitor,
  engine: EngineService,
): Promise<MonitorServer> {
  const server = new Server({
    "grpc.max_receive_message_length": -1,
    "grpc.max_send_message_length": -1,
  });
  const { ResourceMonitorService } = resourceGrpc;
  const { EngineService: EngineDefinition } = engineGrpc;
  server.addService(
    ResourceMonitorService,
    implementation(monitor, Object.keys(ResourceMonitorService)),
  );
  server.addService(EngineDefinition, implementation(engine, Object.keys(EngineDefinition)));
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return {
    address: `127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.forceShutdown();
    },
  };
}

function implementation(service: object, names: readonly string[]): UntypedServiceImplementation {
  return Object.fromEntries(
    Object.entries(handlersOf(service, names)).map(([name, handler]) => [
      name,
      (call: { request: unknown }, reply: Answer) => void answer(handler, call.request, reply),
    ]),
  ) as UntypedServiceImplementation;
}
