import type { Invariant } from "../invariant.ts";
import { defaultPreference } from "../spec/imported-pool.ts";
import { certificateHasOneSource } from "./certificate-source.ts";
import { importPickerHasRoom } from "./picker-memory.ts";
import type { RawSpec } from "./raw-spec.ts";

const proposal = "Multi-Cluster Inference proposal";

const pickerOf = (spec: RawSpec["spec"]) => (spec.picker ?? {}) as Record<string, unknown>;

const preferenceOf = (spec: RawSpec["spec"]) =>
  pickerOf(spec).preference ?? defaultPreference(spec.local);

/** Preferences that keep requests in the picker's cluster while it can serve them. */
const staysHere = (preference: unknown) =>
  preference === "PreferLocal" || preference === "PreferNearest";

const plaintextIsWithoutTls: Invariant<RawSpec> = {
  id: "import-picker-plaintext-is-without-tls",
  title: "A picker speaks to others in plain text or verifies them",
  why: "Certificates are not looked at in plain text.",
  source: "endpoint-picker --remote-plaintext",
  code: "conflict",
  *check({ spec }) {
    const { plaintext, tls } = pickerOf(spec);
    if (plaintext !== true || tls === undefined) return;
    yield {
      path: ["picker", "plaintext"],
      given: "is true beside `tls`",
      allowed: "one of them",
      fix: "Remove the one that does not hold.",
    };
  },
};

const orderIsOfActivePassive: Invariant<RawSpec> = {
  id: "import-order-needs-active-passive",
  title: "An order of clusters is for active-passive",
  why: "The other selections do not look at it.",
  source: `${proposal}: InferencePool Selection, Active-Passive`,
  code: "conflict",
  *check({ spec }) {
    const { order, selection } = pickerOf(spec);
    if (order === undefined || selection === "active-passive") return;
    yield {
      path: ["picker", "order"],
      given: `is set for ${String(selection ?? "metric-based")}`,
      allowed: "selection active-passive",
      fix: "Set it, or remove the order.",
    };
  },
};

const preferenceLeavesTheShares: Invariant<RawSpec> = {
  id: "import-preference-fits-the-local-pool",
  title: "Beside a pool with a share of its own, the import's share goes to other clusters",
  why: "With PreferLocal or PreferNearest both shares would stay in this cluster as long as the import has it too.",
  source: `${proposal}: 'traffic MUST be split equally'`,
  code: "conflict",
  *check({ spec }) {
    const preference = preferenceOf(spec);
    if (spec.local === undefined || !staysHere(preference)) return;
    yield {
      path: ["picker", "preference"],
      given: `is ${preference} beside \`local\``,
      allowed: "PreferOthers, which is the default there, or Any",
      fix: "Remove `preference`; or remove `local` and let the picker keep requests here.",
    };
  },
};

const spilloverNeedsPreferLocal: Invariant<RawSpec> = {
  id: "import-spillover-needs-prefer-local",
  title: "A queue from which requests spill over is for PreferLocal and PreferNearest",
  why: "The other preferences do not look at it.",
  source: "endpoint-picker --import-spillover-queue-threshold",
  code: "conflict",
  *check({ spec }) {
    const preference = preferenceOf(spec);
    if (pickerOf(spec).spilloverQueueThreshold === undefined || staysHere(preference)) return;
    yield {
      path: ["picker", "spilloverQueueThreshold"],
      given: `is set for ${String(preference)}`,
      allowed: "preference PreferLocal or PreferNearest",
      fix: "Set it, or remove spilloverQueueThreshold.",
    };
  },
};

const nearestIsFromSomewhere: Invariant<RawSpec> = {
  id: "import-nearest-needs-a-locality",
  title: "Clusters are near to one that says where it is",
  why: "Without a region every other cluster is as far away, so that PreferNearest is PreferLocal.",
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
          ? "is missing for PreferNearest"
          : `is set for ${String(preference)}`,
      allowed: "preference PreferNearest with a locality",
      fix: "Give both, or neither of them.",
    };
  },
};

const weightsAreOfSelectionsAtRandom: Invariant<RawSpec> = {
  id: "import-weights-need-random-selection",
  title: "Weights of clusters are for selections at random",
  why: "active-passive sends every request to the first cluster that answers.",
  source: `${proposal}: InferencePool Selection, Active-Passive`,
  code: "conflict",
  *check({ spec }) {
    const { weights, selection } = pickerOf(spec);
    if (weights === undefined || selection !== "active-passive") return;
    yield {
      path: ["picker", "weights"],
      given: "is set for active-passive",
      allowed: "selection metric-based or health-based",
      fix: "Set it, or give `order` in place of the weights.",
    };
  },
};

/** Rules of the picker for an import. */
export const importPickerRules: ReadonlyArray<Invariant<RawSpec>> = [
  plaintextIsWithoutTls,
  certificateHasOneSource,
  orderIsOfActivePassive,
  preferenceLeavesTheShares,
  spilloverNeedsPreferLocal,
  nearestIsFromSomewhere,
  weightsAreOfSelectionsAtRandom,
  importPickerHasRoom,
];
