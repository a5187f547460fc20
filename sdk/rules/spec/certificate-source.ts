import type { Fields } from "../../../kubernetes/values/records.ts";
import type { Path } from "../../errors.ts";
import type { Finding, Invariant } from "../../invariant.ts";
import { exportsOf, type RawSpec } from "../helpers/raw-spec.ts";

export const certificateHasOneSource: Invariant<RawSpec> = {
  id: "certificate-has-one-source",
  title: "A picker's certificate comes from an existing Secret or from an issuer, not both",
  why: "cert-manager would overwrite the Secret, or the picker would ignore the issued certificate.",
  source: "cert-manager, Certificate: spec.secretName",
  code: "conflict",
  *check({ spec }) {
    for (const [path, exported] of exportsOf(spec))
      yield* twoSources(exported, path, "certificateSecret", "certificateIssuer");
    const { tls } = fieldsOf(spec.picker);
    const names = ["clientCertificateSecret", "clientCertificateIssuer"] as const;
    yield* twoSources(fieldsOf(tls), ["picker", "tls"], ...names);
  },
};

function* twoSources(
  fields: Fields,
  path: Path,
  secret: string,
  issuer: string,
): Generator<Finding> {
  if (fields[secret] === undefined || fields[issuer] === undefined) return;
  yield {
    path: [...path, issuer],
    given: `is set together with ${secret}`,
    allowed: "one of them",
    fix: `Remove ${secret} to use the Secret that cert-manager creates, or remove ${issuer}.`,
  };
}

const fieldsOf = (value: unknown): Fields => (value ?? {}) as Fields;
