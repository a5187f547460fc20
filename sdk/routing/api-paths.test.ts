import { expect, it } from "vitest";
import { parserNames } from "../../scheduling/plugins/parsers.ts";
import { apiMatches, apiPaths, parserPaths } from "./api-paths.ts";
import { chatUrls } from "./chat-urls.ts";

it("A7: a route serves the paths of clients' APIs", () => {
  expect(apiPaths).toEqual([
    "/v1/chat/completions",
    "/v1/completions",
    "/v1/embeddings",
    "/v1/responses",
    "/v1/conversations",
    "/v1/images/generations",
    "/v1/messages",
    "/inference/v1/generate",
    "/v1/models",
    "/v1/audio",
    "/v1/rerank",
    "/v1/score",
  ]);
});

const isServed = (path: string) =>
  apiMatches().some(({ path: { value } }) => path === value || path.startsWith(`${value}/`));

it.each(Object.values(parserPaths).flat())(
  "a route serves $prefix$suffix, which a parser reads",
  ({ prefix, suffix }) => {
    expect(isServed(prefix + suffix)).toBe(true);
  },
);

it.each(["/v1/responses/resp_1/cancel", "/v1/audio/transcriptions", "/v1/models/Qwen"])(
  "a route serves %s, which is below an API path",
  (path) => {
    expect(isServed(path)).toBe(true);
  },
);

it.each([
  "/",
  "/metrics",
  "/docs",
  "/openapi.json",
  "/health",
  "/v1/load_lora_adapter",
  "/v1/unload_lora_adapter",
  "/v1/completionsX",
  "/start_profile",
  "/flush_cache",
  "/sleep",
])("a route does not serve %s, which is for operators of an engine", (path) => {
  expect(isServed(path)).toBe(false);
});

it("parserPaths lists the parsers in their default order", () => {
  expect(Object.keys(parserPaths)).toEqual(parserNames);
});

it("a route with all API paths has one base URL", () => {
  const gateway = {
    spec: { listeners: [{ name: "http", port: 80, protocol: "HTTP" }] },
    status: { addresses: [{ value: "203.0.113.7" }] },
  };
  const urls = chatUrls({ spec: { rules: [{ matches: apiMatches() }] } }, gateway);
  expect(urls.map(({ url }) => url)).toEqual(["http://203.0.113.7/v1"]);
});
