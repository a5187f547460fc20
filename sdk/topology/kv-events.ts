import { isDeferred } from "../../kubernetes/values/deferred.ts";
import { isScript } from "../command-line/started-programs.ts";
import { argumentsOf, engineNameOf, hasCommand } from "../engines/index.ts";
import type { Container } from "../spec/role.ts";

export const kvEventsFlag = "--kv-events-config";

/** Ports on which an engine publishes its KV events and replays them; further ranks use the next ports. */
export const kvEventPorts = { events: 5557, replay: 5657 } as const;

/** Whether an engine's command configures its KV events itself. */
export const publishesKvEvents = (engine: Container): boolean =>
  argumentsOf(engine).has(kvEventsFlag);

/** Whether the plan can make an engine publish KV events: it is vLLM, and its command is not a script. */
export const canPublishKvEvents = (engine: Container): boolean =>
  publishesKvEvents(engine) || (isVllm(engine) && !isScript(engine));

/** An image that is only known later is assumed to be vLLM's, because the user requests KV events. */
const isVllm = (engine: Container): boolean =>
  engineNameOf(engine) === "vllm" || (isDeferred(engine.image) && !hasCommand(engine));
