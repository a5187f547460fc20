import { isDeferred } from "../../../kubernetes/values/deferred.ts";
import { drainOf } from "../../engines/containers/drain.ts";
import { engineIndexOf } from "../../engines/containers/engine-container.ts";
import { argumentsOf } from "../../engines/index.ts";
import { withMoreArgs } from "../../engines/interface/engine-argv.ts";
import { whatIsKnown } from "../../engines/options/arguments.ts";
import {
  answerSecondsOf,
  engineDrain,
  engineGraceSeconds,
} from "../../engines/spec/engine-drain.ts";
import type { Container, PodSpec } from "../../schemas/pod-template.ts";
import { takesArguments } from "../../topology/decode-sidecar.ts";

/** Lets the pods of an engine finish their running responses when they are stopped. */

const notice = ["sleep", String(engineDrain.notice)];

/**
 * Returns a serving pod whose engine gets SIGTERM after pickers have stopped sending requests, and may then finish its
 * responses. Fields set in the template are kept, and an explicit grace period limits the drain. Engines that cannot
 * drain are not changed.
 *
 * @param seconds time for running responses, in seconds; 0 for no drain
 */
export function withDrain(pod: PodSpec, seconds: number): PodSpec {
  const at = engineIndexOf(pod);
  const engine = pod.containers[at] as Container;
  const { terminationGracePeriodSeconds: grace } = pod as {
    terminationGracePeriodSeconds?: unknown;
  };
  const drain = drainOf(engine);
  if (seconds === 0 || drain === undefined || isDeferred(grace)) return pod;
  const { flag } = drain;
  const written = flag === undefined ? undefined : argumentsOf(engine).value(flag);
  if (written !== undefined && whatIsKnown(written) === undefined) return pod;
  if (flag !== undefined && written === undefined && !takesArguments(engine)) return pod;
  const answers =
    written !== undefined
      ? Number(written as string)
      : grace === undefined
        ? seconds
        : Math.min(seconds, answerSecondsOf(Number(grace)));
  const withFlag =
    flag === undefined || written !== undefined || answers === 0
      ? engine
      : { ...engine, args: withMoreArgs(engine, [flag, String(answers)]) };
  return {
    ...pod,
    containers: pod.containers.with(at, withPreStop(withFlag, notice)),
    terminationGracePeriodSeconds: grace ?? engineGraceSeconds(answers),
  };
}

/**
 * Returns a worker's pod with a hook that delays SIGTERM. Without it the worker would stop immediately, and the
 * leader's responses with it. The hook waits until the port on which the group forms is closed, because the leader's
 * engine has then stopped.
 */
export function withWorkerDrain(pod: PodSpec, leader: PodSpec, groupPort: number): PodSpec {
  const { terminationGracePeriodSeconds: ours } = leader as Ending;
  const { terminationGracePeriodSeconds: grace = ours } = pod as Ending;
  const at = engineIndexOf(pod);
  const engine = pod.containers[at] as Container;
  if (grace === undefined || drainOf(engine) === undefined) return pod;
  return {
    ...pod,
    containers: pod.containers.with(at, withPreStop(engine, waitForLeader(groupPort))),
    terminationGracePeriodSeconds: grace,
  };
}

interface Ending {
  readonly terminationGracePeriodSeconds?: unknown;
}

/** Ends after three consecutive failures, because a single lookup may fail while the leader runs. */
const waitForLeader = (port: number): readonly string[] => [
  "python3",
  "-c",
  `import os, socket, time
failures = 0
while failures < 3:
    try:
        socket.create_connection((os.environ["LWS_LEADER_ADDRESS"], ${port}), 2).close()
        failures = 0
    except OSError:
        failures += 1
    time.sleep(1)
`,
];

/** Returns the engine with a preStop hook, unless its template sets one. */
function withPreStop(engine: Container, command: readonly string[]): Container {
  const { lifecycle = {} } = engine as { lifecycle?: unknown };
  if (isDeferred(lifecycle) || (lifecycle as { preStop?: unknown }).preStop !== undefined)
    return engine;
  const preStop = { exec: { command } };
  return { ...engine, lifecycle: { ...(lifecycle as object), preStop } };
}
