import type { Path } from "../errors.ts";
import type { Finding, Invariant } from "../invariant.ts";
import { exportsOf, type RawSpec } from "./raw-spec.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A certificate comes from a Secret that is there or from an issuer. */
export const certificateHasOneSource: Invariant<RawSpec> = {
  id: "certificate-has-one-source",
  title: "A picker's certificate is in a Secret that is there, or an issuer makes it",
  why: "cert-manager would write over the Secret, or the picker would not use what it makes.",
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
    given: `is set beside ${secret}`,
    allowed: "one of them",
    fix: `Remove ${secret}, and cert-manager makes a Secret of its own; or remove ${issuer}.`,
  };
}

const fieldsOf = (value: unknown): Fields => (value ?? {}) as Fields;
