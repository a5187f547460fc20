import { isDeferred } from "../../../kubernetes/values/deferred.ts";
import type { Container } from "../../schemas/pod-template.ts";
import { isScript } from "../command-line/started-programs.ts";
import { argumentsOf, engineNameOf, engines, hasCommand } from "../index.ts";

export const kvEventsFlag = "--kv-events-config";

/** Ports on which an engine publishes its KV events and replays them; further ranks use the next ports. */
export const kvEventPorts = { events: 5557, replay: 5657 } as const;

/** Whether an engine's command configures its KV events itself. */
export const publishesKvEvents = (engine: Container): boolean =>
  argumentsOf(engine).has(kvEventsFlag);

/** Whether the plan can make an engine publish KV events: it has an option for them, and its command is not a script. */
export const canPublishKvEvents = (engine: Container): boolean =>
  publishesKvEvents(engine) || (takesKvEvents(engine) && !isScript(engine));

/** An image that is only known later is assumed to have such an engine, because the user requests KV events. */
function takesKvEvents(engine: Container): boolean {
  const name = engineNameOf(engine);
  return name === undefined
    ? isDeferred(engine.image) && !hasCommand(engine)
    : engines[name].takesKvEvents;
}
