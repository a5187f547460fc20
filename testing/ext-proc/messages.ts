import { join } from "node:path";
import { loadSync, type MethodDefinition } from "@grpc/proto-loader";
import { repositoryRoot } from "../repository.ts";

/**
 * Envoy's external processing messages, read and written by a protobuf library: an independent check of the picker's
 * hand-written codec.
 */

export interface HeaderValue {
  key: string;
  /** Some proxies put values here, others in rawValue. */
  value?: string;
  rawValue?: Buffer;
}

export interface HeaderMap {
  headers: HeaderValue[];
}

/** google.protobuf.Struct. */
export interface Struct {
  fields: Record<string, StructValue>;
}

export interface StructValue {
  stringValue?: string;
  numberValue?: number;
  boolValue?: boolean;
  nullValue?: 0;
  listValue?: { values?: StructValue[] };
  structValue?: Struct;
}

export type BodySendMode =
  | "NONE"
  | "STREAMED"
  | "BUFFERED"
  | "BUFFERED_PARTIAL"
  | "FULL_DUPLEX_STREAMED"
  | "GRPC";

export interface ProcessingRequest {
  requestHeaders?: { headers: HeaderMap; endOfStream: boolean };
  responseHeaders?: { headers: HeaderMap; endOfStream: boolean };
  requestBody?: { body: Buffer; endOfStream: boolean };
  responseBody?: { body: Buffer; endOfStream: boolean };
  requestTrailers?: { trailers: HeaderMap };
  responseTrailers?: { trailers: HeaderMap };
  metadataContext?: { filterMetadata: Record<string, Struct> };
  protocolConfig?: { requestBodyMode: BodySendMode; responseBodyMode: BodySendMode };
}

export interface HeaderMutation {
  setHeaders?: Array<{ header?: HeaderValue; appendAction?: string }>;
  removeHeaders?: string[];
}

export interface CommonResponse {
  headerMutation?: HeaderMutation;
  bodyMutation?: {
    body?: Buffer;
    clearBody?: boolean;
    streamedResponse?: { body?: Buffer; endOfStream?: boolean };
  };
  clearRouteCache?: boolean;
}

export interface ProcessingResponse {
  requestHeaders?: { response?: CommonResponse };
  responseHeaders?: { response?: CommonResponse };
  requestBody?: { response?: CommonResponse };
  responseBody?: { response?: CommonResponse };
  requestTrailers?: { headerMutation?: HeaderMutation };
  responseTrailers?: { headerMutation?: HeaderMutation };
  immediateResponse?: {
    status?: { code?: number };
    headers?: HeaderMutation;
    body?: Buffer;
    details?: string;
  };
  dynamicMetadata?: Struct;
}

const proto = join(repositoryRoot, "runtime/epp/protocol/ext_proc.proto");

/** The method's path and its (de)serializers, both directions. */
export const processMethod = (() => {
  const service = loadSync(proto, { enums: String })["envoy.service.ext_proc.v3.ExternalProcessor"];
  if (service === undefined || !("Process" in service)) {
    throw new Error(`${proto} has no service ExternalProcessor`);
  }
  return service.Process as MethodDefinition<ProcessingRequest, ProcessingResponse>;
})();

export const encodeRequest = (message: ProcessingRequest): Buffer =>
  processMethod.requestSerialize(message);

/** Header values as Envoy and agentgateway send them (`raw`), or as NGINX Gateway Fabric does (`text`). */
export type HeaderStyle = "raw" | "text";

export function headerMap(headers: Readonly<Record<string, string>>, style: HeaderStyle = "raw") {
  return {
    headers: Object.entries(headers).map(([key, value]) =>
      style === "raw" ? { key, rawValue: Buffer.from(value) } : { key, value },
    ),
  };
}

/** A JSON object as google.protobuf.Struct. */
export function toStruct(object: Readonly<Record<string, unknown>>): Struct {
  const fields = Object.entries(object).map(([key, value]) => [key, toStructValue(value)]);
  return { fields: Object.fromEntries(fields) };
}

function toStructValue(value: unknown): StructValue {
  if (value === null) return { nullValue: 0 };
  if (Array.isArray(value)) return { listValue: { values: value.map(toStructValue) } };
  switch (typeof value) {
    case "string":
      return { stringValue: value };
    case "number":
      return { numberValue: value };
    case "boolean":
      return { boolValue: value };
    case "object":
      return { structValue: toStruct(value as Record<string, unknown>) };
    default:
      throw new Error(`a Struct holds JSON values, given ${typeof value}`);
  }
}

/** Converts a google.protobuf.Struct to JSON. */
export function fromStruct(struct: Struct): Record<string, unknown> {
  const entries = Object.entries(struct.fields ?? {});
  return Object.fromEntries(entries.map(([key, value]) => [key, fromStructValue(value)]));
}

function fromStructValue(value: StructValue): unknown {
  if (value.listValue !== undefined) return (value.listValue.values ?? []).map(fromStructValue);
  if (value.structValue !== undefined) return fromStruct(value.structValue);
  return value.stringValue ?? value.numberValue ?? value.boolValue ?? null;
}
