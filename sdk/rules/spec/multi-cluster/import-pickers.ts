import type { Invariant } from "../../../invariant.ts";
import { defaultPreference } from "../../../spec/imported-pool.ts";
import type { RawSpec } from "../../helpers/raw-spec.ts";
import { certificateHasOneSource } from "../certificate-source.ts";
import { importPickerHasMemory } from "../picker-memory.ts";

const proposal = "Multi-Cluster Inference proposal";

const pickerOf = (spec: RawSpec["spec"]) => (spec.picker ?? {}) as Record<string, unknown>;

const preferenceOf = (spec: RawSpec["spec"]) =>
  pickerOf(spec).preference ?? defaultPreference(spec.local);

/** Preferences that keep requests in the picker's cluster while it can serve them. */
const staysHere = (preference: unknown) =>
  preference === "PreferLocal" || preference === "PreferNearest";

const plaintextIsWithoutTls: Invariant<RawSpec> = {
  id: "import-picker-plaintext-is-without-tls",
  title: "A picker of an import uses plain text or TLS, not both",
  why: "Plain-text connections do not verify certificates.",
  source: "endpoint-picker --remote-plaintext",
  code: "conflict",
  *check({ spec }) {
    const { plaintext, tls } = pickerOf(spec);
    if (plaintext !== true || tls === undefined) return;
    yield {
      path: ["picker", "plaintext"],
      given: "is true together with `tls`",
      allowed: "one of them",
      fix: "Remove plaintext, or remove tls.",
    };
  },
};

const orderIsOfActivePassive: Invariant<RawSpec> = {
  id: "import-order-needs-active-passive",
  title: "An order of clusters requires selection active-passive",
  why: "The other selections ignore it.",
  source: `${proposal}: InferencePool Selection, Active-Passive`,
  code: "conflict",
  *check({ spec }) {
    const { order, selection } = pickerOf(spec);
    if (order === undefined || selection === "active-passive") return;
    yield {
      path: ["picker", "order"],
      given: `is set with selection ${String(selection ?? "metric-based")}`,
      allowed: "selection active-passive",
      fix: "Set selection to active-passive, or remove order.",
    };
  },
};

const preferenceLeavesTheShares: Invariant<RawSpec> = {
  id: "import-preference-fits-the-local-pool",
  title:
    "If the route also has the local pool as a backend, the import's share is for other clusters",
  why: "With PreferLocal or PreferNearest both shares would stay in this cluster if the import includes it.",
  source: `${proposal}: 'traffic MUST be split equally'`,
  code: "conflict",
  *check({ spec }) {
    const preference = preferenceOf(spec);
    if (spec.local === undefined || !staysHere(preference)) return;
    yield {
      path: ["picker", "preference"],
      given: `is ${preference} together with \`local\``,
      allowed: "PreferOthers (the default with `local`) or Any",
      fix: "Remove `preference`; or remove `local` and let the picker keep requests here.",
    };
  },
};

const spilloverNeedsPreferLocal: Invariant<RawSpec> = {
  id: "import-spillover-needs-prefer-local",
  title: "A spillover threshold requires preference PreferLocal or PreferNearest",
  why: "The other preferences ignore it.",
  source: "endpoint-picker --import-spillover-queue-threshold",
  code: "conflict",
  *check({ spec }) {
    const preference = preferenceOf(spec);
    if (pickerOf(spec).spilloverQueueThreshold === undefined || staysHere(preference)) return;
    yield {
      path: ["picker", "spilloverQueueThreshold"],
      given: `is set with preference ${String(preference)}`,
      allowed: "preference PreferLocal or PreferNearest",
      fix: "Set preference to PreferLocal or PreferNearest, or remove spilloverQueueThreshold.",
    };
  },
};

const nearestIsFromSomewhere: Invariant<RawSpec> = {
  id: "import-nearest-needs-a-locality",
  title: "PreferNearest requires a locality",
  why: "Without a region all other clusters are equally far away, and PreferNearest behaves like PreferLocal.",
  source: "endpoint-picker --local-region",
  code: "reference",
  *check({ spec }) {
    const preference = preferenceOf(spec);
    const { locality } = pickerOf(spec);
    if ((preference === "PreferNearest") === (locality !== undefined)) return;
    yield {
      path: ["picker", "locality"],
      given:
        locality === undefined
          ? "is missing with preference PreferNearest"
          : `is set with preference ${String(preference)}`,
      allowed: "both preference PreferNearest and locality, or neither",
      fix: "Set both, or remove both.",
    };
  },
};

const weightsAreOfSelectionsAtRandom: Invariant<RawSpec> = {
  id: "import-weights-need-random-selection",
  title: "Weights of clusters require a random selection",
  why: "active-passive ignores weights: it sends every request to the first available cluster.",
  source: `${proposal}: InferencePool Selection, Active-Passive`,
  code: "conflict",
  *check({ spec }) {
    const { weights, selection } = pickerOf(spec);
    if (weights === undefined || selection !== "active-passive") return;
    yield {
      path: ["picker", "weights"],
      given: "is set with selection active-passive",
      allowed: "selection metric-based or health-based",
      fix: "Set selection to metric-based or health-based, or replace weights with `order`.",
    };
  },
};

export const importPickerRules: ReadonlyArray<Invariant<RawSpec>> = [
  plaintextIsWithoutTls,
  certificateHasOneSource,
  orderIsOfActivePassive,
  preferenceLeavesTheShares,
  spilloverNeedsPreferLocal,
  nearestIsFromSomewhere,
  weightsAreOfSelectionsAtRandom,
  importPickerHasMemory,
];
