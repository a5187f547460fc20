import type { CommandLine } from "../../engines/command-line/started-programs.ts";
import { serversOf } from "../../engines/containers/engine-container.ts";
import { loopbackHost } from "../../engines/containers/server.ts";
import { argumentsOf, engineNameOf, engines } from "../../engines/index.ts";
import type { FindingText } from "../../invariant.ts";

/** Shared by the rules on specs and on stacks. */
export const enginesListenOnThePod = {
  id: "engine-listens-on-the-pod",
  title: "An engine listens on its pod's IP address",
  why: "Neither the gateway nor the kubelet can reach a loopback address, so the pool stays empty.",
  source: "SGLang, server arguments: --host is 127.0.0.1 by default; vllm serve --host",
  code: "reference",
} as const;

/** Returns the fault of an engine that only its own pod can reach, and that is the only server of the pod. */
export function loopbackProblem(
  engine: CommandLine,
  pod: Parameters<typeof serversOf>[0],
): FindingText | undefined {
  const host = loopbackHost(engine);
  const name = engineNameOf(engine);
  // Another container of the pod may receive the requests and forward them to the engine.
  if (host === undefined || serversOf(pod) > 1) return undefined;
  const isWritten = argumentsOf(engine).has("--host");
  return {
    given:
      isWritten || name === undefined
        ? `set --host ${host}`
        : `leave --host at ${engines[name].title}'s default, ${host}`,
    allowed: "an address that other pods can reach",
    fix: "Set --host to 0.0.0.0.",
  };
}
