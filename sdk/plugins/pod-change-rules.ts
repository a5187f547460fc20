import type { Finding, Invariant } from "../invariant.ts";
import {
  annotation,
  kthenaPrefix,
  lwsPrefix,
  ownPrefix,
  podPluginProtectedAnnotations,
  reservedLabelPrefixes,
} from "../names.ts";
import { forbiddenChanges, pluginMayChange } from "./allowed-changes.ts";
import { asStored } from "./as-stored.ts";
import { grantingKeys, grantsRights } from "./granting-keys.ts";
import type { HookPod } from "./hook-request.ts";
import { raisedPrivileges } from "./privileges.ts";

/** A pod before and after one plugin. */
export interface PodChangePair {
  readonly before: HookPod;
  readonly after: HookPod;
  /** Whether the change is by an endpoint (type Webhook), and not by code that the platform runs itself. */
  readonly byEndpoint: boolean;
}

const source =
  "ModelServing plugin framework: pods are customised in a controlled and observable way";

const schedulerStays: Invariant<PodChangePair> = {
  id: "plugin-keeps-scheduler",
  title: "A plugin changes neither the scheduler nor the priority class of a pod",
  why: "All pods of a PodGroup need the same scheduler and priority. A pod with another one never starts, or starts alone.",
  source,
  code: "conflict",
  *check({ before, after }) {
    for (const field of ["schedulerName", "priorityClassName"]) {
      yield* kept(before.spec[field], after.spec[field], ["spec", field], "schedulingStrategy");
    }
  },
};

const identityStays: Invariant<PodChangePair> = {
  id: "plugin-keeps-identity",
  title: "A plugin does not change the name or namespace of a pod",
  why: "The workload's controller finds its pods by name and namespace.",
  source,
  code: "conflict",
  *check({ before, after }) {
    for (const field of ["name", "namespace", "generateName", "ownerReferences", "finalizers"]) {
      yield* kept(
        before.metadata[field],
        after.metadata[field],
        ["metadata", field],
        "the workload",
      );
    }
  },
};

const labelsStay: Invariant<PodChangePair> = {
  id: "plugin-keeps-owned-labels",
  title: "A plugin does not change labels of LeaderWorkerSet or of the plan",
  why: "Gangs, pools and groups select pods by these labels.",
  source,
  code: "conflict",
  *check({ before, after }) {
    // Labels of a ModelServing that the plan has set must stay; a plugin may add the ones that are not set.
    const isOwned = (key: string) =>
      [...reservedLabelPrefixes, ownPrefix].some((prefix) => key.startsWith(prefix)) ||
      (key.startsWith(kthenaPrefix) && before.metadata.labels[key] !== undefined);
    yield* keptKeys(before.metadata.labels, after.metadata.labels, "labels", isOwned);
  },
};

const annotationsStay: Invariant<PodChangePair> = {
  id: "plugin-keeps-owned-annotations",
  title:
    "A plugin does not change gang annotations or annotations of LeaderWorkerSet and of the plan",
  why: `The scheduler finds a pod's gang by ${annotation.groupName}. Without it the pod starts alone or waits forever.`,
  source,
  code: "conflict",
  *check({ before, after }) {
    const isOwned = (key: string) =>
      podPluginProtectedAnnotations.some((owned) => owned === key) ||
      [lwsPrefix, ownPrefix].some((prefix) => key.startsWith(prefix));
    yield* keptKeys(
      before.metadata.annotations,
      after.metadata.annotations,
      "annotations",
      isOwned,
    );
  },
};

const privilegesAreNotRaised: Invariant<PodChangePair> = {
  id: "plugin-raises-no-privileges",
  title: "A plugin does not give a container more privileges than the template",
  why: "Otherwise users who may select a plugin could get privileges that their own templates may not request.",
  source:
    "Kubernetes Pod Security Standards; ModelServing plugin framework: 'Risks and Mitigations'",
  code: "conflict",
  *check({ before, after }) {
    for (const change of raisedPrivileges(before, after)) {
      yield {
        path: change.path,
        given: `changes from ${written(change.before)} to ${written(change.after)}`,
        allowed: "the privileges of the template, or fewer",
        fix: "Set it in the template, where reviewers and policies can see it.",
      };
    }
  },
};

const keysGrantNothing: Invariant<PodChangePair> = {
  id: "plugin-keeps-privileged-keys",
  title: "A plugin does not change labels and annotations that give a pod privileges",
  why: `Runtimes, webhooks and clouds derive privileges from metadata: ${grantingKeys.map(({ grants }) => grants).join("; ")}.`,
  source: grantingKeys.map(({ source: page }) => page).join(", "),
  code: "conflict",
  *check({ before, after }) {
    const [had, has] = [before.metadata, after.metadata];
    for (const field of ["labels", "annotations"] as const) {
      yield* keptKeys(had[field], has[field], field, grantsRights);
    }
  },
};

const changesAreListed: Invariant<PodChangePair> = {
  id: "plugin-changes-allowed-fields",
  title: "A plugin changes only where a pod runs and what its containers get",
  why: `Otherwise users who may select a plugin, or its endpoint, could mount Secrets and host files, use another ServiceAccount or run another image. A plugin may change: labels and annotations; ${pluginMayChange.spec.join(", ")}; volumes of the types ${pluginMayChange.volumes.join(", ")}; and in the template's containers ${pluginMayChange.container.join(", ")}.`,
  source: "docs/security.md, threat model: plugin endpoints; Pod Security Standards",
  code: "conflict",
  *check({ before, after, byEndpoint }) {
    for (const change of forbiddenChanges(before, after, !byEndpoint)) {
      yield {
        path: change.path,
        given: `changes from ${written(change.before)} to ${written(change.after)}`,
        allowed: change.allowed,
        fix: "Set it in the template, where reviewers and policies can see it.",
      };
    }
  },
};

function* kept(
  before: unknown,
  after: unknown,
  path: Finding["path"],
  owner: string,
): Generator<Finding> {
  if (before === after || JSON.stringify(before) === JSON.stringify(after)) return;
  yield {
    path,
    given: `changes from ${written(before)} to ${written(after)}`,
    allowed: `the value that ${owner} sets`,
    fix: "Do not change it in the plugin.",
  };
}

function* keptKeys(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  field: string,
  isOwned: (key: string) => boolean,
): Generator<Finding> {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (isOwned(key)) yield* kept(before[key], after[key], ["metadata", field, key], "its owner");
  }
}

const written = (value: unknown) => (value === undefined ? "absent" : JSON.stringify(value));

/**
 * Rules on the changes of a plugin, regardless of its type. Each rule reads the pods as the API server stores them.
 */
export const podChangeRules: ReadonlyArray<Invariant<PodChangePair>> = [
  schedulerStays,
  identityStays,
  labelsStay,
  annotationsStay,
  privilegesAreNotRaised,
  keysGrantNothing,
  changesAreListed,
].map((rule) => ({
  ...rule,
  check: ({ before, after, byEndpoint }) =>
    rule.check({ before: asStored(before), after: asStored(after), byEndpoint }),
}));
