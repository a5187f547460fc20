import type { Endpoint } from "../../../scheduling/endpoints/endpoint.ts";
import { computed, type Family, type Sample } from "../../manager/metrics/family.ts";
import { isConfigured } from "../datastore/configured-models.ts";
import type { RequestLabels, ResponseSummary } from "../observer.ts";
import { poolLabel, type ServiceView } from "./service-view.ts";

const labels = ["pool", "llm_service", "model_name", "target_model_name", "namespace", "pod"];

const notFound = 404;

/** Responses of a pod for one target. */
interface Answers {
  /** Whether the last response was 404. */
  missing: boolean;
  /** Number of responses with status 404, by the labels of the request. */
  readonly counts: Map<string, { readonly labels: readonly string[]; value: number }>;
}

interface PodAnswers {
  readonly namespace: string;
  readonly pod: string;
  readonly byTarget: Map<string, Answers>;
}

/**
 * Targets that pods do not serve, such as an unloaded adapter: model servers respond with 404 for them. Only targets of
 * LLMServices and rewrites are counted, because an unknown name made up by a client means nothing for a pod.
 */
export class MissingTargets {
  readonly #view: ServiceView;
  readonly #model: (model: string) => string;
  /** Responses of each pod, by its uid. Only pods that responded with 404 for a target have an entry. */
  readonly #pods = new Map<string, PodAnswers>();

  /** @param model returns the label value for a model that a client named */
  constructor(view: ServiceView, model: (model: string) => string) {
    this.#view = view;
    this.#model = model;
  }

  get families(): Family[] {
    return [
      computed(
        "counter",
        {
          name: "llm_d_epp_model_target_not_found_total",
          help: "404 responses of model servers, by target model and pod.",
          labels,
        },
        () => this.#samples(({ value }) => value),
      ),
      computed(
        "gauge",
        {
          name: "llm_d_epp_model_target_missing",
          help: "1 if the last response of the model server for the target was 404, else 0.",
          labels,
        },
        () => this.#samples((_, missing) => (missing ? 1 : 0)),
      ),
    ];
  }

  completed(request: RequestLabels, { status, served }: ResponseSummary): void {
    if (served === undefined) return;
    if (status === notFound) this.#missed(request, served);
    else if (status >= 200 && status < 300) this.#found(request.targetModel, served);
  }

  #missed({ service = "", model, targetModel }: RequestLabels, endpoint: Endpoint): void {
    if (!isConfigured(this.#view.snapshot().routing, targetModel)) return;
    const answers = this.#answersOf(endpoint, targetModel);
    const asked = [service, this.#model(model), targetModel];
    const key = asked.join("\0");
    const count = answers.counts.get(key);
    if (count === undefined) answers.counts.set(key, { labels: asked, value: 1 });
    else count.value += 1;
    answers.missing = true;
  }

  #found(targetModel: string, { podUid }: Endpoint): void {
    const answers = this.#pods.get(podUid)?.byTarget.get(targetModel);
    if (answers !== undefined) answers.missing = false;
  }

  #answersOf({ podUid, namespace, pod }: Endpoint, targetModel: string): Answers {
    let answers = this.#pods.get(podUid);
    if (answers === undefined) {
      this.#forgetGone();
      answers = { namespace, pod, byTarget: new Map() };
      this.#pods.set(podUid, answers);
    }
    let ofTarget = answers.byTarget.get(targetModel);
    if (ofTarget === undefined) {
      ofTarget = { missing: false, counts: new Map() };
      answers.byTarget.set(targetModel, ofTarget);
    }
    return ofTarget;
  }

  #forgetGone(): void {
    const present = new Set(this.#view.snapshot().endpoints.map(({ podUid }) => podUid));
    for (const podUid of this.#pods.keys()) if (!present.has(podUid)) this.#pods.delete(podUid);
  }

  *#samples(value: (count: { value: number }, missing: boolean) => number): Iterable<Sample> {
    this.#forgetGone();
    const snapshot = this.#view.snapshot();
    for (const { namespace, pod, byTarget } of this.#pods.values())
      for (const [target, { missing, counts }] of byTarget) {
        if (!isConfigured(snapshot.routing, target)) continue;
        for (const count of counts.values())
          yield {
            labels: [poolLabel(snapshot), ...count.labels, namespace, pod],
            value: value(count, missing),
          };
      }
  }
}
