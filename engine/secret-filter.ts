import type { EngineEvent } from "./event.ts";

/** Shorter strings would also be hidden in texts that are not secret. */
const SHORTEST = 3;

/** Returns a function that hides secret configuration, in clear text and in Base64, in all events of an operation. */
export function secretFilter(secrets: readonly string[]): (event: EngineEvent) => EngineEvent {
  const hidden = secrets
    .filter((text) => text.length >= SHORTEST)
    .flatMap((text) => [text, Buffer.from(text).toString("base64")])
    // Longest first, so that a secret which contains another one is hidden as a whole.
    .sort((a, b) => b.length - a.length);
  const hide = (text: string) =>
    hidden.reduce((rest, part) => rest.replaceAll(part, "[secret]"), text);
  return (event) => {
    switch (event.kind) {
      case "diagnostic":
        return {
          ...event,
          diagnostic: { ...event.diagnostic, message: hide(event.diagnostic.message) },
        };
      case "status":
        return { ...event, message: hide(event.message) };
      case "program-output":
        return { ...event, text: hide(event.text) };
      default:
        if (event.step.error !== undefined) event.step.error = hide(event.step.error);
        return event;
    }
  };
}
