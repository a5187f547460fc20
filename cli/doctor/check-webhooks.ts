import { kinds } from "../../kubernetes/kinds/index.ts";
import type { KindAddress } from "../../kubernetes/kinds/kind.ts";
import { unplanned } from "../../kubernetes/kinds/unplanned.ts";
import { type CheckResult, error, forbidden, ok } from "./check-result.ts";
import {
  type ClusterObservation,
  type Seen,
  seenOf,
  type Webhook,
  type WebhookConfiguration,
  webhooksFor,
} from "./observation.ts";

/** A webhook that services need. */
interface NeededWebhook {
  readonly check: string;
  readonly title: string;
  readonly kind: "mutatingWebhooks" | "validatingWebhooks";
  /** Kind of the objects that it is called for. */
  readonly of: Pick<KindAddress, "group" | "plural">;
  /** The consequence if it is missing; undefined if it is optional. */
  readonly missing?: string;
}

const webhooks: readonly NeededWebhook[] = [
  {
    check: "lws-mutating-webhook",
    title: "LeaderWorkerSet's mutating webhook",
    kind: "mutatingWebhooks",
    of: kinds.LeaderWorkerSet,
    missing: "LeaderWorkerSets get no defaults, and their manager may crash on one",
  },
  {
    check: "lws-pod-webhook",
    title: "LeaderWorkerSet's pod webhook",
    kind: "mutatingWebhooks",
    of: unplanned.Pod,
    missing: "pods get no group labels and no LWS_LEADER_ADDRESS, so workers find no leader",
  },
  {
    check: "lws-validating-webhook",
    title: "LeaderWorkerSet's validating webhook",
    kind: "validatingWebhooks",
    of: kinds.LeaderWorkerSet,
    missing: "invalid LeaderWorkerSets are accepted and get no pods",
  },
  {
    check: "volcano-podgroup-webhook",
    title: "Volcano's PodGroup webhook",
    kind: "validatingWebhooks",
    of: kinds.PodGroup,
  },
];

export function checkWebhooks(observation: ClusterObservation): CheckResult[] {
  return webhooks.flatMap((needed) => checkWebhook(needed, observation));
}

function checkWebhook(needed: NeededWebhook, observation: ClusterObservation): CheckResult[] {
  const { check, title, missing } = needed;
  const seen = observation[needed.kind];
  if (seen.state === "forbidden") return [forbidden(check, title, seen)];
  const found = findWebhook(needed, seen);
  if (found === undefined) {
    if (missing === undefined) return [];
    return [error(check, { title: `${title} is missing`, seen: missing, fix: restartManager })];
  }
  return [checkService(needed, found, observation.readyEndpoints)];
}

const restartManager =
  "reinstall LeaderWorkerSet: kubectl apply --server-side -f https://github.com/kubernetes-sigs/lws/releases/download/v0.9.0/manifests.yaml";

/**
 * LeaderWorkerSet's webhook for pods is in the configuration of its webhook for LeaderWorkerSets: other projects have
 * pod webhooks too.
 */
function findWebhook(
  { of }: NeededWebhook,
  seen: Seen<readonly WebhookConfiguration[]>,
): Webhook | undefined {
  const configurations = seenOf(seen);
  const owner = of === kinds.PodGroup ? kinds.PodGroup : kinds.LeaderWorkerSet;
  const owned = configurations.filter(
    (configuration) => webhooksFor([configuration], owner).length > 0,
  );
  return webhooksFor(owned, of)[0];
}

function checkService(
  { check, title }: NeededWebhook,
  { clientConfig, failurePolicy }: Webhook,
  readyEndpoints: ClusterObservation["readyEndpoints"],
): CheckResult {
  const { caBundle = "", service } = clientConfig;
  const location = service === undefined ? "" : `${service.namespace}/${service.name}`;
  const consequence =
    failurePolicy === "Ignore"
      ? "the API server skips it"
      : "the API server rejects the objects that it should review";
  if (caBundle === "") {
    return error(check, {
      title: `${title} has no certificate authority`,
      seen: `caBundle is empty: ${consequence}`,
      fix: `restart the pods of Service ${location}, or make sure that cert-manager injects caBundle`,
    });
  }
  // A webhook with a URL is outside the cluster and cannot be checked.
  if (service === undefined) return ok(check, `${title} is configured`);
  const ready = readyEndpoints[location] ?? { state: "absent" };
  if (ready.state === "forbidden") return forbidden(check, `the endpoints of ${location}`, ready);
  if (ready.state === "seen" && ready.value > 0) {
    return ok(check, `${title} answers`);
  }
  return error(check, {
    title: `${title} does not answer`,
    seen: `Service ${location} has no ready endpoint: ${consequence}`,
    fix: `kubectl get pods -n ${service.namespace}`,
  });
}
