import {
  type EndpointResponses,
  noResponses,
  type ResponseCounts,
  type ResponsesPage,
  riseOf,
} from "./endpoint-responses.ts";

/** Responses of a model server since the previous page of a picker. */
export interface Rise {
  readonly of: EndpointResponses;
  readonly counts: ResponseCounts;
}

interface PickerPast {
  /** Latest process of the picker's pod. */
  readonly process: string;
  /** All processes of the pod that were seen. */
  readonly processes: Set<string>;
  readonly byPod: Map<string, EndpointResponses>;
}

/** Pages that were read earlier from the pods of a picker. */
export class PageHistory {
  readonly #pickers = new Map<string, PickerPast>();

  /**
   * Returns the responses since the last page of the same picker that was accepted. A process that was not seen before
   * has counted all of its responses since then. Undefined if the page is older than an earlier one: the counts of a
   * process never fall, and no process runs again.
   *
   * @param own uids of the pods whose responses count
   */
  accept(picker: string, page: ResponsesPage, own: ReadonlySet<string>): Rise[] | undefined {
    const earlier = this.#pickers.get(picker);
    const isRestarted = earlier?.process !== page.process;
    if (isRestarted && earlier?.processes.has(page.process)) return undefined;
    const byPod = isRestarted ? new Map<string, EndpointResponses>() : new Map(earlier?.byPod);
    const rises: Rise[] = [];
    for (const endpoint of page.endpoints) {
      if (!own.has(endpoint.uid)) continue;
      const counts = riseOf(byPod.get(endpoint.uid) ?? noResponses, endpoint);
      if (counts === undefined) return undefined;
      rises.push({ of: endpoint, counts });
      byPod.set(endpoint.uid, endpoint);
    }
    const processes = (earlier?.processes ?? new Set()).add(page.process);
    this.#pickers.set(picker, { process: page.process, processes, byPod });
    return rises;
  }
}
