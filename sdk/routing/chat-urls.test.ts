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

describe("URLs for the addresses of the Gateway", () => {
  it.each([
    ["none yet", undefined, []],
    ["an empty list", [], []],
    ["an address of a custom type", [{ type: "NamedAddress", value: "lb" }], []],
    ["an address without a value", [{ type: "IPAddress" }], []],
    ["no type", [{ value: "192.0.2.1" }], ["http://192.0.2.1/v1"]],
    ["a host name", [{ type: "Hostname", value: "lb.example.com" }], ["http://lb.example.com/v1"]],
    ["IPv6", [{ value: "2001:db8::1" }], ["http://[2001:db8::1]/v1"]],
    [
      "the first IP address or host name",
      [{ type: "x.io/a", value: "a" }, { value: "192.0.2.1" }],
      ["http://192.0.2.1/v1"],
    ],
  ])("%s", (_, addresses, expected) => {
    expect(urls({}, { addresses } as Given)).toEqual(expected);
  });
});

describe("URLs for the listeners", () => {
  const odd = { name: "odd", port: 8080, protocol: "HTTP" };
  const tcp = { name: "tcp", port: 9000, protocol: "TCP" };
  const all = { listeners: [http, https, odd, tcp] };
  it("URLs have the scheme and port of the listener, without default ports; TCP has none", () => {
    expect(urls({}, all)).toEqual([
      "http://203.0.113.7/v1",
      "https://203.0.113.7/v1",
      "http://203.0.113.7:8080/v1",
    ]);
  });
  it("only listeners that the route attaches to have URLs", () => {
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

it("a Gateway without status has no URLs", () => {
  expect(chatUrls({ spec: {} }, { spec: { listeners: [http] } })).toEqual([]);
});

describe("URLs for host names", () => {
  it.each([
    [
      "hostnames of the route",
      ["a.example.com", "b.example.com"],
      undefined,
      ["a.example.com", "b.example.com"],
    ],
    ["the hostname of the listener", undefined, "a.example.com", ["a.example.com"]],
    [
      "only hostnames of both route and listener",
      ["a.example.com", "b.org"],
      "*.example.com",
      ["a.example.com"],
    ],
    [
      "the listener's hostname, which the route's wildcard covers",
      ["*.example.com"],
      "a.example.com",
      ["a.example.com"],
    ],
    ["a hostname that matches a wildcard", ["*.example.com"], undefined, ["any.example.com"]],
    ["no hostname if route and listener have none in common", ["a.org"], "b.org", []],
  ])("%s", (_, hostnames, hostname, hosts) => {
    const found = chatUrls(
      { spec: { ...(hostnames && { hostnames }) } },
      gateway({ listeners: [{ ...http, ...(hostname && { hostname }) }] }),
    );
    expect(found.map(({ url }) => url)).toEqual(hosts.map((host) => `http://${host}/v1`));
    for (const { address } of found) expect(address).toBe("203.0.113.7");
  });
});

describe("URLs for paths", () => {
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
    ["/qwen without a rewrite, which servers do not have", prefix("/qwen"), undefined, undefined],
    ["/v10", prefix("/v10"), undefined, undefined],
    ["exactly the chat path", exact("/v1/chat/completions"), undefined, "/v1"],
    ["exactly another path", exact("/v1/completions"), undefined, undefined],
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

  it("URLs that need headers list them and come last", () => {
    const rules = [{ matches: [{ headers: [{ name: "x-team", value: "games" }] }, {}] }];
    expect(chatUrls({ spec: { rules } }, gateway())).toMatchObject([
      { url: "http://203.0.113.7/v1", headers: {} },
      { url: "http://203.0.113.7/v1", headers: { "x-team": "games" } },
    ]);
  });
});
