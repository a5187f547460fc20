import type {
  DisaggregationDecision,
  ExtensionPoint,
  PluginIdentity,
  SchedulingObserver,
} from "../scheduling-observer.ts";
import type { HandlerResult, Plugin, ProfileHandler } from "./plugin.ts";

/** Returns a plugin that reports each run at an extension point to the observer. */
export function observedPlugin(
  plugin: Plugin,
  identity: PluginIdentity,
  observer: SchedulingObserver,
): Plugin {
  const { filter, scorer, picker, profileHandler, preRequestHook } = plugin;
  const timed = <Args extends unknown[], Result>(
    point: ExtensionPoint,
    run: (...args: Args) => Result,
  ) => {
    const ran = observer.runsOf(point, identity);
    return (...args: Args): Result => {
      const started = performance.now();
      const result = run(...args);
      ran((performance.now() - started) / 1000);
      return result;
    };
  };
  return {
    ...plugin,
    ...(filter && { filter: { filter: timed("Filter", filter.filter.bind(filter)) } }),
    ...(scorer && {
      scorer: { ...scorer, score: timed("Scorer", scorer.score.bind(scorer)) },
    }),
    ...(picker && { picker: { pick: timed("Picker", picker.pick.bind(picker)) } }),
    ...(profileHandler && { profileHandler: observedHandler(profileHandler, identity, observer) }),
    ...(preRequestHook && {
      preRequestHook: {
        preRequest: timed("PreRequest", preRequestHook.preRequest.bind(preRequestHook)),
      },
    }),
  };
}

/** Reports the decisions of a handler and its run time without the profiles that it runs. */
function observedHandler(
  handler: ProfileHandler,
  identity: PluginIdentity,
  observer: SchedulingObserver,
): ProfileHandler {
  const ran = observer.runsOf("ProfilePicker", identity);
  const handle: ProfileHandler["handle"] = (cycle, run): HandlerResult => {
    const started = performance.now();
    let inProfiles = 0;
    const result = handler.handle(cycle, (name, last) => {
      const before = performance.now();
      const found = run(name, last);
      inProfiles += performance.now() - before;
      return found;
    });
    ran((performance.now() - started - inProfiles) / 1000);
    if (handler.disaggregates === true && result.primary !== undefined) {
      observer.disaggregated(identity, cycle.request.targetModel, decisionOf(result));
    }
    return result;
  };
  const { handleUnread, pairs } = handler;
  return {
    handle,
    disaggregates: handler.disaggregates === true,
    ...(pairs && { pairs }),
    ...(handleUnread && { handleUnread: handleUnread.bind(handler) }),
  };
}

function decisionOf({ prefillers, encoders = [] }: HandlerResult): DisaggregationDecision {
  if (encoders.length > 0) return prefillers.length > 0 ? "encode-prefill-decode" : "encode-decode";
  return prefillers.length > 0 ? "prefill-decode" : "decode-only";
}
