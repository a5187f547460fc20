import { once } from "node:events";
import { type Agent, createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it } from "vitest";
import { TlsAgents } from "./tls-agents.ts";

let server: Server;
let agents: TlsAgents;

beforeEach(async () => {
  agents = new TlsAgents(false);
  server = createServer((_, response) => response.end("ok")).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => {
  agents.destroy();
  server.close();
});

function get(agent: Agent): Promise<string> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    request({ port, host: "127.0.0.1", agent }, (response) => resolve(text(response)))
      .on("error", reject)
      .end();
  });
}

const free = (agent: Agent) => Object.values(agent.freeSockets).flat().length;

it("TlsAgents keeps one agent for equal certificates, even in different objects", () => {
  const first = agents.agentFor({ ca: Buffer.from("a"), cert: Buffer.from("b") });
  expect(agents.agentFor({ ca: Buffer.from("a"), cert: Buffer.from("b") })).toBe(first);
  expect(agents.agentFor({ ca: Buffer.from("a"), cert: Buffer.from("c") })).not.toBe(first);
});

it("TlsAgents closes the connections of replaced certificates, busy ones after their request", async () => {
  const old = agents.agentFor({ cert: "old" });
  await get(old);
  expect(free(old)).toBe(1);
  const inUse = get(old);
  const idle = Promise.all([get(old), get(old)]);
  await idle;
  agents.agentFor({ cert: "new" });
  await inUse;
  await get(old);
  expect(free(old)).toBe(0);
});
