import type { EngineEvent } from "./event.ts";

/** Shorter strings would be hidden in places where they are not secret. */
const SHORTEST = 3;

/** Hides secret configuration, as it is and in Base64, in whatever an operation says. */
export function secretFilter(secrets: readonly string[]): (event: EngineEvent) => EngineEvent {
  const hidden = secrets
    .filter((text) => text.length >= SHORTEST)
    .flatMap((text) => [text, Buffer.from(text).toString("base64")])
    // A secret that holds another one is hidden as a whole.
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
