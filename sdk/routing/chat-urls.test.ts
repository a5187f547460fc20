import { describe, expect, it } from "vitest";
import { chatUrls, type ServedGateway } from "./chat-urls.ts";

const http = { name: "http", port: 80, protocol: "HTTP" };
const https = { name: "https", port: 443, protocol: "HTTPS" };
type Listener = { name: string; port: number; protocol: string; hostname?: string };
interface Given {
  listeners?: readonly Listener[];
  addresses?: ReadonlyArray<{ type?: string; value?: string }>;
}
const gateway = ({ listeners = [http], ...status }: Given = {}): ServedGateway => ({
  metadata: { name: "gw" },
  spec: { listeners },
  status: { addresses: [{ type: "IPAddress", value: "203.0.113.7" }], ...status },
});
const urls = (spec: object, given: Given = {}) =>
  chatUrls({ spec }, gateway(given)).map(({ url }) => url);

describe("addresses of the Gateway", () => {
  it.each([
    ["none yet", undefined, []],
    ["an empty list", [], []],
    ["an address of the controller's own kind", [{ type: "NamedAddress", value: "lb" }], []],
    ["an address without a value", [{ type: "IPAddress" }], []],
    ["no type", [{ value: "192.0.2.1" }], ["http://192.0.2.1/v1"]],
    ["a host name", [{ type: "Hostname", value: "lb.example.com" }], ["http://lb.example.com/v1"]],
    ["IPv6", [{ value: "2001:db8::1" }], ["http://[2001:db8::1]/v1"]],
    [
      "the first that can be dialled",
      [{ type: "x.io/a", value: "a" }, { value: "192.0.2.1" }],
      ["http://192.0.2.1/v1"],
    ],
  ])("%s", (_, addresses, expected) => {
    expect(urls({}, { addresses } as Given)).toEqual(expected);
  });
});

describe("listeners", () => {
  const odd = { name: "odd", port: 8080, protocol: "HTTP" };
  const tcp = { name: "tcp", port: 9000, protocol: "TCP" };
  const all = { listeners: [http, https, odd, tcp] };
  it("give scheme and port; ports that a scheme implies are left out, TCP has no URL", () => {
    expect(urls({}, all)).toEqual([
      "http://203.0.113.7/v1",
      "https://203.0.113.7/v1",
      "http://203.0.113.7:8080/v1",
    ]);
  });
  it("listeners are those that the route attaches to", () => {
    const through = (...parentRefs: object[]) => urls({ parentRefs }, all);
    expect(through({ name: "gw", sectionName: "https" })).toEqual(["https://203.0.113.7/v1"]);
    expect(through({ name: "gw", port: 8080 })).toEqual(["http://203.0.113.7:8080/v1"]);
    expect(through({ name: "gw", sectionName: "https", port: 80 })).toEqual([]);
    expect(through({ name: "other" })).toEqual([]);
    expect(through({ name: "other", port: 8080 }, { name: "gw", port: 80 })).toEqual([
      "http://203.0.113.7/v1",
    ]);
  });
});

it("a Gateway that no controller has looked at", () => {
  expect(chatUrls({ spec: {} }, { spec: { listeners: [http] } })).toEqual([]);
});

describe("host names", () => {
  it.each([
    [
      "of the route",
      ["a.example.com", "b.example.com"],
      undefined,
      ["a.example.com", "b.example.com"],
    ],
    ["of the listener", undefined, "a.example.com", ["a.example.com"]],
    ["that both have", ["a.example.com", "b.org"], "*.example.com", ["a.example.com"]],
    [
      "of a listener that a route's wildcard covers",
      ["*.example.com"],
      "a.example.com",
      ["a.example.com"],
    ],
    ["with a wildcard: any name under it", ["*.example.com"], undefined, ["any.example.com"]],
    ["that have nothing in common", ["a.org"], "b.org", []],
  ])("%s", (_, hostnames, hostname, hosts) => {
    const found = chatUrls(
      { spec: { ...(hostnames && { hostnames }) } },
      gateway({ listeners: [{ ...http, ...(hostname && { hostname }) }] }),
    );
    expect(found.map(({ url }) => url)).toEqual(hosts.map((host) => `http://${host}/v1`));
    for (const { address } of found) expect(address).toBe("203.0.113.7");
  });
});

describe("paths", () => {
  const prefix = (value: string) => [{ path: { type: "PathPrefix", value } }];
  const exact = (value: string) => [{ path: { type: "Exact", value } }];
  const rewrite = (path: object) => [{ type: "URLRewrite", urlRewrite: { path } }];
  const to = (replacePrefixMatch: string) =>
    rewrite({ type: "ReplacePrefixMatch", replacePrefixMatch });
  it.each([
    ["no match", undefined, undefined, "/v1"],
    ["/", prefix("/"), undefined, "/v1"],
    ["/v1", prefix("/v1"), undefined, "/v1"],
    ["/v1/chat", prefix("/v1/chat"), undefined, "/v1"],
    ["/qwen to /", prefix("/qwen"), to("/"), "/qwen/v1"],
    ["/qwen/ to /", prefix("/qwen/"), to("/"), "/qwen/v1"],
    ["/qwen/v1 to /v1", prefix("/qwen/v1"), to("/v1"), "/qwen/v1"],
    ["/api to /v1", prefix("/api"), to("/v1"), "/api"],
    ["/qwen as it is: the servers have no such path", prefix("/qwen"), undefined, undefined],
    ["/v10", prefix("/v10"), undefined, undefined],
    ["exactly the chat", exact("/v1/chat/completions"), undefined, "/v1"],
    ["exactly something else", exact("/v1/completions"), undefined, undefined],
    [
      "a full path",
      exact("/ask/chat/completions"),
      rewrite({ type: "ReplaceFullPath", replaceFullPath: "/v1/chat/completions" }),
      "/ask",
    ],
    [
      "a full path that no base URL ends in",
      exact("/ask"),
      rewrite({ type: "ReplaceFullPath", replaceFullPath: "/v1/chat/completions" }),
      undefined,
    ],
    [
      "a regular expression",
      [{ path: { type: "RegularExpression", value: "/v.*" } }],
      undefined,
      undefined,
    ],
    ["GET only", [{ method: "GET" }], undefined, undefined],
    ["a query parameter", [{ queryParams: [{ name: "a", value: "b" }] }], undefined, undefined],
    [
      "a header by regular expression",
      [{ headers: [{ type: "RegularExpression", name: "a", value: ".*" }] }],
      undefined,
      undefined,
    ],
    [
      "a redirect",
      prefix("/"),
      [{ type: "RequestRedirect", requestRedirect: { scheme: "https" } }],
      undefined,
    ],
  ])("%s", (_, matches, filters, path) => {
    const rule = { ...(matches && { matches }), ...(filters && { filters }) };
    expect(urls({ rules: [rule] })).toEqual(
      path === undefined ? [] : [`http://203.0.113.7${path}`],
    );
  });

  it("paths that need headers say so, and come last", () => {
    const rules = [{ matches: [{ headers: [{ name: "x-team", value: "games" }] }, {}] }];
    expect(chatUrls({ spec: { rules } }, gateway())).toMatchObject([
      { url: "http://203.0.113.7/v1", headers: {} },
      { url: "http://203.0.113.7/v1", headers: { "x-team": "games" } },
    ]);
  });
});
