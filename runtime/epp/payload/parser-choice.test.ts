import { describe, expect, it } from "vitest";
import { parserNames } from "../../../scheduling/plugins/parsers.ts";
import { parserOfPath } from "./parser-choice.ts";

describe("the parser of a path", () => {
  it.each([
    ["/v1/completions", "openai-parser", "completions"],
    ["/v1/completions/", "openai-parser", "completions"],
    ["/v1/completions?api-version=1", "openai-parser", "completions"],
    ["completions", "openai-parser", "completions"],
    ["/v1/completions/render", "openai-parser", "completions"],
    ["/v1/chat/completions", "openai-parser", "chat"],
    ["/openai/deployments/x/chat/completions?a=/v1/messages", "openai-parser", "chat"],
    ["/v1/chat/completions/render", "openai-parser", "chat"],
    ["/v1/embeddings", "openai-parser", "embeddings"],
    ["/v1/responses", "openai-parser", "responses"],
    ["/v1/conversations", "openai-parser", "conversations"],
    ["/v1/images/generations", "openai-parser", "images"],
    ["/v1/messages", "anthropic-parser", "messages"],
    ["/v1/messages/count_tokens", "anthropic-parser", "countTokens"],
    ["/inference/v1/generate", "vllmhttp-parser", "generate"],
    ["/v1%2fcompletions", "openai-parser", "completions"],
    ["/v1/chat%2Fcompletions", "openai-parser", "chat"],
    ["/v1/%63ompletions", "openai-parser", "completions"],
    ["/v1//completions", "openai-parser", "completions"],
    ["/v1/./completions", "openai-parser", "completions"],
    ["/v1/models/../completions", "openai-parser", "completions"],
    ["/v1/completions;x=1", "openai-parser", "completions"],
    ["/v1/completions;x/", "openai-parser", "completions"],
    ["/V1/Completions", "openai-parser", "completions"],
    ["/v1/completions%3fx", "passthrough-parser", undefined],
    ["/v1/completions#x", "openai-parser", "completions"],
    ["/v1/completions%20", "openai-parser", "completions"],
    ["/v1%255ccompletions", "passthrough-parser", undefined],
    ["/v1/audio/transcriptions", "passthrough-parser", undefined],
    ["/v1/othercompletions", "passthrough-parser", undefined],
    ["/generate", "passthrough-parser", undefined],
    ["/", "passthrough-parser", undefined],
  ])("%s is read by %s", (path, parser, api) => {
    expect(parserOfPath(path, parserNames)).toEqual({ parser, api });
  });

  it("has the longest matching suffix, whatever the order of the parsers", () => {
    expect(parserOfPath("/v1/messages", [...parserNames].reverse())).toMatchObject({
      parser: "anthropic-parser",
    });
  });

  it("is undefined if no parser claims the path and none accepts everything", () => {
    expect(parserOfPath("/v1/messages", ["openai-parser"])).toBeUndefined();
    expect(parserOfPath("/v1/completions", [])).toBeUndefined();
  });
});
