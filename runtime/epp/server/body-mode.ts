import { bodySendMode, type ProtocolConfig } from "../protocol/processing-request.ts";

/**
 * How a proxy sends a body, and how the picker answers it:
 * - `duplex`: chunks arrive at any time; the answers carry the whole new body in chunks of their own.
 * - `whole`: one message holds the whole body. It arrives after the headers are answered.
 * - `chunks`: each chunk gets one answer. Chunks arrive after the headers are answered.
 * - `chunks-at-once`: like `chunks`, but chunks arrive before the headers are answered.
 * - `none`: the proxy sends no body.
 */
export type BodyMode = "duplex" | "whole" | "chunks" | "chunks-at-once" | "none";

/** A proxy that announces no mode is assumed to use full duplex, like every known proxy that sends bodies. */
export function bodyModes(config: ProtocolConfig | undefined): {
  request: BodyMode;
  response: BodyMode;
} {
  if (config === undefined) return { request: "duplex", response: "duplex" };
  return {
    request: bodyMode(config.requestBodyMode, config.sendsBodyAtOnce),
    response: bodyMode(config.responseBodyMode, config.sendsBodyAtOnce),
  };
}

function bodyMode(mode: number, atOnce: boolean): BodyMode {
  switch (mode) {
    case bodySendMode.none:
      return "none";
    case bodySendMode.buffered:
    case bodySendMode.bufferedPartial:
      return "whole";
    case bodySendMode.streamed:
      return atOnce ? "chunks-at-once" : "chunks";
    default:
      return "duplex";
  }
}
