import type { KubernetesClient } from "../../../kubernetes/api/client.ts";
import type { Log } from "../log.ts";
import { processMetrics } from "../metrics/process-metrics.ts";
import { accessReview, type ReviewApi } from "./access-review.ts";
import {
  type OperatorPages,
  type OperatorServer,
  type OperatorTls,
  operatorServer,
} from "./operator-server.ts";

export interface PageOptions {
  readonly pages: OperatorPages;
  /** Who says who may read them; undefined where anybody may. */
  readonly reviews: ReviewApi | undefined;
  readonly tls?: OperatorTls | undefined;
  readonly log: Log;
}

/** What operators read of a program, the same for all of them: its metrics, those of its process, and debug pages. */
export const pageServer = ({ pages, reviews, tls, log }: PageOptions): OperatorServer =>
  operatorServer({
    pages: { ...pages, families: [...pages.families, ...processMetrics()] },
    access: reviews && accessReview(reviews, () => performance.now()),
    tls,
    onError: (error) => log.error("metrics not served", error),
  });

/** Reviews by a client of the API server. */
export const reviewsBy = (client: Pick<KubernetesClient, "request">): ReviewApi => ({
  create: (path, body) => client.request("POST", path, { body }),
});
