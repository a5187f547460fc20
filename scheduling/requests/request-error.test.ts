import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { RequestError } from "./request-error.ts";

/** Returns the OpenAI client's error for a refusal. */
async function asTheClientSees(error: RequestError): Promise<unknown> {
  const client = new OpenAI({
    apiKey: "none",
    baseURL: "http://127.0.0.1:9/v1",
    maxRetries: 0,
    fetch: async () =>
      new Response(error.body, {
        status: error.status,
        headers: { "content-type": error.contentType ?? "text/plain" },
      }),
  });
  return client.completions.create({ model: "m", prompt: "hi" }).then(
    () => undefined,
    (failure: unknown) => failure,
  );
}

describe("a refusal", () => {
  it("is text by default", () => {
    const error = new RequestError("ServiceUnavailable", "no endpoint");
    expect([error.status, error.contentType, error.body]).toEqual([
      503,
      undefined,
      "inference error: ServiceUnavailable - no endpoint",
    ]);
  });

  it("is a NotFoundError of the OpenAI client for an unknown model", async () => {
    const error = new RequestError("NotFound", "The model `m` is not registered on pool ns/p", {
      apiCode: "model_not_found",
    });
    const seen = await asTheClientSees(error);
    expect(seen).toBeInstanceOf(OpenAI.NotFoundError);
    expect(seen).toMatchObject({
      status: 404,
      code: "model_not_found",
      param: "model",
      type: "invalid_request_error",
      message: "404 The model `m` is not registered on pool ns/p",
    });
  });
});
