import { bodySendMode, type ProtocolConfig } from "../protocol/processing-request.ts";

/**
 * How a body comes and how it is answered:
 * - `duplex`: chunks come when they come; answers carry the whole new body in chunks of their own.
 * - `whole`: one message with all of it, after its headers were answered.
 * - `chunks`: each chunk is answered by one message, after the headers were answered.
 * - `chunks-at-once`: as `chunks`, but chunks come although the headers were not answered yet.
 * - `none`: no body comes.
 */
export type BodyMode = "duplex" | "whole" | "chunks" | "chunks-at-once" | "none";

/** Proxies that announce no mode are assumed to use full duplex, as all known ones do that send bodies. */
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
