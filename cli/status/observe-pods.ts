import { unplanned } from "../../kubernetes/kinds/unplanned.ts";
import { objectPath } from "../../kubernetes/paths.ts";
import { label } from "../../sdk/names.ts";
import { type ObservedEvent, type ObservedPod, observePod } from "../../sdk/status/observed.ts";
import { logToRead } from "../../sdk/status/pod-failure.ts";
import type { ApiReader } from "../doctor/api-reader.ts";

/**
 * Lines of a log that are read, from its end. Each process of an engine writes its own traceback, of about 120 lines,
 * after the cause.
 */
const logLines = 1_000;

/**
 * Observes pods together with the events and logs that contain the causes of their failures. The log is read for the
 * first failing pod of each role only, because a status describes no other.
 *
 * @param killings events with reason Killing
 */
export function observePods(
  api: ApiReader,
  pods: readonly unknown[],
  killings: readonly ObservedEvent[],
): Promise<ObservedPod[]> {
  const described = new Set<string>();
  return Promise.all(
    pods.map(async (pod) => {
      const observed = observePod(pod);
      const { namespace, name, labels, ready, deleting, failure } = observed;
      if (failure === undefined || ready || deleting) return observed;
      const role = labels[label.roleName] ?? "";
      const log = described.has(role) ? undefined : logToRead(pod as object);
      described.add(role);
      const path = objectPath(unplanned.Pod, { namespace, name });
      const text =
        log &&
        (await api.text(
          `${path}/log?container=${log.container}&previous=${log.previous}&tailLines=${logLines}`,
        ));
      return observePod(pod, {
        killings: killings.filter(({ about }) => about === name),
        ...(text !== undefined && { log: text }),
      });
    }),
  );
}
