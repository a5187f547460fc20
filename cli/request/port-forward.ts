import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import type { KubeConfig } from "@kubernetes/client-node";
import { newPortForward } from "../../kubernetes/api/client-library.ts";
import type { GatewayPod } from "./gateway-pod.ts";

/** A port of 127.0.0.1 that forwards to a pod. */
export interface Forward {
  readonly port: number;
  close(): Promise<void>;
}

/** Opens the port through the API server, as `kubectl port-forward` does, with one stream per connection. */
export async function forwardPort(config: KubeConfig, pod: GatewayPod): Promise<Forward> {
  const forward = newPortForward(config);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    const errors = new PassThrough();
    const fail = (error: Error) => socket.destroy(error);
    socket.on("error", () => {});
    errors.on("data", (text: Buffer) => fail(new Error(text.toString().trim())));
    forward
      .portForward(pod.namespace, pod.name, [pod.port], socket, errors, socket)
      .catch((error: Error) => fail(error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
