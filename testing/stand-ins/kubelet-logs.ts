import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { selfSignedCertificate } from "../../runtime/manager/tls/self-signed.ts";
import type { ApiClient } from "../api/api-client.ts";

/** STAND-IN for a node whose kubelet serves logs, by `pod/container`. It records the queries that it receives. */
export interface LogNode {
  readonly name: string;
  readonly queries: string[];
  stop(): Promise<void>;
}

export async function startLogNode(
  client: Pick<ApiClient, "request">,
  name: string,
  logs: Readonly<Record<string, string>>,
): Promise<LogNode> {
  const queries: string[] = [];
  const server = createServer(
    selfSignedCertificate("localhost", new Date()),
    ({ url }, response) => {
      const { pathname, search } = new URL(url ?? "/", "https://node");
      const [pod, container] = pathname.split("/").slice(-2);
      queries.push(`${pod}/${container}${search}`);
      response.end(logs[`${pod}/${container}`] ?? "");
    },
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await client.request("POST", "/api/v1/nodes", {
    metadata: { name },
    status: {
      addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
    },
  });
  return {
    name,
    queries,
    async stop() {
      await client.request("DELETE", `/api/v1/nodes/${name}`);
      server.closeAllConnections();
      server.close();
    },
  };
}
