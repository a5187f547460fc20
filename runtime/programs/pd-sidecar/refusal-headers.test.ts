import { expect, it } from "vitest";
import { refusalHeaders } from "./headers.ts";

/** C5 of issue 44: a prefiller's refusal must not act on the client or the gateway. */

const body = Buffer.from("{}");
const answer = (...rawHeaders: string[]) => ({ rawHeaders, headers: { connection: undefined } });

it.each([
  ...["Set-Cookie", "Set-Cookie2", "Location", "Refresh", "Content-Location", "Link", "Server"],
  ...["Strict-Transport-Security", "Alt-Svc", "Clear-Site-Data", "Content-Security-Policy"],
  ...["Access-Control-Allow-Origin", "WWW-Authenticate", "NEL", "Report-To", "Cache-Control"],
  ...["x-gateway-destination-endpoint", "x-prefiller-host-port", "x-prefilled-by"],
  ...["x-envoy-upstream-service-time", "Transfer-Encoding", "Trailer", "Upgrade", "x-new"],
])("the client does not get header %s of a refusal", (name) => {
  expect(refusalHeaders(answer(name, "a"), body)).toEqual(["content-length", "2"]);
});

it("the client gets the headers that describe a refusal, with the length of its body", () => {
  const kept = ["Content-Type", "application/json", "Retry-After", "1", "x-request-id", "r"];
  expect(refusalHeaders(answer(...kept, "Content-Length", "999"), body)).toEqual([
    ...kept,
    ...["content-length", "2"],
  ]);
});
