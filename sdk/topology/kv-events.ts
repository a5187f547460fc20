import { isDeferred } from "../../kubernetes/values/deferred.ts";
import { isScript } from "../command-line/started-programs.ts";
import { argumentsOf, engineNameOf, hasCommand } from "../engines/index.ts";
import type { Container } from "../spec/role.ts";

export const kvEventsFlag = "--kv-events-config";

/** Ports on which an engine publishes its KV events and repeats them; further ranks have the next ones. */
export const kvEventPorts = { events: 5557, replay: 5657 } as const;

/** Whether an engine's command configures its KV events itself. */
export const publishesKvEvents = (engine: Container): boolean =>
  argumentsOf(engine).has(kvEventsFlag);

/** Whether an engine can be told to publish: it is vLLM, and its words are known to be its own. */
export const canPublishKvEvents = (engine: Container): boolean =>
  publishesKvEvents(engine) || (isVllm(engine) && !isScript(engine));

/** An image that is known only later is vLLM's: who asks for KV events says so. */
const isVllm = (engine: Container): boolean =>
  engineNameOf(engine) === "vllm" || (isDeferred(engine.image) && !hasCommand(engine));
