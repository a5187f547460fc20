import { rewriteObject } from "../datastore/objects.fixture.ts";
import { headers } from "./conversation.fixture.ts";

export const prompt = '{"model":"m","prompt":"hello"}';
export const chosen = "10.0.0.1:8000";
export const destination = { "x-gateway-destination-endpoint": chosen };
export const metadata = { "envoy.lb": destination };
export const rewrites = [
  rewriteObject("r", [{ models: ["m"], targets: [{ model: "target", weight: undefined }] }]),
];
export const rewritten = '{"model":"target","prompt":"hello"}';
export const get = headers(
  { ":method": "GET", ":path": "/v1/models", "x-request-id": "id" },
  { endOfStream: true },
);
export const response = (values: Record<string, string> = {}, more = {}) =>
  headers(
    { ":status": "200", "content-type": "application/json", ...values },
    more,
    "responseHeaders",
  );
export const trailers = (kind: string) => ({ [kind]: {} });
