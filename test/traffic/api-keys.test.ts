import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { defaultTenantHeader } from "../../sdk/spec/access.ts";
import { type Envoy, startEnvoyWith } from "../../testing/envoy/start.ts";

/**
 * Envoy with the filter that Envoy Gateway configures from the planned policy. The configuration is a STAND-IN for the
 * one that its control plane writes, which is not run.
 */

const received: IncomingHttpHeaders[] = [];
let backend: Server;
let envoy: Envoy;

beforeAll(async () => {
  backend = createServer((request, response) => {
    received.push(request.headers);
    response.end();
  }).listen(0, "127.0.0.1");
  await once(backend, "listening");
  const { port } = backend.address() as AddressInfo;
  envoy = await startEnvoyWith(() => configuration(port));
}, 60_000);
afterAll(async () => {
  await envoy?.stop();
  backend?.close();
});

const typeOf = (name: string) => `type.googleapis.com/envoy.${name}`;
const addressAt = (port: number) => ({
  socket_address: { address: "127.0.0.1", port_value: port },
});

const configuration = (port: number) => ({
  static_resources: {
    listeners: [
      {
        name: "gateway",
        address: addressAt(0),
        filter_chains: [
          {
            filters: [
              {
                name: "envoy.filters.network.http_connection_manager",
                typed_config: {
                  "@type": typeOf(
                    "extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
                  ),
                  stat_prefix: "gateway",
                  http_filters: [
                    {
                      name: "envoy.filters.http.api_key_auth",
                      typed_config: {
                        "@type": typeOf("extensions.filters.http.api_key_auth.v3.ApiKeyAuth"),
                        credentials: [
                          { key: "key-of-games", client: "games" },
                          { key: "key-of-search", client: "search" },
                        ],
                        key_sources: [{ header: "Authorization" }],
                        forwarding: { header: defaultTenantHeader, hide_credentials: true },
                      },
                    },
                    {
                      name: "envoy.filters.http.router",
                      typed_config: {
                        "@type": typeOf("extensions.filters.http.router.v3.Router"),
                      },
                    },
                  ],
                  route_config: {
                    virtual_hosts: [
                      {
                        ...{ name: "all", domains: ["*"] },
                        routes: [{ match: { prefix: "/" }, route: { cluster: "backend" } }],
                      },
                    ],
                  },
                },
              },
            ],
          },
        ],
      },
    ],
    clusters: [
      {
        ...{ name: "backend", type: "STATIC", connect_timeout: "5s" },
        load_assignment: {
          cluster_name: "backend",
          endpoints: [{ lb_endpoints: [{ endpoint: { address: addressAt(port) } }] }],
        },
      },
    ],
  },
});

const ask = (headers: Record<string, string>) =>
  fetch(envoy.url, { headers }).then(({ status }) => status);

it("admits the API keys that OpenAI's clients send, and hides them from engines", async () => {
  expect(await ask({ authorization: "Bearer key-of-games" })).toBe(200);
  expect(received.at(-1)).toMatchObject({ [defaultTenantHeader]: "games" });
  expect(received.at(-1)?.authorization).toBeUndefined();
});

it("names the tenant of the key, whatever tenant the client names", async () => {
  const authorization = "Bearer key-of-search";
  expect(await ask({ authorization, [defaultTenantHeader]: "games" })).toBe(200);
  expect(received.at(-1)?.[defaultTenantHeader]).toBe("search");
});

it("rejects clients without a key and with another key", async () => {
  const before = received.length;
  expect(await ask({})).toBe(401);
  expect(await ask({ [defaultTenantHeader]: "games" })).toBe(401);
  expect(await ask({ authorization: "Bearer key-of-nobody" })).toBe(401);
  expect(received.length).toBe(before);
});
